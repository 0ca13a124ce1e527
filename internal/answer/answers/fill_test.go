package answers

import (
	"bufio"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/selection"
)

// Each vector was recorded. It contains the matches, the words, the bits of the float32
// and its text.
func TestScoresAreThoseOfTheVectors(t *testing.T) {
	f, err := os.Open("testdata/f32.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var matches, words int
		var bits uint32
		var printed string
		if _, err := fmt.Sscanf(lines.Text(), "%d\t%d\t%x\t%s", &matches, &words, &bits, &printed); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		score := shareOfWords(matches, words)
		if uint32(score) != bits || score.String() != printed {
			t.Errorf("%d of %d: got %08x %s, want %08x %s", matches, words, uint32(score), score, bits, printed)
		}
		rows++
	}
	if rows < 5000 {
		t.Errorf("only %d vectors were read", rows)
	}
}

func TestADocumentWithoutWordsScoresZero(t *testing.T) {
	if got := shareOfWords(0, 0).String(); got != "0.0" {
		t.Errorf("got %s, want 0.0", got)
	}
}

// A pageToFill is a document to select from: its words, how many of them match, and its
// tokens.
type pageToFill struct{ words, matches, tokens uint32 }

// fillFrom returns the positions that a budget selects, in order.
func fillFrom(pages []pageToFill, budget uint64) (positions []int, totals selection.Totals) {
	var sizes []uint32
	var hits []ranking.UnitHit
	for i, p := range pages {
		sizes = append(sizes, 4*p.tokens)
		if p.matches > 0 {
			hits = append(hits, ranking.UnitHit{Ordinal: uint32(i), Score: ranking.Score(shareOfWords(int(p.matches), int(p.words)))})
		}
	}
	picks, totals := fill(sizes, nil, hits, budget)
	for _, p := range picks {
		positions = append(positions, int(p.Ordinal))
	}
	return positions, totals
}

func TestSelectFillsTheBudgetInOrder(t *testing.T) {
	const a, b, big, empty, zero = 0, 1, 2, 3, 4
	pages := []pageToFill{a: {100, 50, 2}, b: {100, 50, 2}, big: {100, 90, 8}, empty: {100, 0, 0}, zero: {100, 0, 1}}
	for _, tc := range []struct {
		budget uint64
		want   []int
		used   uint64
	}{
		{0, nil, 0},
		{1, []int{empty, zero}, 1},
		{3, []int{a, empty, zero}, 3},
		{8, []int{big, empty}, 8},
		{10, []int{big, a, empty}, 10},
		{13, []int{big, a, b, empty, zero}, 13},
		{1<<64 - 1, []int{big, a, b, empty, zero}, 13},
	} {
		got, totals := fillFrom(pages, tc.budget)
		want := selection.Totals{Budget: tc.budget, TokensUsed: tc.used, Considered: 5, Selected: len(tc.want), Excluded: 5 - len(tc.want)}
		if !slices.Equal(got, tc.want) || totals != want {
			t.Errorf("budget %d: got %v, %+v, want %v, %+v", tc.budget, got, totals, tc.want, want)
		}
	}
}

// 2094/4097 and 2117/4142 differ, but they are equal as float32.
func TestScoresThatAreEqualAsFloat32AreTies(t *testing.T) {
	pages := []pageToFill{{4097, 2094, 1}, {4142, 2117, 1}}
	for range 2 {
		if got, _ := fillFrom(pages, 2); !slices.Equal(got, []int{0, 1}) {
			t.Errorf("got %v, want the first position first", got)
		}
		slices.Reverse(pages)
	}
}

// The model follows the contract literally: it sorts all documents and tries one after
// the other.
func TestSelectDoesWhatSortingAllDocumentsDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pageToFill {
			words := rapid.Uint32Range(0, 4).Draw(t, "words")
			return pageToFill{words, rapid.Uint32Range(0, words).Draw(t, "matches"), rapid.Uint32Range(0, 4).Draw(t, "tokens")}
		}), 0, 60).Draw(t, "pages")
		budget := rapid.OneOf(rapid.Uint64Range(0, 120), rapid.Uint64()).Draw(t, "budget")
		score := func(i int) float32 { return float32(pages[i].matches) / float32(max(1, pages[i].words)) }
		order := make([]int, len(pages))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score(b), score(a)) })
		var want []int
		left := budget
		for _, i := range order {
			if tokens := uint64(pages[i].tokens); budget > 0 && tokens <= left {
				want, left = append(want, i), left-tokens
			}
		}
		got, totals := fillFrom(pages, budget)
		if !slices.Equal(got, want) || totals.TokensUsed != budget-left || totals.Excluded != len(pages)-len(want) {
			t.Errorf("got %v, %+v, want %v", got, totals, want)
		}
	})
}

// It measures a whole selection: ordering all candidates and filling the budget.
func BenchmarkFill(b *testing.B) {
	for _, docs := range []int{1_000, 10_000, 100_000} {
		sizes, hits := someDocuments(docs)
		for _, budget := range []uint64{4_000, 1_000_000} {
			b.Run(fmt.Sprintf("docs=%d/budget=%d", docs, budget), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					fill(sizes, nil, hits, budget)
				}
			})
		}
	}
}

func someDocuments(n int) (sizes []uint32, hits []ranking.UnitHit) {
	random := rand.New(rand.NewPCG(3, 3))
	for i := range n {
		words := uint32(100 + random.IntN(2000))
		sizes = append(sizes, words*6)
		if matches := random.IntN(40) - 30; matches > 0 {
			hits = append(hits, ranking.UnitHit{Ordinal: uint32(i), Score: ranking.Score(shareOfWords(matches, int(words)))})
		}
	}
	return sizes, hits
}
