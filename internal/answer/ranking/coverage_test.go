package ranking

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

// Worth analyzes texts line by line, which must not change their terms.
func TestTheTermsOfATextAreThoseOfItsLines(t *testing.T) {
	analyzer := analysis.New()
	termsOf := func(texts ...[]byte) (terms []string) {
		for _, text := range texts {
			var found analysis.Terms
			analyzer.Append(&found, text)
			for i := range found.Len() {
				term, kind := found.At(i)
				terms = append(terms, fmt.Sprint(string(term), kind))
			}
		}
		return terms
	}
	check := func(fail func(string, ...any), text string) {
		whole, parts := termsOf([]byte(text)), termsOf(slices.Collect(linesOf([]byte(text)))...)
		if !slices.Equal(parts, whole) {
			fail("%q: got %q line by line, want %q", text, parts, whole)
		}
	}
	check(t.Errorf, "1-B\u2028\n \u0627\u00e9") // U+2028 is white space, and decides how 1-B is split
	texts := rapid.StringOf(rapid.RuneFrom([]rune("aB1-._ \t\r\n\u2028\u00a0\u00e9\u0627\u4e2d\u7684")))
	rapid.Check(t, func(t *rapid.T) { check(t.Errorf, texts.Draw(t, "text")) })
}
