package pipeline

import (
	"context"
	"slices"

	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/termindex"
)

// chooseByIndex selects documents without a look at any of them.
func chooseByIndex(ctx context.Context, index *cache.Index, request Request) ([]choice, selection.Selection, error) {
	words, sizes, err := index.Columns()
	if err != nil {
		return nil, selection.Selection{}, err
	}
	hits, err := soundHitsOf(ctx, index, request.Query, words)
	if err != nil {
		return nil, selection.Selection{}, err
	}
	selected, matches := selection.SelectHits(selection.Documents{Words: words, Sizes: sizes}, hits, request.Budget)
	chosen := make([]choice, len(selected.Chosen))
	for i, position := range selected.Chosen {
		entry, err := index.Entry(position)
		if err != nil {
			return nil, selection.Selection{}, err
		}
		tokens := selection.TokensOf(int(sizes[position]))
		chosen[i] = choice{entry: entry, item: selection.Candidate{ID: entry.ID, Tokens: tokens, Match: matches[i]}.Item()}
	}
	return chosen, selected, context.Cause(ctx)
}

// soundHitsOf is hitsOf for an index that is not trusted to count.
func soundHitsOf(ctx context.Context, index *cache.Index, query selection.Query, words []uint32) ([]selection.Hit, error) {
	hits, err := hitsOf(ctx, index, query)
	if err != nil {
		return nil, err
	}
	for _, hit := range hits {
		if hit.Matches > words[hit.Position] {
			return nil, index.Disproved("document %d has more matches than words", hit.Position)
		}
	}
	return hits, nil
}

// hitsOf returns the documents that have terms of the query, sorted by position,
// each with the words of all its terms together. A term that the query repeats
// counts once.
func hitsOf(ctx context.Context, index *cache.Index, query selection.Query) ([]selection.Hit, error) {
	terms := slices.Compact(slices.Sorted(slices.Values(query.Terms())))
	matches := make([]uint32, index.Len())
	most := 0 // hits that there may be

	// A query may have very many terms, and ctx may end on the way.
	for some := range slices.Chunk(terms, 1000) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		err := index.EachPosting(some, func(p termindex.Posting) {
			matches[p.Ordinal] += p.Count
			most++
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
