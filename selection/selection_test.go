package selection_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
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

// candidate returns a candidate that has matches of 100 words.
func candidate(id document.ID, matches int, tokens uint64) selection.Candidate {
	return selection.Candidate{ID: id, Tokens: tokens, Match: selection.Match{TermMatches: matches, TotalWords: 100}}
}

// chosenIDs returns the IDs that a budget selects, in order.
func chosenIDs(candidates []selection.Candidate, budget uint64) (ids []document.ID, s selection.Selection) {
	s = selection.Select(candidates, budget)
	for _, position := range s.Chosen {
		ids = append(ids, candidates[position].ID)
	}
	return ids, s
}

func TestSelectFillsTheBudgetInOrder(t *testing.T) {
	candidates := []selection.Candidate{
		candidate("zero", 0, 1), candidate("big", 90, 8), candidate("b", 50, 2), candidate("a", 50, 2),
		candidate("empty", 0, 0),
	}
	for _, tc := range []struct {
		budget uint64
		want   []document.ID
		used   uint64
	}{
		{0, nil, 0},
		{1, []document.ID{"empty", "zero"}, 1},
		{3, []document.ID{"a", "empty", "zero"}, 3},
		{8, []document.ID{"big", "empty"}, 8},
		{10, []document.ID{"big", "a", "empty"}, 10},
		{13, []document.ID{"big", "a", "b", "empty", "zero"}, 13},
		{1<<64 - 1, []document.ID{"big", "a", "b", "empty", "zero"}, 13},
	} {
		got, s := chosenIDs(candidates, tc.budget)
		if !slices.Equal(got, tc.want) || s.TokensUsed != tc.used {
			t.Errorf("budget %d: got %q with %d tokens, want %q with %d", tc.budget, got, s.TokensUsed, tc.want, tc.used)
		}
		if s.Considered != 5 || s.Excluded != 5-len(tc.want) {
			t.Errorf("budget %d: got %d considered, %d excluded", tc.budget, s.Considered, s.Excluded)
		}
	}
}

// 2094/4097 and 2117/4142 differ, but not as float32.
func TestScoresThatAreEqualAsFloat32AreTies(t *testing.T) {
	candidates := []selection.Candidate{
		{ID: "b", Match: selection.Match{TermMatches: 2094, TotalWords: 4097}},
		{ID: "a", Match: selection.Match{TermMatches: 2117, TotalWords: 4142}},
	}
	for range 2 {
		if got, _ := chosenIDs(candidates, 1); !slices.Equal(got, []document.ID{"a", "b"}) {
			t.Errorf("got %q, want a before b", got)
		}
		slices.Reverse(candidates)
	}
}

func TestTheOrderOfCandidatesChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var candidates []selection.Candidate
	for i := range 200 {
		candidates = append(candidates, candidate(document.ID(fmt.Sprint(i)), random.IntN(5), random.Uint64N(10)))
	}
	want, _ := chosenIDs(candidates, 300)
	if len(want) == 0 || len(want) == len(candidates) {
		t.Fatalf("%d of %d chosen: the budget cuts nothing", len(want), len(candidates))
	}
	for range 20 {
		random.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
		if got, _ := chosenIDs(candidates, 300); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}
