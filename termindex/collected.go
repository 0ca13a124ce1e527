package termindex

import (
	"cmp"
	"fmt"
	"slices"
)

// This file puts collectors together.

// collectedTerms are the terms of collectors. They are a termSource.
type collectedTerms struct {
	collectors []*Collector
	ordinals   []int // as Write was given them
	documents  int

	all      []sighting // still to come
	text     []byte     // the term at hand
	postings []Posting  // its own
	more     []Posting  // those of one more collector
	buf      []byte
}

// A sighting is a term in one of the collectors.
type sighting struct {
	prefix    uint64 // of the term, so that few comparisons look any further
	collector uint32
	number    uint32
}

func newCollectedTerms(collectors []*Collector, ordinals []int, documents int) *collectedTerms {
	t := &collectedTerms{collectors: collectors, ordinals: ordinals, documents: documents}
	total := 0
	for _, c := range collectors {
		total += len(c.vocabulary.terms)
	}
	t.all = make([]sighting, 0, total)
	for i, c := range collectors {
		for number := range c.vocabulary.terms {
			t.all = append(t.all, sighting{c.vocabulary.terms[number].prefix, uint32(i), uint32(number)})
		}
	}
	slices.SortFunc(t.all, t.compare)
	return t
}

func (t *collectedTerms) compare(a, b sighting) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	return cmp.Or(t.compareTexts(a, b), cmp.Compare(a.collector, b.collector))
}

func (t *collectedTerms) compareTexts(a, b sighting) int {
	v, w := &t.collectors[a.collector].vocabulary, &t.collectors[b.collector].vocabulary
	return compareTerms(v, &v.terms[a.number], w, &w.terms[b.number])
}

// next returns the next term that a document of the index has, as a termSource
// does.
func (t *collectedTerms) next() (text []byte, postings []Posting, err error) {
	for len(t.all) > 0 {
		first := t.all[0]
		t.postings = t.postings[:0]
		for len(t.all) > 0 && t.all[0].prefix == first.prefix && t.compareTexts(t.all[0], first) == 0 {
			if err := t.join(t.all[0]); err != nil {
				return nil, nil, err
			}
			t.all = t.all[1:]
		}
		if len(t.postings) > 0 {
			v := &t.collectors[first.collector].vocabulary
			t.text = v.appendText(t.text[:0], &v.terms[first.number])
			return t.text, t.postings, nil
		}
	}
	return nil, nil, nil
}

// join adds the postings of a sighting to those of the term at hand.
func (t *collectedTerms) join(s sighting) error {
	t.more, t.buf = t.collectors[s.collector].postings(t.more[:0], s.number, t.buf)
	kept := t.more[:0]
	for _, p := range t.more {
		ordinal, err := t.ordinalOf(p.Ordinal)
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
	t.postings = mergeSorted(t.postings, kept)
	return nil
}

// ordinalOf returns where among the documents of the index one is that was
// added by another ordinal, -1 if it is not there.
func (t *collectedTerms) ordinalOf(added uint32) (int, error) {
	ordinal := int64(added)
	if t.ordinals != nil {
		if ordinal >= int64(len(t.ordinals)) {
			return 0, fmt.Errorf("termindex: nobody knows where document %d belongs", added)
		}
		ordinal = int64(t.ordinals[added])
	}
	if ordinal >= int64(t.documents) {
		return 0, fmt.Errorf("termindex: document %d belongs to %d, but there are %d", added, ordinal, t.documents)
	}
	return int(ordinal), nil
}

func byOrdinal(a, b Posting) int { return cmp.Compare(a.Ordinal, b.Ordinal) }
