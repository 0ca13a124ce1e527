package selection

import (
	"io"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/wire"
)

// A ResultWriter writes the result of a selection as JSON, document by
// document, in the fields and the order that the contract fixes
// (docs/contract.md):
//
//	NewResultWriter → Document, Document … → Close
type ResultWriter struct {
	json      *wire.Encoder
	query     Query
	terms     []string
	termsJSON string // of terms, once a document is written
}

// An Item is a document, or a part of one, that was selected.
type Item struct {
	ID          document.ID
	Score       string // a number of JSON
	Tokens      uint64
	TermMatches int // words of the content that equal a term
	TotalWords  int
}

// NewResultWriter begins a result on out: two-space JSON if pretty is set,
// compact otherwise. The terms are those that the query was taken to have.
func NewResultWriter(out io.Writer, query Query, terms []string, pretty bool) *ResultWriter {
	r := &ResultWriter{json: new(wire.Encoder), query: query, terms: terms}
	if pretty {
		r.json = wire.Indented()
	}
	r.json.StreamTo(out)
	r.json.BeginObject()
	r.json.Key("documents")
	r.json.BeginArray()
	return r
}

// Document writes a document that was selected, and why. It returns the first
// error of the writer so far.
func (r *ResultWriter) Document(version document.Version, content []byte, item Item) error {
	e := r.json
	e.BeginObject()
	e.Key("id")
	e.String(string(item.ID))
	e.Key("version")
	e.String(version.String())
	e.Key("content")
	e.Text(content)
	e.Key("score")
	e.Literal(item.Score)
	e.Key("tokens")
	e.Uint(item.Tokens)
	e.Key("why")
	e.BeginObject()
	e.Key("query_terms")
	e.Literal(r.encodedTerms())
	e.Key("term_matches")
	e.Int(int64(item.TermMatches))
	e.Key("total_words")
	e.Int(int64(item.TotalWords))
	e.EndObject()
	e.EndObject()
	return e.Err()
}

// encodedTerms returns the terms as JSON. They stand in every document, and a
// query may have very many, so they are encoded once.
func (r *ResultWriter) encodedTerms() string {
	if r.termsJSON == "" {
		e := r.json.Inner()
		e.BeginArray()
		for _, term := range r.terms {
			e.String(term)
		}
		e.EndArray()
		r.termsJSON = string(e.Bytes())
	}
	return r.termsJSON
}

// Totals are what a result says of a selection as a whole.
type Totals struct {
	Budget     uint64 // tokens
	TokensUsed uint64
	Considered int // items that could be selected
	Selected   int
	Excluded   int // by the budget
}

// Close writes the totals, ends the result with a line feed, and returns the
// first error of the writer.
func (r *ResultWriter) Close(t Totals) error {
	e := r.json
	e.EndArray()
	e.Key("selection")
	e.BeginObject()
	e.Key("query")
	e.String(r.query.Text())
	e.Key("budget")
	e.Uint(t.Budget)
	e.Key("tokens_used")
	e.Uint(t.TokensUsed)
	e.Key("documents_considered")
	e.Int(int64(t.Considered))
	e.Key("documents_selected")
	e.Int(int64(t.Selected))
	e.Key("documents_excluded_by_budget")
	e.Int(int64(t.Excluded))
	e.EndObject()
	e.EndObject()
	e.Newline()
	return e.Close()
}
