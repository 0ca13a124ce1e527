package selection

import "github.com/contextcompiler/context/document"

// An Explanation says how a set answers a request, and why it chooses each item or
// not.
type Explanation struct {
	Selection  Spec
	Unit       Unit
	TokensUsed uint64
	Considered int             // items that could be chosen
	Matching   int             // considered items with a term of the query
	Terms      []ExplainedTerm // none for selection 0
	Confidence *Confidence     // nil for selection 0
	Items      []ExplainedItem // the chosen ones and the best of the others, by score
}

// An ExplainedTerm is a term of a query by the rules of selection 1.
type ExplainedTerm struct {
	Text     string   `json:"term"`
	Near     []string `json:"near,omitzero"`        // words that it stands for if no section has it
	Sections int      `json:"sections"`             // that have it or such a word, even if the unit is a document
	MaxScore string   `json:"worth" wire:"literal"` // the most that it adds to a score, a number of JSON
}

// An ExplainedItem is a document or a section, and the verdict on it.
type ExplainedItem struct {
	Rank        int         `json:"rank"` // from 1
	ID          document.ID `json:"id"`
	Verdict     Verdict     `json:"verdict"`
	DuplicateOf document.ID `json:"duplicate_of,omitzero"`
	Score       string      `json:"score" wire:"literal"` // a number of JSON
	Tokens      uint64      `json:"tokens"`
	Evidence    []Evidence  `json:"evidence"`
}

// A Verdict is the decision on an item.
type Verdict string

// The verdicts.
const (
	Chosen    Verdict = "chosen"
	Duplicate Verdict = "duplicate" // or near-duplicate of a chosen item
	TooLarge  Verdict = "too large" // for the rest of the budget
	NotTried  Verdict = "not tried" // the budget was full, or too many items before it were too large
)

// Evidence is a part of a score.
type Evidence struct {
	Kind    string   `json:"kind,omitzero"` // "" for a term or two adjacent terms
	Terms   []string `json:"terms"`
	Adds    string   `json:"adds,omitzero" wire:"literal"` // a number of JSON; "" for selection 0
	Body    int      `json:"body"`                         // occurrences in the item
	Heading bool     `json:"heading"`                      // whether a heading has it
	Path    bool     `json:"path"`                         // whether the document's ID has it
}

// The kinds of evidence other than terms.
const (
	SentenceEvidence   = "sentence"   // the sentence that covers most of the query
	AboutEvidence      = "about"      // the heading that is most about the query
	TitleEvidence      = "title"      // the query is the title of the page
	HeadingEvidence    = "heading"    // the query is a heading of the section
	DefinitionEvidence = "definition" // a sentence defines what the query names
)

// A Confidence says how much of a query its best sections cover. Scores compare sections
// with each other, while this is an absolute scale.
type Confidence struct {
	// IsWeak reports whether none of the Sections covers enough of the query to trust the
	// answer. If there are no sections, there is nothing to doubt, and it is false.
	IsWeak bool `json:"weak"`

	// IsOffTopic reports whether the Sections cover so little that the pages are probably
	// about something else. An answer off topic is also weak.
	IsOffTopic bool `json:"off_topic"`

	Covered  string           `json:"covered" wire:"literal"` // the highest share of the Sections; a number of JSON
	Sections []CoveredSection `json:"sections"`               // the best by score, at most fewBest
	Lacks    []string         `json:"lacks"`                  // words of the query that the section with the highest share doesn't contain

	// Try are words of these sections' headings and definitions that the query could
	// contain instead, as the pages write them. Only a weak answer has them.
	Try []string `json:"try,omitzero"`
}

// A CoveredSection is one of the best sections for a query.
type CoveredSection struct {
	ID      document.ID `json:"id"`
	Covered string      `json:"covered" wire:"literal"` // share of the query's idf, a number of JSON
}
