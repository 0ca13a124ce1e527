package ranking

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

// Finder returns a function that finds the words and symbols of a text that match a term
// of the query. Its result looks like that of [analysis.Analyzer.Find].
func (q TermQuery) Finder() func(text []byte) [][]int {
	wanted, hasSymbols := q.numbersByWord(), q.hasSymbols()
	return func(text []byte) [][]int {
		analyzer := analyzers.Get().(*analysis.Analyzer)
		defer analyzers.Put(analyzer)
		isWanted := func(term []byte) bool { return wanted[string(term)] != nil }
		found := analyzer.Find(text, isWanted)
		if hasSymbols {
			found = joined(append(found, symbolsIn(text, isWanted)...))
		}
		return found
	}
}

func symbolsIn(text []byte, isWanted func(term []byte) bool) (found [][]int) {
	analysis.EachSymbol(text, analysis.Heading, func(s analysis.Symbol) {
		if isWanted(analysis.AppendSymbol(nil, text[s.Start:s.End])) {
			found = append(found, []int{s.Start, s.End})
		}
	})
	return found
}

// joined returns the matches in order, and joins touching matches.
func joined(matches [][]int) (all [][]int) {
	slices.SortFunc(matches, slices.Compare)
	for _, m := range matches {
		if last := len(all) - 1; last >= 0 && m[0] <= all[last][1] {
			all[last][1] = max(all[last][1], m[1])
		} else {
			all = append(all, m)
		}
	}
	return all
}

// IsSymbol reports whether a term of a query is a symbol of code.
func IsSymbol(term string) bool { return analysis.IsSymbol(term) }

// HasWord reports whether a symbol contains a word of more than a single letter, so words
// find it, too.
func HasWord(symbol string) bool { return analysis.HasWord(symbol) }

// QueryFields returns the fields of a query in order, with the code in them.
func QueryFields(query string) iter.Seq[analysis.QueryField] {
	return analysis.QueryFields([]byte(query))
}

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
