package selection

import "errors"

// A Request is a question to a cache.
type Request struct {
	Query     Query
	Budget    uint64 // tokens
	Selection Spec   // "" means the selection that the cache was built for
	Unit      Unit   // zero means the usual unit of the selection
	Filter    Filter // pages that may be chosen; zero allows all
	MinScore  uint32 // least score of an item, as a share of the best score in units of 1/One
	Pretty    bool   // two-space JSON instead of compact
	Jobs      int    // documents in flight at once, at most 8; 0 means one per processor

	// Discardable says that the caller throws away the output if Resolve fails.
	// Then Resolve may write a document before it checks the next one, so it reads
	// each once and keeps none.
	Discardable bool
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

// A Filter says which pages of a cache may be chosen. It changes no score: scores use
// the statistics of the whole cache. The zero Filter allows all pages.
type Filter struct {
	// Paths are patterns for page IDs, in the syntax of .gitignore. The last one that
	// matches a page, or one of its directories, decides: it allows the page, or keeps
	// it out if it begins with "!". If none matches, the page is allowed only if all
	// patterns begin with "!".
	Paths []string

	// Where are fields of front matter, such as "topic=guide". A page must have all of
	// them; of a list, one element suffices. Case does not matter.
	Where []string
}

// One is the MinScore that keeps only items with the best score.
const One = 1_000_000
