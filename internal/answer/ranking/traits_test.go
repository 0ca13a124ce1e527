package ranking

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// scoresOf returns the scores of sections with these traits by ordinal. All sections are
// equally long, and the weights are those of the only term.
func scoresOf(t rapid.TB, traits []sections.Traits, weights []uint32) []Score {
	t.Helper()
	var postings []index.Posting
	for ordinal, weight := range weights {
		if weight > 0 {
			postings = append(postings, index.Posting{Ordinal: uint32(ordinal), Count: weight})
		}
	}
	query := TermQuery{Terms: []Term{{Text: "term", Weight: one}}}
	columns := columnsOf(slices.Repeat([]uint32{100}, len(traits)), traits)
	found, err := ScoreSections(context.Background(), query, columns, indexOf(query, len(traits), [][]index.Posting{postings}))
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]Score, len(traits))
	for _, hit := range found.All() {
		scores[hit.Ordinal] = hit.Score
	}
	return scores
}

func TestAListOfLinksCountsHalf(t *testing.T) {
	got := scoresOf(t, []sections.Traits{sections.First, 0, sections.Links}, []uint32{3, 3, 3})
	if want := []Score{got[0], got[0], got[0] / 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Only neighbours in the same section support a part, and only with their own scores.
func TestPartsOfASectionSupportEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "sections")
		traits := rapid.SliceOfN(rapid.SampledFrom([]sections.Traits{0, sections.First, sections.Continues, sections.Links, sections.Continues | sections.Links}), n, n).Draw(t, "traits")
		traits[0] &^= sections.Continues
		weights := rapid.SliceOfN(rapid.SampledFrom([]uint32{0, 0, 1, 5, 50}), n, n).Draw(t, "weights")
		alone := slices.Clone(traits)
		for i := range alone {
			alone[i] &^= sections.Continues
		}
		own := scoresOf(t, alone, weights)
		want := slices.Clone(own)
		for i := range traits {
			if traits[i]&sections.Continues != 0 {
				want[i] = max(want[i], own[i-1]/5*4)
				want[i-1] = max(want[i-1], own[i]/5*4)
			}
		}
		for i, got := range scoresOf(t, traits, weights) {
			if got < want[i] || got > want[i]+4 { // a fifth of a score is rounded
				t.Fatalf("section %d: got %d, want %d", i, got, want[i])
			}
		}
	})
}

func TestASectionOfPartsIsKnownByItsFirst(t *testing.T) {
	traits := []sections.Traits{sections.First, sections.Continues, sections.Continues | sections.Links, 0, sections.First}
	c := columnsOf(make([]uint32, len(traits)), traits)
	var got []uint32
	for ordinal := range traits {
		got = append(got, c.SectionOf(uint32(ordinal)))
	}
	if want := []uint32{0, 0, 0, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
