package index

import (
	"bytes"
	"container/heap"
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
	if n > math.MaxInt32 {
		return fmt.Errorf("index: %d ordinals are more than an index can contain", n)
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
	heads termHeads
	taken []termHead  // the current term of each source that contains it
	sums  bool        // add up the counts of an ordinal in several sources, instead of keeping both
	lists [][]Posting // of the current term
	all   []Posting   // reused memory for all of them
}

func mergeOf(sources []termSource) *merge {
	m := new(merge)
	for _, source := range sources {
		m.taken = append(m.taken, termHead{source: source})
	}
	return m
}

// A termHead is the next term of a source.
type termHead struct {
	source   termSource
	text     []byte
	postings []Posting
}

// termHeads is a heap with the first term, in the order of terms, at the front.
type termHeads []termHead

func (h termHeads) Len() int           { return len(h) }
func (h termHeads) Less(i, j int) bool { return bytes.Compare(h[i].text, h[j].text) < 0 }
func (h termHeads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *termHeads) Push(x any)        { *h = append(*h, x.(termHead)) }
func (h *termHeads) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (m *merge) next() (text []byte, postings []Posting, err error) {
	for _, h := range m.taken {
		if h.text, h.postings, err = h.source.next(); err != nil {
			return nil, nil, err
		}
		if len(h.text) > 0 {
			heap.Push(&m.heads, h)
		}
	}
	m.taken, m.lists = m.taken[:0], m.lists[:0]
	for len(m.heads) > 0 && (len(m.taken) == 0 || bytes.Equal(m.heads[0].text, m.taken[0].text)) {
		h := heap.Pop(&m.heads).(termHead)
		m.taken, m.lists = append(m.taken, h), append(m.lists, h.postings)
	}
	if len(m.taken) == 0 {
		return nil, nil, nil
	}
	if len(m.lists) == 1 {
		return m.taken[0].text, m.lists[0], nil
	}
	m.all = m.join(m.all[:0], m.lists)
	return m.taken[0].text, m.all, nil
}

// join appends the postings of at least two lists to all. Since it halves the lists, it copies no
// posting more than log2(len(lists)) times, rounded up.
func (m *merge) join(all []Posting, lists [][]Posting) []Posting {
	half := len(lists) / 2
	return mergeSorted(all, m.joined(lists[:half]), m.joined(lists[half:]), m.sums)
}

func (m *merge) joined(lists [][]Posting) []Posting {
	if len(lists) == 1 {
		return lists[0]
	}
	return m.join(nil, lists)
}

// mergeSorted appends the postings of two lists to all.
func mergeSorted(all, a, b []Posting, sums bool) []Posting {
	all = slices.Grow(all, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Ordinal < b[0].Ordinal:
			all, a = append(all, a[0]), a[1:]
		case a[0].Ordinal > b[0].Ordinal || !sums:
			all, b = append(all, b[0]), b[1:]
		default:
			all = append(all, Posting{a[0].Ordinal, a[0].Count + b[0].Count})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
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
