package ranking

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/selection"
)

func weightOf(t *testing.T, text string) uint64 {
	t.Helper()
	q, err := selection.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return ParseQuery(q).Terms[0].Weight
}

// A query of 40 words is a question, but 41 words are a text. Stop words count as words.
func TestALongQueryCountsAWordAsOftenAsItHasIt(t *testing.T) {
	for _, tc := range []struct {
		text string
		want uint64
	}{
		{"cache caches cache", one},
		{"cache cache cache" + strings.Repeat(" the", 37), one},
		{"cache caches cache" + strings.Repeat(" the", 38), 3 * one},
		{"maxTokens" + strings.Repeat(" the", 37) + " max", one},
		{"maxTokens" + strings.Repeat(" the", 38) + " max", 2 * one},
	} {
		if got := weightOf(t, tc.text); got != tc.want {
			t.Errorf("%.30s: got %d, want %d", tc.text, got, tc.want)
		}
	}
}

func TestUseIsWorthLess(t *testing.T) {
	for text, want := range map[string]uint64{"use tokens": one / 4, "using tokens": one / 4, "Used": one / 4, "user tokens": one, "reuse": one} {
		if got := weightOf(t, text); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

func TestTextsOfAQueryStandOnce(t *testing.T) {
	q := TermQuery{Terms: []Term{{Text: "instal"}, {Text: "instll", Near: []string{"instal", "install"}}, {Text: "install"}}}
	if got, want := q.Texts(), []string{"instal", "instll", "install"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
