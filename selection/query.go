// Package selection decides which documents answer a query within a budget, by the
// rules of selection 0. It is pure: package resolve reads documents and writes results.
// Start with [ParseQuery], which every request needs.
//
//	ParseQuery → Query.Match, once a document → Select
//
// The same documents, query and budget give the same selection. Scores are compared
// as the bits of one float32 quotient. Ties are broken by ID, so no two documents
// are equal.
package selection

import (
	"unicode/utf8"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/words"
)

// MaxQuerySize is the most bytes that a query may have.
const MaxQuerySize = 1 << 20

// A Query is the text of a question and its terms. The zero Query is empty. Safe for
// concurrent use.
type Query struct {
	text  string
	terms []string
	set   *words.TermSet
}

// ParseQuery splits text into terms. It fails with [fault.InvalidQuery] if
// text is not UTF-8 or longer than [MaxQuerySize]. An empty query is valid:
// every document scores 0.
func ParseQuery(text string) (Query, error) {
	if len(text) > MaxQuerySize {
		return Query{}, fault.Errorf(fault.InvalidQuery, "the query has %d bytes: at most %d are allowed", len(text), MaxQuerySize)
	}
	if !utf8.ValidString(text) {
		return Query{}, fault.Errorf(fault.InvalidQuery, "the query is not UTF-8: convert it, or check the locale of the terminal")
	}
	terms := words.Split(words.Lower(text))
	return Query{text, terms, words.TermSetOf(terms)}, nil
}

// Text returns the text that ParseQuery took.
func (q Query) Text() string { return q.text }

// Terms returns the words of the query, lower-cased, in its order.
func (q Query) Terms() []string { return q.terms }

var noTerms = words.TermSetOf(nil)

// Match counts the words of content, and the words that equal a term of the query. A
// word counts once, even if the query repeats the term.
func (q Query) Match(content []byte) Match {
	set := q.set
	if set == nil {
		set = noTerms
	}
	matches, total := set.Count(content)
	return Match{TermMatches: matches, TotalWords: total}
}

// A Match says how well a content answers a query.
type Match struct {
	TermMatches int // words that equal a term
	TotalWords  int // white-space separated words
}
