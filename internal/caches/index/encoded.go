package index

import (
	"context"
	"fmt"
	"math"

	"github.com/contextcompiler/context/internal/base/parallel"
)

// encodedTerms contains some terms in order, with their posting lists. The encoding of a
// range doesn't depend on other terms, so several ranges can be encoded at the same time.
type encodedTerms struct {
	texts, lists []byte
	terms        []encodedTerm
}

type encodedTerm struct {
	text, list int // their ends in texts and lists
	postings   int
}

// fill replaces the contents of e with at most n terms of a source. It adds their counts
// to the totals of the ordinals.
func (e *encodedTerms) fill(source termSource, n int, totals []uint32) error {
	e.texts, e.lists, e.terms = e.texts[:0], e.lists[:0], e.terms[:0]
	for len(e.terms) < n {
		text, postings, err := source.next()
		if err != nil || len(text) == 0 {
			return err
		}
		if !addToTotals(totals, postings, isField(text)) {
			return fmt.Errorf("index: a document with %.100q was added twice", text)
		}
		e.texts = append(e.texts, text...)
		e.lists = appendPostings(e.lists, postings, int64(len(totals)))
		e.terms = append(e.terms, encodedTerm{len(e.texts), len(e.lists), len(postings)})
	}
	return nil
}

// isField reports whether a term is a field of front matter or a key of a section (see
// package sections) instead of a word. Only these terms begin with a space, and they
// don't count in lengths.
func isField(text []byte) bool { return text[0] == ' ' }

// addToTotals adds the counts of postings to totals, unless the term is a field. It
// reports whether the ordinals rise.
func addToTotals(totals []uint32, postings []Posting, isField bool) bool {
	next := uint32(0)
	for _, p := range postings {
		if p.Ordinal < next {
			return false
		}
		if !isField {
			totals[p.Ordinal] += p.Count
		}
		next = p.Ordinal + 1
	}
	return true
}

func (w *dictionaryWriter) addEncoded(e *encodedTerms) {
	text, list := 0, 0
	for _, t := range e.terms {
		w.add(e.texts[text:t.text], t.postings, e.lists[list:t.list])
		text, list = t.text, t.list
	}
}

// addSource adds the terms of a source. It returns the sum of the counts of each ordinal.
// Unless there is only one job, it writes terms while it encodes the next.
func (w *dictionaryWriter) addSource(source termSource, ordinals, jobs int) (totals []uint32, err error) {
	totals = make([]uint32, ordinals)
	var next, last encodedTerms
	for more := true; more && w.out.err == nil; next, last = last, next {
		writeAndEncode := func(_ context.Context, _, step int) (done struct{}, err error) {
			if step == 0 {
				w.addEncoded(&last)
				return done, nil
			}
			return done, next.fill(source, minRangeTerms, totals)
		}
		if _, err := parallel.Each(context.Background(), jobs, 2, writeAndEncode); err != nil {
			return nil, err
		}
		more = len(next.terms) > 0
	}
	return totals, nil
}

// addCollected is like addSource, but for the terms of collectors. It encodes as many
// ranges at a time as there are jobs, which must be at least 1.
func (w *dictionaryWriter) addCollected(collected *collectedTerms, jobs int) (totals []uint32, err error) {
	workers := make([]struct {
		source rangeTerms
		totals []uint32
	}, jobs)
	for i := range workers {
		workers[i].totals = make([]uint32, collected.placement.ordinals)
	}
	// Step 0 writes the last ranges while the other steps encode the next.
	next, last := make([]encodedTerms, 2*jobs), make([]encodedTerms, 0, 2*jobs)
	for ranges := collected.ranges; len(ranges)+len(last) > 0 && w.out.err == nil; {
		next = next[:min(len(ranges), cap(next))]
		encode := func(_ context.Context, worker, step int) (done struct{}, err error) {
			if step == 0 {
				for i := range last {
					w.addEncoded(&last[i])
				}
				return done, nil
			}
			my := &workers[worker]
			my.source.begin(collected, ranges[step-1])
			return done, next[step-1].fill(&my.source, math.MaxInt, my.totals)
		}
		if _, err := parallel.Each(context.Background(), jobs, 1+len(next), encode); err != nil {
			return nil, err
		}
		ranges = ranges[len(next):]
		next, last = last, next
	}
	totals = workers[0].totals
	for _, other := range workers[1:] {
		for i, n := range other.totals {
			totals[i] += n
		}
	}
	return totals, nil
}
