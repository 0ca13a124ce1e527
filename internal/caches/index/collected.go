package index

import (
	"cmp"
	"fmt"
	"slices"
)

// collectedTerms contains the terms of collectors. It is a termSource.
type collectedTerms struct {
	collectors []*Collector
	placement  placement

	ranges  [][]termRef // still to come, in order, but each is unsorted
	current rangeTerms
}

// A termRef is the place of a term in a collector.
type termRef struct {
	prefix    uint64 // of the term, which decides most comparisons
	collector uint32
	number    uint32
}

// bucketBits is how many bits of a prefix decide the bucket of a term.
const bucketBits = 16

// minRangeTerms is the least number of terms of any range except the last.
const minRangeTerms = 1 << 10

func newCollectedTerms(collectors []*Collector, p placement) *collectedTerms {
	t := &collectedTerms{collectors: collectors, placement: p}
	total := 0
	for _, c := range collectors {
		total += len(c.table.terms)
	}
	if total > 0 {
		t.ranges = rangesOf(t.sortedByBucket(make([]termRef, total)))
	}
	return t
}

// sortedByBucket fills all with the places of all terms, bucket by bucket. It returns the
// end of each bucket.
func (t *collectedTerms) sortedByBucket(all []termRef) (sorted []termRef, ends []int) {
	ends = make([]int, 1<<bucketBits)
	for _, c := range t.collectors {
		for i := range c.table.terms {
			ends[bucketOf(c.table.terms[i].prefix)]++
		}
	}
	start := 0
	for i, n := range ends {
		ends[i] = start
		start += n
	}
	for i, c := range t.collectors {
		for number := range c.table.terms {
			prefix := c.table.terms[number].prefix
			end := &ends[bucketOf(prefix)]
			all[*end] = termRef{prefix, uint32(i), uint32(number)}
			*end++
		}
	}
	return all, ends
}

func bucketOf(prefix uint64) int { return int(prefix >> (64 - bucketBits)) }

// rangesOf cuts terms into ranges of whole buckets.
func rangesOf(all []termRef, ends []int) (ranges [][]termRef) {
	start := 0
	for _, end := range ends {
		if end-start >= minRangeTerms || end == len(all) && start < end {
			ranges = append(ranges, all[start:end])
			start = end
		}
	}
	return ranges
}

func (t *collectedTerms) next() (text []byte, postings []Posting, err error) {
	for {
		text, postings, err := t.current.next()
		if err != nil || len(text) > 0 || len(t.ranges) == 0 {
			return text, postings, err
		}
		t.current.begin(t, t.ranges[0])
		t.ranges = t.ranges[1:]
	}
}

// rangeTerms contains the terms of a single range. It is a termSource.
type rangeTerms struct {
	from *collectedTerms
	all  []termRef // still to come, sorted

	text     []byte // the current term
	postings []Posting
	more     []Posting // of another collector
	joined   []Posting // reused memory
	buf      []byte
}

// begin sorts another range and moves to its start.
func (t *rangeTerms) begin(from *collectedTerms, all []termRef) {
	t.from, t.all = from, all
	slices.SortFunc(all, t.compare)
}

func (t *rangeTerms) compare(a, b termRef) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	return cmp.Or(t.compareTexts(a, b), cmp.Compare(a.collector, b.collector))
}

func (t *rangeTerms) compareTexts(a, b termRef) int {
	v, w := &t.from.collectors[a.collector].table, &t.from.collectors[b.collector].table
	return compareTerms(v, &v.terms[a.number], w, &w.terms[b.number])
}

func (t *rangeTerms) next() (text []byte, postings []Posting, err error) {
	for len(t.all) > 0 {
		first := t.all[0]
		if err := t.join(first); err != nil {
			return nil, nil, err
		}
		t.postings, t.more = t.more, t.postings
		t.all = t.all[1:]
		for len(t.all) > 0 && t.all[0].prefix == first.prefix && t.compareTexts(t.all[0], first) == 0 {
			if err := t.join(t.all[0]); err != nil {
				return nil, nil, err
			}
			t.joined = mergeSorted(t.joined[:0], t.postings, t.more)
			t.postings, t.joined = t.joined, t.postings
			t.all = t.all[1:]
		}
		if len(t.postings) > 0 {
			v := &t.from.collectors[first.collector].table
			t.text = v.appendText(t.text[:0], &v.terms[first.number])
			return t.text, t.postings, nil
		}
	}
	return nil, nil, nil
}

func (t *rangeTerms) join(s termRef) (err error) {
	t.more, t.buf = t.from.collectors[s.collector].postings(t.more[:0], s.number, t.buf)
	t.more, err = t.from.placement.place(t.more)
	return err
}

// A placement maps the ordinals used in Add to final ordinals.
type placement struct {
	places   []int32 // TermSources.Ordinals
	ordinals int     // of the index
}

// place maps the ordinals used in Add to final ordinals, in place. It returns the
// postings sorted and without dropped documents.
func (p placement) place(postings []Posting) ([]Posting, error) {
	kept, last, isSorted := 0, 0, true
	for _, posting := range postings {
		ordinal := int(posting.Ordinal)
		if p.places != nil {
			if ordinal >= len(p.places) {
				return nil, fmt.Errorf("index: no final ordinal for document %d", posting.Ordinal)
			}
			ordinal = int(p.places[ordinal])
		}
		if ordinal >= p.ordinals {
			return nil, fmt.Errorf("index: the final ordinal of document %d is %d, but there are only %d ordinals", posting.Ordinal, ordinal, p.ordinals)
		}
		if ordinal < 0 {
			continue
		}
		isSorted = isSorted && last <= ordinal
		last = ordinal
		postings[kept] = Posting{uint32(ordinal), posting.Count}
		kept++
	}
	postings = postings[:kept]
	if !isSorted {
		slices.SortFunc(postings, func(a, b Posting) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	}
	return postings, nil
}
