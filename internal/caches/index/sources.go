package index

import (
	"bytes"
	"container/heap"
	"fmt"
	"math"
	"runtime"
	"slices"
)

// TermSources provide the terms of the documents of an index, from collectors or from other
// indexes. Write writes the same bytes for either source.
type TermSources struct {
	Collectors []*Collector // of the documents that a build compiled
	runs       []*run       // of the other documents of the build, in scratch files

	// Ordinals maps the ordinal used in Add to the final ordinal; -1 drops the document. If
	// it is nil, the ordinals are final.
	Ordinals []int32

	Kept []Kept // the indexes whose terms are reused
	gain bool   // kept ordinals can gain terms from the other sources, see [Builder.AddKept]

	// Jobs is the number of ranges of terms that Write encodes at a time. Below 1, it is
	// the number of processors. Each job needs a few hundred kilobytes, plus 8 bytes for
	// each ordinal.
	Jobs int
}

// Kept is an index whose terms are reused. Since Write reads it in order, a few blocks at a
// time, it may be far larger than memory.
type Kept struct {
	Index  *Index
	Places []int32 // the final ordinal of each ordinal; they must rise, but -1 drops an ordinal
}

// A KeptError is an error about an index whose terms or documents are reused.
type KeptError struct {
	From int // its position
	Err  error
}

func (e *KeptError) Error() string { return e.Err.Error() }

func (e *KeptError) Unwrap() error { return e.Err }

// ahead returns how many bytes a reader of one of n indexes should read at once, so that the
// readers of all of them need little memory together.
func ahead(n int) int64 {
	const memory = 8 << 20
	return max(blockSize, min(readAhead, memory/int64(max(1, n))))
}

// check fails unless the sources can belong to an index of n ordinals.
func (s *TermSources) check(n int) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("index: %d ordinals are more than an index can contain", n)
	}
	for _, kept := range s.Kept {
		if err := kept.check(n); err != nil {
			return err
		}
	}
	return nil
}

func (k Kept) check(n int) error {
	if len(k.Places) != k.Index.ordinals() {
		return fmt.Errorf("index: got positions for %d of the %d previous documents", len(k.Places), k.Index.ordinals())
	}
	next := 0
	for ordinal, position := range k.Places {
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
	for i, kept := range s.Kept {
		if slices.Contains(kept.Places, int32(position)) {
			return &KeptError{i, invalid("it counts %d words of document %d instead of %d", total, position, want)}
		}
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
	reader *termReader
	places []int32
	from   int // position of its index
}

func (t *keptTerms) next() (text []byte, postings []Posting, err error) {
	for {
		text, postings, err = t.reader.next()
		if err != nil {
			return nil, nil, &KeptError{t.from, err}
		}
		if len(text) == 0 {
			return nil, nil, nil
		}
		n := 0
		for _, p := range postings {
			if ordinal := t.places[p.Ordinal]; ordinal >= 0 {
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
	lists [][]Posting // of the current term
	all   []Posting   // reused memory for all of them
	gain  bool        // see TermSources
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
	if m.all = m.join(m.all[:0], m.lists); m.gain {
		m.all = summed(m.all)
	}
	return m.taken[0].text, m.all, nil
}

// join appends the postings of at least two lists to all. Since it halves the lists, it copies no
// posting more than log2(len(lists)) times, rounded up.
func (m *merge) join(all []Posting, lists [][]Posting) []Posting {
	half := len(lists) / 2
	return mergeSorted(all, m.joined(lists[:half]), m.joined(lists[half:]))
}

func (m *merge) joined(lists [][]Posting) []Posting {
	if len(lists) == 1 {
		return lists[0]
	}
	return m.join(nil, lists)
}

// summed adds up the counts of each ordinal, in place.
func summed(postings []Posting) []Posting {
	n := 0
	for _, p := range postings {
		if n > 0 && postings[n-1].Ordinal == p.Ordinal {
			postings[n-1].Count += p.Count
			continue
		}
		postings[n] = p
		n++
	}
	return postings[:n]
}

// mergeSorted appends the postings of two lists to all.
func mergeSorted(all, a, b []Posting) []Posting {
	all = slices.Grow(all, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Ordinal < b[0].Ordinal {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// addSources adds the terms of all sources. It returns the sum of the counts of each
// ordinal.
func (w *dictionaryWriter) addSources(s *TermSources, ordinals int) (totals []uint32, err error) {
	p := placement{s.Ordinals, ordinals}
	collected := newCollectedTerms(s.Collectors, p)
	var sources []termSource
	for i, kept := range s.Kept {
		sources = append(sources, &keptTerms{kept.Index.readTerms(ahead(len(s.Kept))), kept.Places, i})
	}
	for _, r := range s.runs {
		sources = append(sources, r.terms(p))
	}
	jobs := s.Jobs
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	if len(sources) > 0 {
		all := mergeOf(append(sources, collected))
		all.gain = s.gain
		return w.addSource(all, ordinals, jobs)
	}
	return w.addCollected(collected, max(1, min(jobs, len(collected.ranges))))
}
