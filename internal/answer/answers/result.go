package answers

import (
	"io"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/selection"
)

// A resultWriter writes the result of a selection as JSON, document by document. The
// contract defines the fields and their order (docs/contract.md):
//
//	newResultWriter → document, document … → close
type resultWriter struct {
	json  *wire.Encoder
	query selection.Query
	terms *termList
}

// newResultWriter begins a result on out. The JSON is indented by two spaces if pretty is
// set, and compact otherwise. terms are the terms of the query.
func newResultWriter(out io.Writer, query selection.Query, terms []string, pretty bool) *resultWriter {
	r := &resultWriter{json: new(wire.Encoder), query: query, terms: &termList{terms: terms}}
	if pretty {
		r.json = wire.Indented()
	}
	r.json.StreamTo(out)
	r.json.BeginObject()
	r.json.Key("documents")
	r.json.BeginArray()
	return r
}

// document writes a selected document and its scores. It returns the first error of the
// writer so far.
func (r *resultWriter) document(of resultDocument) error {
	of.Why.QueryTerms = r.terms
	r.json.Value(of)
	return r.json.Err()
}

// A resultDocument is a document in a result.
type resultDocument struct {
	ID      document.ID      `json:"id"`
	Version document.Version `json:"version"`
	Content []byte           `json:"content"`
	Score   string           `json:"score" wire:"literal"`
	Tokens  uint64           `json:"tokens"`
	Why     reason           `json:"why"`
}

type reason struct {
	QueryTerms  *termList `json:"query_terms"`
	TermMatches int       `json:"term_matches"` // words of the content that equal a term
	TotalWords  int       `json:"total_words"`
}

// A termList is a list of terms. It is encoded only once, because each document of a
// result contains it and a query can consist of very many terms.
type termList struct {
	terms   []string
	encoded string // "" before the first use
}

// Encode writes the list. It must be called at the same depth each time.
func (l *termList) Encode(e *wire.Encoder) {
	if l.encoded == "" {
		inner := e.Inner()
		inner.Value(l.terms)
		l.encoded = string(inner.Bytes())
	}
	e.Literal(l.encoded)
}

// resultSelection is the end of a result.
type resultSelection struct {
	Query string `json:"query"`
	selection.Totals
}

// close writes the totals, ends the result with a line feed, and returns the
// first error of the writer.
func (r *resultWriter) close(t selection.Totals) error {
	e := r.json
	e.EndArray()
	e.Key("selection")
	e.Value(resultSelection{r.query.Text(), t})
	e.EndObject()
	e.Newline()
	return e.Close()
}
