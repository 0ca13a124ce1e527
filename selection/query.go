// Package selection declares what callers say to caches and hear from them: queries, requests,
// filters and explanations. Start with [ParseQuery], because every request needs a query.
//
// It is pure. Package resolve opens caches and answers requests.
package selection

import (
	"unicode/utf8"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/words"
)

// MaxQuerySize is the size limit of a query in bytes.
const MaxQuerySize = 1 << 20

// A Query is the text of a question and its terms. The zero Query is empty. It is safe for
// concurrent use.
type Query struct {
	text  string
	terms []string
}

// ParseQuery splits text into terms. It fails with [fault.InvalidQuery] if text is not UTF-8
// or longer than [MaxQuerySize]. An empty query is valid, although every document then
// scores 0.
func ParseQuery(text string) (Query, error) {
	if len(text) > MaxQuerySize {
		return Query{}, fault.Errorf(fault.InvalidQuery, "the query is too long: got %d bytes, expected at most %d", len(text), MaxQuerySize)
	}
	if !utf8.ValidString(text) {
		return Query{}, fault.Errorf(fault.InvalidQuery, "the query is not UTF-8: convert it, or check the locale of the terminal")
	}
	return Query{text, words.Split(words.Lower(text))}, nil
}

// Text returns the text as ParseQuery got it.
func (q Query) Text() string { return q.text }

// Terms returns the words of the query in their order and in lower case.
func (q Query) Terms() []string { return q.terms }
