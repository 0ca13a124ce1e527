package ranking

import (
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// A fakeIndex is a SectionIndex in memory.
type fakeIndex struct {
	sections int
	postings map[string][]index.Posting // by stored term and by key
	sketches func(ordinal uint32) []byte
	near     func(term string) []string

	asked int // calls of List
}

// indexOf returns an index of the postings of terms.
func indexOf(query TermQuery, sectionCount int, postings [][]index.Posting) *fakeIndex {
	x := &fakeIndex{sections: sectionCount, postings: map[string][]index.Posting{}}
	for i, of := range postings {
		x.postings[sections.StoredTerm(query.Terms[i].Text)] = of
	}
	return x
}

func (x *fakeIndex) List(term string) (index.List, error) {
	x.asked++
	return index.ListOf(x.postings[term], x.sections), nil
}

func (x *fakeIndex) Near(term string) ([]string, error) {
	if x.near == nil {
		return nil, nil
	}
	return x.near(term), nil
}

func (x *fakeIndex) Sketch(ordinal uint32) ([]byte, error) {
	if x.sketches == nil {
		return nil, nil
	}
	return x.sketches(ordinal), nil
}
