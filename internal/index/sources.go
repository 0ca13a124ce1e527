package index

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"
)

// TermSources provide the terms of the documents of an index, from collectors or from the
// previous index. Write writes the same bytes for either source.
type TermSources struct {
	Collectors []*Collector // of the documents that a build compiled
	runs       []*run       // of the other documents of the build, in scratch files

	// Ordinals maps the ordinal used in Add to the final ordinal; -1 drops the document. If
	// it is nil, the ordinals are final.
	Ordinals []int32

	merge *Merger // if it isn't nil, the other fields are not used

	// Previous is an index whose terms can be reused, or nil. Since Write reads it in
	// order, about 256 KiB at a time, it may be far larger than memory.
	Previous *Index

	// Kept maps the ordinals of Previous to final ordinals, which must rise; -1 drops an
	// ordinal.
	Kept []int32

	// Jobs is the number of ranges of terms that Write encodes at a time. Below 1, it is
	// the number of processors. Each job needs a few hundred kilobytes, plus 8 bytes for
	// each ordinal.
	Jobs int
}

// check fails unless the sources can belong to an index of n ordinals.
func (s *TermSources) check(n int) error {
	previous := 0
	if s.Previous != nil {
		previous = s.Previous.ordinals()
	}
	if len(s.Kept) != previous {
		return fmt.Errorf("index: got positions for %d of the %d previous documents", len(s.Kept), previous)
	}
	if n > math.MaxInt32 && s.merge == nil {
		return fmt.Errorf("index: %d ordinals are more than a build can write: merge several builds instead", n)
	}
	next := 0
	for ordinal, position := range s.Kept {
		switch {
		case position == -1:
			continue
		case int(position) < next || int(position) >= n:
			return fmt.Errorf("index: previous document %d cannot become document %d of %d", ordinal, position, n)
		}
		next = int(position) + 1
	}
	return nil
}

// wrongTotal returns the error for an ordinal whose counts add up to total instead of
// want.
func (s *TermSources) wrongTotal(position int, total, want uint32) error {
	if s.merge != nil {
		return s.merge.wrongTotal(uint32(position), total, want)
	}
	if slices.Contains(s.Kept, int32(position)) {
		return invalid("it counts %d words of document %d instead of %d", total, position, want)
	}
	return fmt.Errorf("index: %d words of document %d were added instead of %d", total, position, want)
}

// A termSource yields terms in order and without duplicates. Each comes with at least one
// posting, and the final ordinals of its postings must rise. Both are valid until the
// next call. After the last term, the text is empty.
type termSource interface {
	next() (text []byte, postings []Posting, err error)
}

// keptTerms contains the terms of kept documents. It is a termSource.
type keptTerms struct {
	previous *termReader
	kept     []int32
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
	postings []Posting // of a term from several sources
}

func mergeOf(sources []termSource) *merge {
	m := &merge{heads: make([]peekIterator, len(sources))}
	for i, source := range sources {
		m.heads[i].source = source
	}
	return m
}

type peekIterator struct {
	source   termSource
	isKnown  bool // text and postings belong to the next term
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

// mergeSorted merges b into a. It works from the back, so it can stop as soon as all of b
// is in its place.
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
func (w *dictionaryWriter) addSources(s *TermSources, ordinals int) (totals []uint32, err error) {
	if s.merge != nil {
		return w.addInputs(s.merge, ordinals)
	}
	p := placement{s.Ordinals, ordinals}
	collected := newCollectedTerms(s.Collectors, p)
	var sources []termSource
	if s.Previous != nil {
		sources = append(sources, &keptTerms{s.Previous.newTermReader(), s.Kept})
	}
	for _, r := range s.runs {
		sources = append(sources, r.terms(p))
	}
	jobs := s.Jobs
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	if len(sources) > 0 {
		return w.addSource(mergeOf(append(sources, collected)), ordinals, jobs)
	}
	return w.addCollected(collected, max(1, min(jobs, len(collected.ranges))))
}
