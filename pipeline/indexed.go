package pipeline

import (
	"context"
	"slices"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/selection"
)

// chooseByIndex selects documents without a look at any of them.
func chooseByIndex(ctx context.Context, x *cache.Index, request Request) ([]choice, selection.Selection, error) {
	documents, err := documentsOf(x)
	if err != nil {
		return nil, selection.Selection{}, err
	}
	hits, err := soundHitsOf(ctx, x, request.Query, documents.Words)
	if err != nil {
		return nil, selection.Selection{}, err
	}
	selected, matches := selection.SelectHits(documents, hits, request.Budget)
	chosen := make([]choice, len(selected.Chosen))
	for i, position := range selected.Chosen {
		entry, err := x.Entry(position)
		if err != nil {
			return nil, selection.Selection{}, err
		}
		tokens := selection.TokensOf(int(documents.Sizes[position]))
		chosen[i] = choice{entry: entry, item: selection.Candidate{ID: entry.ID, Tokens: tokens, Match: matches[i]}.Item()}
	}
	return chosen, selected, context.Cause(ctx)
}

// documentsOf returns what selection 0 asks of all documents.
func documentsOf(x *cache.Index) (documents selection.Documents, err error) {
	if documents.Words, err = x.Words(); err != nil {
		return documents, err
	}
	documents.Sizes, err = x.Sizes()
	return documents, err
}

// soundHitsOf is hitsOf for an index that is not trusted to count.
func soundHitsOf(ctx context.Context, x *cache.Index, query selection.Query, words []uint32) ([]selection.Hit, error) {
	hits, err := hitsOf(ctx, x, query)
	if err != nil {
		return nil, err
	}
	for _, hit := range hits {
		if hit.Matches > words[hit.Position] {
			return nil, x.Disproved("document %d has more matches than words", hit.Position)
		}
	}
	return hits, nil
}

// hitsOf returns the documents that have terms of the query, sorted by position,
// each with the words of all its terms together. A term that the query repeats
// counts once.
func hitsOf(ctx context.Context, x *cache.Index, query selection.Query) ([]selection.Hit, error) {
	terms := slices.Compact(slices.Sorted(slices.Values(query.Terms())))
	matches := make([]uint32, x.Documents())
	most := 0 // hits that there may be

	// A query may have very many terms, and ctx may end on the way.
	for some := range slices.Chunk(terms, 1000) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		err := x.EachTerm(some, func(_ int, postings []index.Posting) error {
			for _, p := range postings {
				matches[p.Ordinal] += p.Count
			}
			most += len(postings)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	hits := make([]selection.Hit, 0, min(most, len(matches)))
	for position, n := range matches {
		if n > 0 {
			hits = append(hits, selection.Hit{Position: uint32(position), Matches: n})
		}
	}
	return hits, nil
}
