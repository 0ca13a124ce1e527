package termindex

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// This file puts collectors together: out comes every term once, in order, with
// its postings in order.

// A merger goes through the terms of collectors.
type merger struct {
	collectors []*Collector
	ordinals   []int // as Write was given them
	documents  int

	all      []sighting // still to come
	postings []Posting  // of the term at hand
	more     []Posting  // those of one more collector
	buf      []byte
}

// A sighting is a term in one of the collectors.
type sighting struct {
	prefix    uint64 // of the term, so that few comparisons look any further
	collector uint32
	number    uint32
}

func newMerger(collectors []*Collector, ordinals []int, documents int) *merger {
	m := &merger{collectors: collectors, ordinals: ordinals, documents: documents}
	total := 0
	for _, c := range collectors {
		total += len(c.vocabulary.terms)
	}
	m.all = make([]sighting, 0, total)
	for i, c := range collectors {
		for number := range c.vocabulary.terms {
			m.all = append(m.all, sighting{c.vocabulary.terms[number].prefix, uint32(i), uint32(number)})
		}
	}
	slices.SortFunc(m.all, m.compare)
	return m
}

func (m *merger) compare(a, b sighting) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	return cmp.Or(bytes.Compare(m.textOf(a), m.textOf(b)), cmp.Compare(a.collector, b.collector))
}

func (m *merger) textOf(s sighting) []byte {
	return m.collectors[s.collector].vocabulary.textOf(s.number)
}

// next returns the next term that a document has, and its postings, which are
// good until the next call. After the last one, the term is empty.
func (m *merger) next() (text []byte, postings []Posting, err error) {
	for len(m.all) > 0 {
		first := m.all[0]
		text, m.postings = m.textOf(first), m.postings[:0]
		for len(m.all) > 0 && m.all[0].prefix == first.prefix && bytes.Equal(m.textOf(m.all[0]), text) {
			if err := m.join(m.all[0]); err != nil {
				return nil, nil, err
			}
			m.all = m.all[1:]
		}
		if len(m.postings) > 0 {
			return text, m.postings, nil
		}
	}
	return nil, nil, nil
}

// join adds the postings of a sighting to those of the term at hand.
func (m *merger) join(s sighting) error {
	m.more, m.buf = m.collectors[s.collector].postings(m.more[:0], s.number, m.buf)
	kept := m.more[:0]
	for _, p := range m.more {
		ordinal, err := m.ordinalOf(p.Ordinal)
		if err != nil {
			return err
		}
		if ordinal >= 0 {
			kept = append(kept, Posting{uint32(ordinal), p.Count})
		}
	}
	if !slices.IsSortedFunc(kept, byOrdinal) {
		slices.SortFunc(kept, byOrdinal)
	}
	m.postings = mergeSorted(m.postings, kept)
	return nil
}

// ordinalOf returns where among the documents of the index one is that was
// added by another ordinal, -1 if it is not there.
func (m *merger) ordinalOf(added uint32) (int, error) {
	ordinal := int64(added)
	if m.ordinals != nil {
		if ordinal >= int64(len(m.ordinals)) {
			return 0, fmt.Errorf("termindex: nobody knows where document %d belongs", added)
		}
		ordinal = int64(m.ordinals[added])
	}
	if ordinal >= int64(m.documents) {
		return 0, fmt.Errorf("termindex: document %d belongs to %d, but there are %d", added, ordinal, m.documents)
	}
	return int(ordinal), nil
}

func byOrdinal(a, b Posting) int { return cmp.Compare(a.Ordinal, b.Ordinal) }

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
