package agent

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSymbolsThatAreNoTermsAreNamedAsNotSearched(t *testing.T) {
	for query, want := range map[string][]string{
		"regex [^a] or .*":                   {"[^a]"},
		"a {% or <{> in Jinja":               {"{%", "<{>"},
		"{% {% {%":                           {"{%"},
		"-- --":                              {"--"},
		"…":                                  {"…"},
		"$_ ??= 2>&1 C++ @{}":                nil,
		"the ? operator in x":                nil,
		"--dry-run":                          nil,
		"words {%, and {% again":             {"{%"},
		"foo::bar(), x.y() and f(x)":         nil,
		"* an item\n# a heading\n- [x] done": nil,
		strings.Repeat("$", 100) + " word":   nil,
	} {
		if got, err := unsearched(t.Context(), query); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", query, got, err, want)
		}
	}
}

// Whatever punctuation stands around and between words of prose, words find it.
func TestProseIsSearchedAsWritten(t *testing.T) {
	word := rapid.StringMatching(`[A-Za-z]{2,8}([-/'.,:_][A-Za-z]{2,8})?`)
	around := rapid.SampledFrom([]string{"%", "\"%\"", "(%)", "[%]", "“%”", "`%`", "*%*", "%,", "%.", "%?", "%!", "%;", "%:", "(%", "%)", "--%", "%()"})
	between := rapid.SampledFrom([]string{" ", " ", " ", ", ", " - ", " – ", " & ", " / ", " -> ", " + ", "... ", " ? ", "\n* ", "\n- "})
	rapid.Check(t, func(t *rapid.T) {
		query := ""
		for range rapid.IntRange(1, 8).Draw(t, "words") {
			query += strings.Replace(around.Draw(t, "around"), "%", word.Draw(t, "word"), 1) + between.Draw(t, "between")
		}
		if got, err := unsearched(t.Context(), query); err != nil || len(got) > 0 {
			t.Errorf("%q: got %q, %v, want nothing", query, got, err)
		}
	})
}

// If search ignores the whole query, the answer mentions each of its parts.
func TestAQueryWithoutTermsIsNamedAsNotSearched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query := rapid.StringMatching(`[!-/:-@\[-^{-~ ]{1,12}`).Draw(t, "query")
		got, err := unsearched(t.Context(), query)
		if err != nil || len(strings.Fields(query)) > 0 && len(got) == 0 && len(termsIn(query)) == 0 {
			t.Errorf("%q: got %q, %v, want its parts", query, got, err)
		}
		for _, part := range got {
			if !strings.Contains(query, part) {
				t.Errorf("%q: %q is no part of it", query, part)
			}
		}
	})
}
