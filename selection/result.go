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
	json  *wire.Encoder
	query Query
}

// NewResultWriter begins a result on out: two-space JSON if pretty is set,
// compact otherwise.
func NewResultWriter(out io.Writer, query Query, pretty bool) *ResultWriter {
	r := &ResultWriter{new(wire.Encoder), query}
	if pretty {
		r.json = wire.Indented()
	}
	r.json.StreamTo(out)
	r.json.BeginObject()
	r.json.Key("documents")
	r.json.BeginArray()
	return r
}

// Document writes a document that was selected, and why.
func (r *ResultWriter) Document(version document.Version, content []byte, c Candidate) {
	e := r.json
	e.BeginObject()
	e.Key("id")
	e.String(string(c.ID))
	e.Key("version")
	e.String(version.String())
	e.Key("content")
	e.Text(content)
	e.Key("score")
	e.Literal(c.Match.Score().String())
	e.Key("tokens")
	e.Uint(c.Tokens)
	e.Key("why")
	e.BeginObject()
	e.Key("query_terms")
	e.BeginArray()
	for _, term := range r.query.Terms() {
		e.String(term)
	}
	e.EndArray()
	e.Key("term_matches")
	e.Int(int64(c.Match.TermMatches))
	e.Key("total_words")
	e.Int(int64(c.Match.TotalWords))
	e.EndObject()
	e.EndObject()
}

// Close writes what there is to say of the selection as a whole, ends the
// result with a line feed, and returns the first error of the writer.
func (r *ResultWriter) Close(budget uint64, s Selection) error {
	e := r.json
	e.EndArray()
	e.Key("selection")
	e.BeginObject()
	e.Key("query")
	e.String(r.query.Text())
	e.Key("budget")
	e.Uint(budget)
	e.Key("tokens_used")
	e.Uint(s.TokensUsed)
	e.Key("documents_considered")
	e.Int(int64(s.Considered))
	e.Key("documents_selected")
	e.Int(int64(len(s.Chosen)))
	e.Key("documents_excluded_by_budget")
	e.Int(int64(s.Excluded))
	e.EndObject()
	e.EndObject()
	e.Newline()
	return e.Close()
}
