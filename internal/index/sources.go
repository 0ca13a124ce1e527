package index

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
)

// TermSources have the terms of the documents of an index: in collectors or in the
// previous index. The bytes that Write writes do not depend on which.
type TermSources struct {
	Collectors []*Collector // of the documents that a build compiled
	runs       []*run       // of the same documents

	// Ordinals maps the ordinal used in Add to the final one; -1 drops the document.
	// If it is nil, the ordinals are final.
	Ordinals []int

	// Previous is an index to take terms over from, or nil. Write reads it in order,
	// about 256 KiB at a time, so it may be far larger than memory.
	Previous *Index

	// Kept maps the ordinals of Previous to final ones, which rise; -1 drops one.
	Kept []int

	// Jobs is the number of ranges of terms that Write encodes at a time; below 1 it
	// is the number of processors. Each job takes a few hundred kilobytes, and 8
	// bytes for each ordinal.
	Jobs int
}

// check fails unless the sources can be those of an index of n ordinals.
func (s *TermSources) check(n int) error {
	previous := 0
	if s.Previous != nil {
		previous = s.Previous.ordinals()
	}
	if len(s.Kept) != previous {
		return fmt.Errorf("index: positions for %d documents of the %d before", len(s.Kept), previous)
	}
	next := 0
	for ordinal, position := range s.Kept {
		switch {
		case position == -1:
			continue
		case position < next || position >= n:
			return fmt.Errorf("index: document %d before cannot be %d of %d now", ordinal, position, n)
		}
		next = position + 1
	}
	return nil
}

// wrongTotal returns the error of an ordinal whose counts add up to total.
func (s *TermSources) wrongTotal(position int, total, want uint64) error {
	if slices.Contains(s.Kept, position) {
		return invalid("it has %d words of document %d and not %d", total, position, want)
	}
	return fmt.Errorf("index: %d words of document %d were added, but it has %d", total, position, want)
}

// A termSource yields terms in order, each once and with its postings, at least one
// and with rising final ordinals. Both are valid until the next call. After the last
// term, the text is empty.
type termSource interface {
	next() (text []byte, postings []Posting, err error)
}

// keptTerms are the terms of kept documents. They are a termSource.
type keptTerms struct {
	previous *termReader
	kept     []int
}

func (t *keptTerms) next() (text []byte, postings []Posting, err error) {
	for {
		text, postings, err = t.previous.next()
		if err != nil || len(text) == 0 {
			return nil, nil, err
		}
		n := 0
		for _, p := range postings {
			if ordinal := t.kept[p.Ordinal]; ordinal >= 0 {
				postings[n] = Posting{uint32(ordinal), p.Count}
				n++
			}
		}
		if n > 0 {
			return text, postings[:n], nil
		}
	}
}

// A merge yields the terms of several sources. It is a termSource.
type merge struct {
	heads    []peekIterator
	postings []Posting // of a term of more than one source
}

func mergeOf(sources []termSource) *merge {
	m := &merge{heads: make([]peekIterator, len(sources))}
	for i, source := range sources {
		m.heads[i].source = source
	}
	return m
}

// A peekIterator is a source and its next term.
type peekIterator struct {
	source   termSource
	isKnown  bool // text and postings are those of the next term
	text     []byte
	postings []Posting
}

func (p *peekIterator) peek() (err error) {
	if !p.isKnown {
		p.text, p.postings, err = p.source.next()
		p.isKnown = true
	}
	return err
}

func (m *merge) next() (text []byte, postings []Posting, err error) {
	for i := range m.heads {
		h := &m.heads[i]
		if err := h.peek(); err != nil {
			return nil, nil, err
		}
		if len(text) == 0 || len(h.text) > 0 && bytes.Compare(h.text, text) < 0 {
			text = h.text
		}
	}
	if len(text) == 0 {
		return nil, nil, nil
	}
	for i := range m.heads {
		h := &m.heads[i]
		if !bytes.Equal(h.text, text) {
			continue
		}
		h.isKnown = false
		if postings == nil {
			postings = h.postings
			continue
		}
		m.postings = mergeSorted(append(m.postings[:0], postings...), h.postings)
		postings = m.postings
	}
	return text, postings, nil
}

// mergeSorted merges b into a. It works from the back, so it ends when all of b has
// its place.
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

// addSources adds the terms of all sources. It returns the sum of the counts of each
// ordinal.
func (w *dictionaryWriter) addSources(s *TermSources, ordinals int) (totals []uint64, err error) {
	p := placement{s.Ordinals, ordinals}
	collected := newCollectedTerms(s.Collectors, p)
	var sources []termSource
	if s.Previous != nil {
		sources = append(sources, &keptTerms{s.Previous.newTermReader(), s.Kept})
	}
	for _, r := range s.runs {
		sources = append(sources, r.terms(p))
	}
	if len(sources) > 0 {
		return w.addSource(mergeOf(append(sources, collected)), ordinals)
	}
	jobs := s.Jobs
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return w.addCollected(collected, max(1, min(jobs, len(collected.ranges))))
}
