package selection_test

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/selection"
)

// The vectors were recorded: matches, words, the bits of the float32, and how
// it prints.
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
		score := selection.Match{TermMatches: matches, TotalWords: words}.Score()
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
	if got := (selection.Match{}).Score().String(); got != "0.0" {
		t.Errorf("got %s, want 0.0", got)
	}
}

func TestTokensAreAQuarterOfTheBytesRoundedUp(t *testing.T) {
	for size, want := range map[int]uint64{0: 0, 1: 1, 4: 1, 5: 2, 8: 2, 1<<31 - 1: 1 << 29} {
		if got := selection.TokensOf(size); got != want {
			t.Errorf("%d bytes: got %d, want %d", size, got, want)
		}
	}
}

func TestQueriesThatCannotBeAreInvalid(t *testing.T) {
	for _, text := range []string{"\xff", "a\xc3", "\xed\xa0\x80", strings.Repeat("a", selection.MaxQuerySize+1)} {
		_, err := selection.ParseQuery(text)
		if err == nil || fault.CodeOf(err) != fault.InvalidQuery {
			t.Errorf("%.10q: got %v, want invalid_query", text, err)
		}
	}
	for _, text := range []string{"", " \t\n", "\x00", strings.Repeat("a", selection.MaxQuerySize)} {
		if _, err := selection.ParseQuery(text); err != nil {
			t.Errorf("%.10q: %v", text, err)
		}
	}
}

func TestTermsAreTheLowerCasedWordsOfTheQuery(t *testing.T) {
	q, err := selection.ParseQuery("  How\u00a0TO\u2028install? HOW ΟΔΟΣ\x1c ")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"how", "to", "install?", "how", "οδος\x1c"}
	if !slices.Equal(q.Terms(), want) {
		t.Errorf("got %q, want %q", q.Terms(), want)
	}
}

func TestAWordCountsOnceHoweverOftenTheQueryRepeatsIt(t *testing.T) {
	q, err := selection.ParseQuery("a A a b")
	if err != nil {
		t.Fatal(err)
	}
	got := q.Match([]byte("A b c a"))
	if want := (selection.Match{TermMatches: 3, TotalWords: 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A page is a document to select from: its words, how many of them match, and its
// tokens.
type page struct{ words, matches, tokens uint32 }

// choose returns the positions that a budget selects, in order.
func choose(pages []page, budget uint64) (positions []int, totals selection.Totals) {
	var documents selection.Documents
	var hits []selection.WordHit
	for i, p := range pages {
		documents.Words = append(documents.Words, p.words)
		documents.Sizes = append(documents.Sizes, 4*p.tokens)
		if p.matches > 0 {
			hits = append(hits, selection.WordHit{Position: uint32(i), Matches: p.matches})
		}
	}
	picks, totals := selection.Select(documents, hits, budget)
	for _, p := range picks {
		positions = append(positions, p.Position)
	}
	return positions, totals
}

func TestSelectFillsTheBudgetInOrder(t *testing.T) {
	const a, b, big, empty, zero = 0, 1, 2, 3, 4
	pages := []page{a: {100, 50, 2}, b: {100, 50, 2}, big: {100, 90, 8}, empty: {100, 0, 0}, zero: {100, 0, 1}}
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
		got, totals := choose(pages, tc.budget)
		want := selection.Totals{Budget: tc.budget, TokensUsed: tc.used, Considered: 5, Selected: len(tc.want), Excluded: 5 - len(tc.want)}
		if !slices.Equal(got, tc.want) || totals != want {
			t.Errorf("budget %d: got %v, %+v, want %v, %+v", tc.budget, got, totals, tc.want, want)
		}
	}
}

// 2094/4097 and 2117/4142 differ, but not as float32.
func TestScoresThatAreEqualAsFloat32AreTies(t *testing.T) {
	pages := []page{{4097, 2094, 1}, {4142, 2117, 1}}
	for range 2 {
		if got, _ := choose(pages, 2); !slices.Equal(got, []int{0, 1}) {
			t.Errorf("got %v, want the first position first", got)
		}
		slices.Reverse(pages)
	}
}

// The contract in its plainest form: sort all documents, try one after the other.
func TestSelectDoesWhatSortingAllDocumentsDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) page {
			words := rapid.Uint32Range(0, 4).Draw(t, "words")
			return page{words, rapid.Uint32Range(0, words).Draw(t, "matches"), rapid.Uint32Range(0, 4).Draw(t, "tokens")}
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
		got, totals := choose(pages, budget)
		if !slices.Equal(got, want) || totals.TokensUsed != budget-left || totals.Excluded != len(pages)-len(want) {
			t.Errorf("got %v, %+v, want %v", got, totals, want)
		}
	})
}
