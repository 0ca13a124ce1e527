package selection_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/selection"
)

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
