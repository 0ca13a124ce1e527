package selection

import "github.com/contextcompiler/context/document"

// An Explanation says how a request is answered, and why each item is chosen or left out.
type Explanation struct {
	Selection  Spec
	Unit       Unit
	TokensUsed uint64
	Considered int             // items that the filter allows
	Matching   int             // considered items with a term of the query
	Terms      []ExplainedTerm // none for selection 0
	Confidence *Confidence     // nil for selection 0
	Items      []ExplainedItem // the chosen items and the best of the others, by score
}

// An ExplainedTerm is a term of a query by the rules of selection 1.
type ExplainedTerm struct {
	Text     string   `json:"term"`
	Near     []string `json:"near,omitzero"`        // similar words that are used instead if no section contains the term
	Sections int      `json:"sections"`             // number of sections with the term or such a word, for any unit
	MaxScore string   `json:"worth" wire:"literal"` // upper bound for what it adds to a score, as a JSON number
}

// An ExplainedItem is a document or a section, and the verdict on it.
type ExplainedItem struct {
	Rank        int         `json:"rank"` // 1 for the best
	ID          document.ID `json:"id"`
	Verdict     Verdict     `json:"verdict"`
	DuplicateOf document.ID `json:"duplicate_of,omitzero"`
	Score       string      `json:"score" wire:"literal"` // a JSON number
	Tokens      uint64      `json:"tokens"`
	Evidence    []Evidence  `json:"evidence"`
}

// A Verdict is the decision on an item.
type Verdict string

// The verdicts.
const (
	Chosen    Verdict = "chosen"
	Duplicate Verdict = "duplicate" // or near-duplicate of a chosen item
	TooLarge  Verdict = "too large" // for what is left of the budget
	NotTried  Verdict = "not tried" // because the budget was full, or too many items in a row were too large
)

// Evidence is a part of a score, with where it was found.
type Evidence struct {
	Kind    string   `json:"kind,omitzero"` // "" for a single term or two adjacent terms
	Terms   []string `json:"terms"`
	Adds    string   `json:"adds,omitzero" wire:"literal"` // a JSON number; "" for selection 0
	Body    int      `json:"body"`                         // occurrences in the item
	Heading bool     `json:"heading"`                      // whether a heading contains it
	Path    bool     `json:"path"`                         // whether the document's ID contains it
}

// The kinds of evidence other than terms.
const (
	SentenceEvidence   = "sentence"   // a single sentence covers much of the query
	AboutEvidence      = "about"      // a heading covers much of the query and little else
	TitleEvidence      = "title"      // the query is the title of the page
	HeadingEvidence    = "heading"    // the query is a heading of the section
	DefinitionEvidence = "definition" // a sentence defines the thing in the query
)

// A Confidence says how much of a query the best sections cover. Scores can only be compared
// with each other, while coverage is an absolute scale.
type Confidence struct {
	// IsWeak reports whether all of the Sections cover too little of the query to trust the
	// answer. It is false without sections, because then there is no answer to doubt.
	IsWeak bool `json:"weak"`

	// IsOffTopic reports whether the Sections cover so little that the pages are probably
	// about something else. Then IsWeak is also true.
	IsOffTopic bool `json:"off_topic"`

	Covered  string           `json:"covered" wire:"literal"` // the highest share of the Sections, as a JSON number
	Sections []CoveredSection `json:"sections"`               // at most three, the best first
	Lacks    []string         `json:"lacks"`                  // words of the query that are missing in the section with the highest share

	// Try suggests words for another query: from the headings and definitions of the
	// Sections, as the pages spell them, unless only the page of the first contains them.
	// It is empty unless the answer is weak.
	Try []string `json:"try,omitzero"`
}

// A CoveredSection is one of the best sections for a query.
type CoveredSection struct {
	ID      document.ID `json:"id"`
	Covered string      `json:"covered" wire:"literal"` // share of the query's idf, as a JSON number
}
