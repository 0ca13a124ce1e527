package selection_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/selection"
)

// Whoever knows which documents match selects the same as who looks at all.
func TestSelectHitsIsSelect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var documents selection.Documents
		var hits []selection.Hit
		var candidates []selection.Candidate
		for i := range rapid.IntRange(0, 60).Draw(t, "documents") {
			words := rapid.IntRange(0, 4).Draw(t, "words")
			matches := rapid.IntRange(0, words).Draw(t, "matches")
			size := words + rapid.IntRange(0, 12).Draw(t, "more bytes")
			documents.Words = append(documents.Words, uint32(words))
			documents.Sizes = append(documents.Sizes, uint32(size))
			if matches > 0 {
				hits = append(hits, selection.Hit{Position: uint32(i), Matches: uint32(matches)})
			}
			candidates = append(candidates, selection.Candidate{
				ID:     document.ID(fmt.Sprintf("%03d", i)),
				Tokens: selection.TokensOf(size),
				Match:  selection.Match{TermMatches: matches, TotalWords: words},
			})
		}
		budget := rapid.OneOf(rapid.Uint64Range(0, 120), rapid.Uint64()).Draw(t, "budget")
		want := selection.Select(candidates, budget)
		got, matches := selection.SelectHits(documents, hits, budget)
		if !slices.Equal(got.Chosen, want.Chosen) || got.TokensUsed != want.TokensUsed ||
			got.Considered != want.Considered || got.Excluded != want.Excluded {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if len(matches) != len(got.Chosen) {
			t.Fatalf("got %d matches of %d documents", len(matches), len(got.Chosen))
		}
		for i, position := range got.Chosen {
			if matches[i] != candidates[position].Match {
				t.Errorf("document %d: got %v, want %v", position, matches[i], candidates[position].Match)
			}
		}
	})
}
