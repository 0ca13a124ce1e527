package index

import (
	"context"
	"fmt"
	"math"

	"github.com/contextcompiler/context/internal/parallel"
)

// This file encodes the terms of sources: ranges of them at the same time, as
// what comes before a range does not show in it. Leaves do not end where ranges
// do, so they are put together afterwards, in order.

// encodedTerms are terms in order, and their postings as the index has them.
type encodedTerms struct {
	texts, postings []byte
	terms           []encodedTerm
}

// An encodedTerm says where a term ends whose bytes begin where those of the
// one before it end.
type encodedTerm struct {
	text, postings int // ends
	documents      int // that have the term
}

// fill takes up to so many terms from a source in the place of what was here,
// and adds their postings to the totals of the documents.
func (e *encodedTerms) fill(source termSource, most int, totals []uint64) error {
	e.texts, e.postings, e.terms = e.texts[:0], e.postings[:0], e.terms[:0]
	for len(e.terms) < most {
		text, postings, err := source.next()
		if err != nil || len(text) == 0 {
			return err
		}
		if !addToTotals(totals, postings) {
			return fmt.Errorf("index: a document with %.100q was added twice", text)
		}
		e.texts = append(e.texts, text...)
		e.postings = appendPostings(e.postings, postings)
		e.terms = append(e.terms, encodedTerm{len(e.texts), len(e.postings), len(postings)})
	}
	return nil
}

// addToTotals adds the postings of a term to the totals of the documents, and
// reports whether the postings rise.
func addToTotals(totals []uint64, postings []Posting) bool {
	next := uint32(0)
	for _, p := range postings {
		if p.Ordinal < next {
			return false
		}
		totals[p.Ordinal] += uint64(p.Count)
		next = p.Ordinal + 1
	}
	return true
}

// addAll adds the terms to those that were added before.
func (w *dictionaryWriter) addAll(e *encodedTerms) {
	text, postings := 0, 0
	for _, t := range e.terms {
		w.add(e.texts[text:t.text], t.documents, e.postings[postings:t.postings])
		text, postings = t.text, t.postings
	}
}

// addSource adds the terms of a source and returns how many words each document
// has.
func (w *dictionaryWriter) addSource(source termSource, documents int) (totals []uint64, err error) {
	totals = make([]uint64, documents)
	var encoded encodedTerms
	for w.out.err == nil {
		if err := encoded.fill(source, rangeSightings, totals); err != nil {
			return nil, err
		}
		if len(encoded.terms) == 0 {
			break
		}
		w.addAll(&encoded)
	}
	return totals, nil
}

// addCollected is addSource for the terms of collectors, as many ranges at a
// time as there are jobs, at least 1. Each job has totals of its own.
func (w *dictionaryWriter) addCollected(collected *collectedTerms, jobs int) (totals []uint64, err error) {
	workers := make([]struct {
		source rangeTerms
		totals []uint64
	}, jobs)
	for i := range workers {
		workers[i].totals = make([]uint64, collected.documents)
	}
	// While ranges are encoded, those before them are written.
	next, last := make([]encodedTerms, 2*jobs), make([]encodedTerms, 0, 2*jobs)
	for ranges := collected.ranges; len(ranges)+len(last) > 0 && w.out.err == nil; {
		next = next[:min(len(ranges), cap(next))]
		encode := func(_ context.Context, worker, step int) (done struct{}, err error) {
			if step == 0 {
				for i := range last {
					w.addAll(&last[i])
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
