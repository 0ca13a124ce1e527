package ranking

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

// A Spelling is a word as a text spells it, with the terms that find it.
type Spelling struct {
	Text  string
	Terms []string // at least one
}

// Bounds of a Spelling.
const (
	leastWord   = 3  // letters
	longestWord = 32 // bytes
)

// WordsIn returns the words of a text that a query could contain, so it skips stop words,
// numbers and code.
func WordsIn(text string) (words []Spelling) {
	analyzer := analyzers.Get().(*analysis.Analyzer)
	defer analyzers.Put(analyzer)
	var found analysis.Terms
	for field := range strings.FieldsSeq(text) {
		word := Spelling{Text: strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })}
		if len(word.Text) > longestWord || !utf8.ValidString(word.Text) || strings.ContainsAny(word.Text, "\"'`=<>(){}[]|,;:") || lettersIn(word.Text) < leastWord {
			continue
		}
		found.Reset()
		analyzer.Append(&found, []byte(word.Text))
		for i := range found.Len() {
			if term, kind := found.At(i); kind&analysis.Stop == 0 && !slices.Contains(word.Terms, string(term)) {
				word.Terms = append(word.Terms, string(term))
			}
		}
		if len(word.Terms) > 0 {
			words = append(words, word)
		}
	}
	return words
}

func lettersIn(word string) (n int) {
	for _, r := range word {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
