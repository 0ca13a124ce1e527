package analysis_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

// marked returns a text with brackets around the words matching a term of a query.
func marked(a *analysis.Analyzer, text, query string) string {
	var b strings.Builder
	end := 0
	for _, at := range a.Find([]byte(text), wantedBy(a, query)) {
		b.WriteString(text[end:at[0]] + "[" + text[at[0]:at[1]] + "]")
		end = at[1]
	}
	return b.String() + text[end:]
}

func wantedBy(a *analysis.Analyzer, query string) func(term []byte) bool {
	terms := termsOf(a, query)
	for i, term := range terms {
		terms[i] = strings.TrimLeft(term, "=-")
	}
	return func(term []byte) bool { return slices.Contains(terms, string(term)) }
}

func TestFindMatchesWordsByTheirTerms(t *testing.T) {
	a := analysis.New()
	for _, tc := range []struct{ query, want string }{
		{"install", "[Installing] it: `./[install].sh`, un-[installed]!"},
		{"max token", "set [max]_[tokens], [maxTokens] or [max]-[token]."},
		{"maxtokens", "set [max_tokens], not tokens of max"},
		{"cafe", "the [café] and [Cafés], (decaf)"},
		{"naïve résumé", "a [naive] [resume]"},
		{"don", "[don]’t and [don]'t"},
		{"日本語", "これは[日本語]です、日曜本"},
		{"설치", "패키지 [설치]하기"},
		{"API", "[API]を呼ぶ ＡＢ [ＡＰＩ]"},
		{"nothing", "here is no match 日本"},
		{"", "nothing at all"},
	} {
		text := strings.NewReplacer("[", "", "]", "").Replace(tc.want)
		if got := marked(a, text, tc.query); got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.query, got, tc.want)
		}
	}
}

// Find finds something exactly in the texts with a wanted term. Its matches are in order, do
// not touch, and are whole characters.
func TestFindAgreesWithTheTerms(t *testing.T) {
	a := analysis.New()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		isWanted := wantedBy(a, drawText(t))
		has := slices.ContainsFunc(termsOf(a, text), func(term string) bool { return isWanted([]byte(strings.TrimLeft(term, "=-"))) })
		found := a.Find([]byte(text), isWanted)
		if has != (len(found) > 0) {
			t.Fatalf("got %v, but terms wanted: %t", found, has)
		}
		end := -1
		for _, at := range found {
			if at[0] <= end || at[0] >= at[1] || at[1] > len(text) {
				t.Fatalf("got %v", found)
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[at[0]:at[1]]) {
				t.Fatalf("%v cuts a character of %q", at, text)
			}
			end = at[1]
		}
	})
}
