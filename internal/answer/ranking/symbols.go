package ranking

import (
	"iter"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

// IsSymbol reports whether a term of a query is a symbol of code.
func IsSymbol(term string) bool { return analysis.IsSymbol(term) }

// HasWord reports whether a symbol contains a word of more than a single letter, so words
// find it, too.
func HasWord(symbol string) bool { return analysis.HasWord(symbol) }

// QueryFields returns the fields of a query in order, with the code in them.
func QueryFields(query string) iter.Seq[analysis.QueryField] {
	return analysis.QueryFields([]byte(query))
}

// TypedSymbols returns the symbols of a query as the user typed them, by their terms.
func TypedSymbols(query string) map[string]string {
	typed := map[string]string{}
	for _, s := range analysis.QuerySymbols([]byte(query)) {
		symbol := query[s.Start:s.End]
		typed[string(analysis.AppendSymbol(nil, []byte(symbol)))] = symbol
	}
	return typed
}
