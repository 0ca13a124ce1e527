package answers

import (
	"cmp"
	"context"

	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/selection"
)

// A choice is a selected document or section.
type choice struct {
	page    uint32
	entry   cache.Entry
	item    item
	ordinal uint32 // of the section
	size    int    // bytes to print
}

// candidates are the documents of a set, or their sections, with scores for a query.
type candidates struct {
	set     *Set
	request selection.Request
	stats
	by    selection.Spec
	unit  selection.Unit
	terms []string // of the query

	// Only either pages or sections contains scores.
	pages    *pageScores    // by selection 0
	sections *sectionScores // by selection 1

	matcher *ranking.Matcher // counts matches in the sections to print; nil for selection 0
}

// candidates scores the documents for a request.
func (s *Set) candidates(ctx context.Context, request selection.Request) (*candidates, error) {
	by, unit, err := s.methodOf(request)
	if err != nil {
		return nil, err
	}
	c := &candidates{set: s, request: request, by: by, unit: unit, terms: request.Query.Terms()}
	query := ranking.ParseQuery(request.Query)
	if by == selection.Spec1 {
		c.terms = query.Texts()
	}
	if c.stats, err = s.stats(ctx, by, request, wantedBy(request, c.terms, query.Keys)); err != nil {
		return nil, err
	}
	if by == selection.Spec0 {
		c.pages, err = s.scorePages(ctx, c.stats, request)
		return c, cmp.Or(err, context.Cause(ctx))
	}
	c.sections, err = s.scoreSections(ctx, c.stats, query, unit, request)
	if err := cmp.Or(err, context.Cause(ctx)); err != nil {
		return nil, err
	}
	query = c.sections.scores.Query
	c.terms, c.matcher = query.Texts(), ranking.NewMatcher(query)
	return c, nil
}

func (c *candidates) choose(ctx context.Context, budget uint64) ([]choice, selection.Totals, error) {
	if c.pages != nil {
		return c.pages.choose(ctx, budget)
	}
	return c.sections.choose(ctx, budget)
}

func (c *candidates) best(n int) []uint32 {
	if c.pages != nil {
		return c.pages.best(n)
	}
	return c.sections.best(n)
}

// release recycles the memory of the scores for later queries, so nothing may use them
// afterwards.
func (c *candidates) release() {
	if c.sections != nil {
		c.sections.scores.Release()
	}
}
