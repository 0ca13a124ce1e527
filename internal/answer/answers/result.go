package answers

import (
	"io"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/selection"
)

// writeResult writes the result of a selection as JSON, document by document. The contract defines
// the fields and their order (docs/contract.md). It stops at the first error of out or of next,
// which returns each of the count documents.
func writeResult(out io.Writer, request selection.Request, terms []string, totals selection.Totals, count int, next func(i int) (resultDocument, error)) error {
	e, queryTerms := new(wire.Encoder), &termList{terms: terms}
	if request.Pretty {
		e = wire.Indented()
	}
	e.StreamTo(out)
	e.BeginObject()
	e.Key("documents")
	e.BeginArray()
	for i := range count {
		document, err := next(i)
		if err != nil {
			return err
		}
		document.Why.QueryTerms = queryTerms
		e.Value(document)
		if err := e.Err(); err != nil {
			return writeError(err)
		}
	}
	e.EndArray()
	e.Key("selection")
	e.Value(resultSelection{request.Query.Text(), totals})
	e.EndObject()
	e.Newline()
	return writeError(e.Close())
}

// writeError gives an error of the output its code. A nil err stays nil.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	return fault.Errorf(fault.IO, "write the result: %w", err)
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
