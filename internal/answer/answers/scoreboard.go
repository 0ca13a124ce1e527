package answers

import (
	"context"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/selection"
)

// Documents returns the IDs of all documents, sorted.
func (c *Cache) Documents() ([]document.ID, error) {
	ids, err := c.allIDs()
	return slices.Clone(ids), err
}

// allIDs is like Documents, but the caller must not change the result.
func (c *Cache) allIDs() ([]document.ID, error) {
	if c.index != nil {
		return c.index.IDs()
	}
	m, err := c.files.Manifest()
	ids := make([]document.ID, len(m.Documents))
	for i, entry := range m.Documents {
		ids[i] = entry.ID
	}
	return ids, err
}

// A Scoreboard contains the scores of all documents of a cache for a query. Selection 1 orders
// documents by their best sections.
type Scoreboard struct {
	scores scored
	cache  *Cache
}

// Best returns the IDs of the n best documents. There can be fewer, because of the filter of the
// request, and because selection 1 only ranks documents with a term of the query.
func (b Scoreboard) Best(n int) (ids []document.ID, err error) {
	all, err := b.cache.allIDs()
	if err != nil {
		return nil, err
	}
	pages, err := b.BestPages(n)
	for _, page := range pages {
		ids = append(ids, all[page])
	}
	return ids, err
}

// BestPages returns the numbers of the documents that [Scoreboard.Best] returns.
func (b Scoreboard) BestPages(n int) (pages []uint32, err error) {
	hits, err := b.scores.ranked(true)
	for _, hit := range hits[:min(n, len(hits))] {
		pages = append(pages, hit.Ordinal)
	}
	return pages, err
}

// Within returns the spans that [Cache.Resolve] prints for a budget, in its order. They
// exclude leads and tails, because these repeat text of other sections.
func (b Scoreboard) Within(ctx context.Context, budget uint64) (spans []document.Span, err error) {
	chosen, _, err := b.scores.choose(ctx, budget)
	for _, hit := range chosen {
		spans = append(spans, hit.Span)
	}
	return spans, err
}

// ScoreEach scores the documents of c for each of queries; all other settings come from
// request. It calls use with the position of each query and its scores, in any order and from
// several goroutines, and returns the results in the order of the queries.
//
// It fails like [Cache.Resolve], and if use fails.
func ScoreEach[Out any](ctx context.Context, c *Cache, request selection.Request, queries []selection.Query, use func(i int, b Scoreboard) (Out, error)) ([]Out, error) {
	s := c.alone()
	return parallel.Each(ctx, request.Jobs, len(queries), func(ctx context.Context, _, i int) (out Out, err error) {
		request := request
		request.Query = queries[i]
		found, err := s.score(ctx, request)
		if err != nil {
			return out, err
		}
		return use(i, Scoreboard{found, c})
	})
}
