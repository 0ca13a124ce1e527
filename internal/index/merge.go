package index

import "bytes"

// This file puts together what the terms of an index come from.

// A termSource yields terms in order, each once and with its postings, which
// rise and are at least one. The postings are of the index that is written. All
// is good until the next call. After the last term, the text is empty.
type termSource interface {
	next() (text []byte, postings []Posting, err error)
}

// A union yields the terms of two sources.
type union struct {
	a, b     lead
	postings []Posting // of the term at hand if both have it
}

// A lead is a source and the term of it that comes next.
type lead struct {
	source   termSource
	isUsed   bool // the term was yielded, and it is time for another
	text     []byte
	postings []Posting
}

func newUnion(a, b termSource) *union {
	return &union{a: lead{source: a, isUsed: true}, b: lead{source: b, isUsed: true}}
}

func (u *union) next() (text []byte, postings []Posting, err error) {
	if err := u.a.advance(); err != nil {
		return nil, nil, err
	}
	if err := u.b.advance(); err != nil {
		return nil, nil, err
	}
	switch order := compareLeads(&u.a, &u.b); {
	case order < 0:
		u.a.isUsed = true
		return u.a.text, u.a.postings, nil
	case order > 0:
		u.b.isUsed = true
		return u.b.text, u.b.postings, nil
	}
	u.a.isUsed, u.b.isUsed = true, true
	u.postings = mergeSorted(append(u.postings[:0], u.a.postings...), u.b.postings)
	return u.a.text, u.postings, nil
}

// advance takes the next term if the last was used.
func (l *lead) advance() (err error) {
	if l.isUsed {
		l.text, l.postings, err = l.source.next()
		l.isUsed = false
	}
	return err
}

// compareLeads compares the terms of leads. The end comes after all terms.
func compareLeads(a, b *lead) int {
	if len(a.text) == 0 || len(b.text) == 0 {
		return len(b.text) - len(a.text)
	}
	return bytes.Compare(a.text, b.text)
}

// mergeSorted merges b into a. It works from the back, so that it is done when
// all of b has its place.
func mergeSorted(a, b []Posting) []Posting {
	i := len(a) - 1
	a = append(a, b...)
	if i < 0 {
		return a
	}
	for j := len(b) - 1; j >= 0; {
		if i >= 0 && a[i].Ordinal > b[j].Ordinal {
			a[i+j+1] = a[i]
			i--
		} else {
			a[i+j+1] = b[j]
			j--
		}
	}
	return a
}
