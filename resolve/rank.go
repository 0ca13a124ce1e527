package resolve

import (
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/selection"
)

// Documents returns the IDs of all documents, sorted.
func (c *Cache) Documents() ([]document.ID, error) {
	if c.index == nil {
		m, err := c.files.Manifest()
		ids := make([]document.ID, len(m.Documents))
		for i, entry := range m.Documents {
			ids[i] = entry.ID
		}
		return ids, err
	}
	ids := make([]document.ID, c.index.Documents())
	for i := range ids {
		entry, err := c.index.Entry(i)
		if err != nil {
			return nil, err
		}
		ids[i] = entry.ID
	}
	return ids, nil
}

// A Ranking is the order of the documents of a cache for one query. By selection 1 it
// is the order of their best sections.
type Ranking struct{ candidates *candidates }

// Best returns the IDs of the n best documents, or of all that have a place in the
// order.
func (r Ranking) Best(n int) (ids []document.ID, err error) {
	for _, page := range r.candidates.best(n) {
		entry, err := r.candidates.entry(page)
		if err != nil {
			return nil, err
		}
		ids = append(ids, entry.ID)
	}
	return ids, nil
}

// Within returns what [Cache.Resolve] prints for that budget, in that order.
func (r Ranking) Within(budget uint64) (spans []document.Span, err error) {
	chosen, _, err := r.candidates.choose(budget)
	for _, c := range chosen {
		span := document.Span{ID: c.entry.ID, End: c.size}
		if r.candidates.unit == Sections {
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

// RankEach ranks the documents of c for every query, by the selection and the unit of
// request. It returns the results of use in the order of the queries. It calls use in
// any order, with the position of the query.
//
// It fails as [Cache.Resolve] does without an output, and if use fails.
func RankEach[Out any](ctx context.Context, c *Cache, request Request, queries []selection.Query, use func(i int, r Ranking) (Out, error)) ([]Out, error) {
	jobs := request.Jobs
	if by, _, err := c.methodOf(request); err != nil {
		return nil, err
	} else if c.index == nil || by != c.built {
		jobs = 1 // the documents of one query are read at once
	}
	return parallel.Each(ctx, jobs, len(queries), func(ctx context.Context, _, i int) (out Out, err error) {
		wanted := request
		wanted.Query = queries[i]
		ranked, err := c.candidates(ctx, wanted)
		if err != nil {
			return out, err
		}
		return use(i, Ranking{ranked})
	})
}
