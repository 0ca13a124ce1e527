package answers

import (
	"context"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/selection"
)

// Documents returns the IDs of all documents, sorted.
func (c *Cache) Documents() ([]document.ID, error) {
	if c.index != nil {
		ids, err := c.index.IDs()
		return slices.Clone(ids), err
	}
	m, err := c.files.Manifest()
	return idsOf(m.Documents), err
}

func idsOf(entries []cache.Entry) []document.ID {
	ids := make([]document.ID, len(entries))
	for i, entry := range entries {
		ids[i] = entry.ID
	}
	return ids
}

// A Scoreboard contains the scores of all documents of a cache for a query. Selection 1 orders
// documents by their best sections.
type Scoreboard struct{ candidates *candidates }

// Best returns the IDs of the n best documents. There can be fewer, because of the filter of the
// request, and because selection 1 only ranks documents with a term of the query.
func (r Scoreboard) Best(n int) (ids []document.ID, err error) {
	for _, page := range r.candidates.best(n) {
		entry, err := r.candidates.entry(page)
		if err != nil {
			return nil, err
		}
		ids = append(ids, entry.ID)
	}
	return ids, nil
}

// BestPages returns the numbers of the documents that [Scoreboard.Best] returns.
func (r Scoreboard) BestPages(n int) []uint32 { return r.candidates.best(n) }

// Within returns the spans that [Cache.Resolve] prints for a budget, in its order. They
// exclude leads and tails, because these repeat text of other sections.
func (r Scoreboard) Within(ctx context.Context, budget uint64) (spans []document.Span, err error) {
	chosen, _, err := r.candidates.choose(ctx, budget)
	for _, c := range chosen {
		span := document.Span{ID: c.entry.ID, End: c.size}
		if r.candidates.unit == selection.Sections {
			found, err := r.candidates.section(c.ordinal)
			if err != nil {
				return nil, err
			}
			span.Start, span.End = found.Start, found.End
		}
		spans = append(spans, span)
	}
	return spans, err
}

// ScoreEach scores the documents of c for each of queries; all other settings come from
// request. It calls use with the position of each query and its scores, in any order and from
// several goroutines, and returns the results in the order of the queries.
//
// It fails like [Cache.Resolve], and if use fails.
func ScoreEach[Out any](ctx context.Context, c *Cache, request selection.Request, queries []selection.Query, use func(i int, r Scoreboard) (Out, error)) ([]Out, error) {
	s := c.alone()
	jobs := request.Jobs
	if by, _, err := s.methodOf(request); err != nil {
		return nil, err
	} else if !c.hasIndexFor(by) {
		jobs = 1 // each query reads documents in parallel
	}
	return parallel.Each(ctx, jobs, len(queries), func(ctx context.Context, _, i int) (out Out, err error) {
		request := request
		request.Query = queries[i]
		ranked, err := s.candidates(ctx, request)
		if err == nil && ranked.sections != nil {
			err = ranked.sections.readFirsts()
		}
		if err != nil {
			return out, err
		}
		return use(i, Scoreboard{ranked})
	})
}
