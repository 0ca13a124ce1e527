package agent

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSymbolsOfCodeAreNamedAsNotSearched(t *testing.T) {
	for query, want := range map[string][]string{
		"redirect with 2>&1":                  {"2>&1"},
		"what does $_ mean?":                  {"$_"},
		"what is `$_`?":                       {"$_"},
		"what is $_?":                         {"$_"},
		"the meaning of $?":                   {"$?"},
		"the meaning of $? here":              {"$?"},
		"??= operator":                        {"??="},
		"what does ?? do":                     {"??"},
		"an empty @{}":                        {"@{}"},
		"call by C++, not C":                  {"C++"},
		"C# or F# (or C++)?":                  {"C#", "F#", "C++"},
		"(a->b) and i++.":                     {"a->b", "i++"},
		"&& and || and && in bash":            {"&&", "||"},
		"regex [^a] or .*":                    {"[^a]", ".*"},
		"$ ls | grep x > out":                 nil,
		"-- --":                               {"--"},
		"$_ ??=":                              {"$_", "??="},
		"…":                                   {"…"},
		"--dry-run":                           nil,
		"how do I use `--dry-run` and -f?":    nil,
		"$HOME, @property, .env, Vec<T>, a.b": nil,
		"foo::bar(), x.y() and f(x)":          nil,
		"Don't \"quote\" (or bracket) words [here], e.g. R&D; A/B - tests: yes!": nil,
		"what ?":                                  nil,
		"really ??":                               nil,
		"quoi ? vraiment !":                       nil,
		"costs $5, ~30%, >=100, #12 or 5k+":       nil,
		"1,000 at 3:30 (24/7), 1.5x.":             nil,
		"settings -> users > roles":               nil,
		"* an item\n# a heading\n---\n- [x] done": nil,
		"**bold** and *it* — “so” … «là»":         nil,
		"日本語「検索」。":                                nil,
		"C:\\ or U.S. or user@x":                  nil,
		strings.Repeat("$", 100) + " word":        nil,
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

// A query always gets an answer for each of its parts: found, missing, or not searched.
func TestAQueryWithoutTermsIsNamedAsNotSearched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query := rapid.StringMatching(`[!-/:-@\[-^{-~ ]{1,12}`).Draw(t, "query")
		got, err := unsearched(t.Context(), query)
		if err != nil || len(strings.Fields(query)) > 0 && len(got) == 0 {
			t.Errorf("%q: got %q, %v, want its parts", query, got, err)
		}
		for _, part := range got {
			if !strings.Contains(query, part) {
				t.Errorf("%q: %q is no part of it", query, part)
			}
		}
	})
}
