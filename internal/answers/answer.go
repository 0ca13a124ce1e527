package answers

import (
	"cmp"
	"context"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/selection"
)

// An answer is the selection for a request.
type answer struct {
	*candidates
	chosen []choice // in the order of the result
	totals selection.Totals
}

// A choice is a selected document or section.
type choice struct {
	page    uint32
	entry   cache.Entry
	item    selection.Item
	ordinal uint32 // of the section
	size    int    // bytes to print
}

// candidates are the documents of a set, or their sections, with scores for one query.
type candidates struct {
	set     *Set
	request Request
	source
	scores
	by      selection.Spec
	unit    Unit
	terms   []string         // of the query
	matcher *ranking.Matcher // counts matches in printed sections; nil for selection 0
}

// scores are the scores of pages or sections.
type scores interface {
	// choose fills a budget.
	choose(ctx context.Context, budget uint64) ([]choice, selection.Totals, error)

	// best returns the n best pages, or all if there are fewer.
	best(n int) []uint32
}

// candidates scores the documents for a request.
func (s *Set) candidates(ctx context.Context, request Request) (*candidates, error) {
	by, unit, err := s.methodOf(request)
	if err != nil {
		return nil, err
	}
	a := &candidates{set: s, request: request, by: by, unit: unit, terms: request.Query.Terms()}
	query := ranking.ParseQuery(request.Query)
	if by == selection.Spec1 {
		a.terms = query.Texts()
	}
	if a.source, err = s.source(ctx, by, request, wantedBy(request, a.terms, query.Keys)); err != nil {
		return nil, err
	}
	if by == selection.Spec0 {
		a.scores, err = scorePages(ctx, a.source, request)
		return a, cmp.Or(err, context.Cause(ctx))
	}
	scored, err := scoreSections(ctx, a.source, query, unit, request)
	if err := cmp.Or(err, context.Cause(ctx)); err != nil {
		return nil, err
	}
	query = scored.scores.Query
	a.scores, a.terms, a.matcher = scored, query.Texts(), ranking.NewMatcher(query)
	return a, nil
}

// answer selects for a request.
func (s *Set) answer(ctx context.Context, request Request) (a answer, err error) {
	if a.candidates, err = s.candidates(ctx, request); err != nil {
		return a, err
	}
	a.chosen, a.totals, err = a.choose(ctx, request.Budget)
	return a, cmp.Or(err, context.Cause(ctx))
}

// release gives memory of the answer to later ones. Nothing can use the answer after it.
func (a answer) release() {
	if s, hasSums := a.candidates.scores.(*sectionScores); hasSums {
		s.scores.Release()
	}
}
