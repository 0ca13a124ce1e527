package selection

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/contextcompiler/context/fault"
)

// A Request is a question to a cache.
type Request struct {
	Query     Query
	Budget    uint64 // tokens
	Selection Spec   // "" means the selection for which the cache was built
	Unit      Unit   // zero means the usual unit of the selection
	Filter    Filter // zero allows all pages
	MinScore  uint32 // minimum score of an item, relative to the best score, in units of 1/One
	Pretty    bool   // JSON with an indent of two spaces instead of compact JSON
	Jobs      int    // documents in flight at once, at most 8; 0 means one per CPU

	// Discardable promises that the caller discards the output if Resolve fails. Then
	// Resolve can write a document before it checks the next one, so it reads each
	// document only once and keeps none in memory.
	Discardable bool
}

// Check fails with [fault.InvalidQuery] unless the selection and the unit are known.
func (r Request) Check() error {
	if err := r.Selection.Check(); err != nil {
		return fault.Errorf(fault.InvalidQuery, "%w", err)
	}
	if r.Unit < AnyUnit || r.Unit > Sections {
		return fault.Errorf(fault.InvalidQuery, "unknown unit %d: expected %d to %d", r.Unit, AnyUnit, Sections)
	}
	return nil
}

// A Unit is the kind of item in an answer.
type Unit int

// The units. Selection 0 selects only documents.
const (
	AnyUnit   Unit = iota // sections by selection 1, documents by selection 0
	Documents             // whole documents
	Sections              // parts of documents
)

// ErrUnit is the error of a request for sections by selection 0.
var ErrUnit = errors.New("selection 0 selects documents, not sections")

// A Filter restricts an answer to some pages. Scores stay the same, because they use the
// statistics of the whole cache. The zero Filter allows all pages.
type Filter struct {
	// Paths are patterns for page IDs, in the syntax of .gitignore. The last pattern to
	// match a page, or a directory above it, decides: it allows the page or, if it begins
	// with "!", excludes it. A page without a match is allowed only if all patterns begin
	// with "!".
	Paths []string

	// Where lists fields of front matter, such as "topic=guide". A page must contain all
	// of them; any element of a list matches. Case doesn't matter.
	Where []string
}

// One is the MinScore that keeps only items with the best score.
const One = 1_000_000

// A Spec is the number of the rules for an answer (docs/selection.md). The zero Spec leaves
// the choice to the cache.
type Spec string

// The specs.
const (
	Spec0 Spec = "0" // pages, by the share of words that match
	Spec1 Spec = "1" // sections, by BM25F
)

// SpecOf returns the Spec with that number. Call Check if it may be unknown.
func SpecOf(number int) Spec { return Spec(strconv.Itoa(number)) }

// Check fails unless s is a known Spec or zero.
func (s Spec) Check() error {
	switch s {
	case "", Spec0, Spec1:
		return nil
	}
	return fmt.Errorf("unknown selection %q: expected 0 or 1", string(s))
}

// Number returns the number of the Spec, and 0 for the zero Spec.
func (s Spec) Number() int {
	n, _ := strconv.Atoi(string(s))
	return n
}

// bytesPerToken is the number of bytes of content that count as one token.
const bytesPerToken = 4

// TokensOf returns the number of tokens for size bytes of text, rounded up.
func TokensOf(size int) uint64 {
	return (uint64(size) + bytesPerToken - 1) / bytesPerToken
}

// Totals sum up a selection.
type Totals struct {
	Budget     uint64 `json:"budget"` // tokens
	TokensUsed uint64 `json:"tokens_used"`
	Considered int    `json:"documents_considered"` // items that the filter allows
	Selected   int    `json:"documents_selected"`
	Excluded   int    `json:"documents_excluded_by_budget"`
}
