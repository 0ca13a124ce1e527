package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

func TestAMatchIsWeakIfItLacksMostOfTheQuery(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"docs": {
		"oven.md":  "# Oven\n\nThe oven bakes bread at 250 degrees. Its door stays closed.\n",
		"floor.md": "# Floor\n\nA floor of stone keeps warm.\n\n## Cleaning\n\nSweep it with a brush.\n",
	}})
	for _, tc := range []struct {
		query string
		lacks []string // nil if the match is not weak
	}{
		{"oven", nil},
		{"bakes bread at how many degrees", nil},
		{"stone floor", nil},
		{"cleaning the floor", nil}, // the title of the page counts
		{"sourdough pizza bread in Naples", []string{"sourdough", "pizza", "Naples"}},
		{"warm welcome, dear customer!", []string{"welcome", "dear", "customer"}},
		{"max-oven-speed of rockets, engines and wheels", []string{"rockets", "engines", "wheels"}},
		{"nothing at all?", nil}, // and no match
	} {
		query, err := selection.ParseQuery(tc.query)
		if err != nil {
			t.Fatal(err)
		}
		ranked, err := set.Rank(t.Context(), resolve.Request{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		got, err := newLibrary(set).confidenceOf(t.Context(), tc.query, ranked)
		if err != nil || got.isWeak() != (tc.lacks != nil) || !slices.Equal(got.lacks, tc.lacks) {
			t.Errorf("%s: got %d, %q, %v, want %q", tc.query, got.covered, got.lacks, err, tc.lacks)
		}
	}
}

func TestAWeakMatchNamesAFewWords(t *testing.T) {
	for _, tc := range []struct {
		lacks []string
		want  string
	}{
		{nil, "weak match"},
		{[]string{"pizza", "Naples"}, "weak match: the best section lacks \"pizza\", \"Naples\""},
		{strings.Fields("1 2 3 4 5 6 7 8 9"), "weak match: the best section lacks \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", 1 other word"},
	} {
		if got := (confidence{weakCoverage - 1, tc.lacks}).note(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}
