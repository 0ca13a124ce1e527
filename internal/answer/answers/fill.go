package answers

import (
	"math"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/base/heap"
	"github.com/contextcompiler/context/selection"
)

// A wordMatch says how much of a content matches a query.
type wordMatch struct {
	TermMatches int // words that equal a term
	TotalWords  int // white-space separated words
}

// A wordShare is the share of a document's words that match: the bits of a float32 in
// [0,1]. Since the bits of non-negative floats sort like the floats, scores can be
// compared as integers.
type wordShare uint32

// share returns the share of matching words. It is 0 without words.
func (m wordMatch) share() wordShare {
	if m.TotalWords == 0 {
		return 0
	}
	return wordShare(math.Float32bits(float32(m.TermMatches) / float32(m.TotalWords)))
}

// String returns the shortest decimal that parses to the same float32. It always contains
// a fraction, unless it uses an exponent, as it does from 1e-7 down: "0.0", "0.33333334",
// "0.00001" and "1e-7".
func (s wordShare) String() string {
	const leastPlain = 1e-6
	f := math.Float32frombits(uint32(s))
	if f != 0 && f < leastPlain {
		text := strconv.FormatFloat(float64(f), 'e', -1, 32)
		return strings.Replace(text, "e-0", "e-", 1)
	}
	text := strconv.FormatFloat(float64(f), 'f', -1, 32)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// pageNumbers describes the documents to select from. Its slices are parallel, in the
// order of the IDs.
type pageNumbers struct {
	Words []uint32 // of the content
	Sizes []uint32 // of the content, in bytes

	// Allowed says which documents to consider; nil means all.
	Allowed []bool
}

// A wordHit is a document with terms of a query.
type wordHit struct {
	Position uint32 // in pageNumbers
	Matches  uint32 // words that equal a term; 0 for a document without terms
}

// fill fills the budget with the best documents. If a document doesn't fit, it tries the next.
// hits contains every document with a term of the query, sorted by position. Other documents
// score 0, but fill takes them, too, as long as they fit. A budget of 0 selects nothing.
//
// Scores are the bits of a float32 quotient and ties are broken by position, so the same
// documents, query and budget always give the same selection. The time grows with the hits
// that fill looks at, and hardly with the documents.
func fill(d pageNumbers, hits []wordHit, budget uint64) (picks []wordHit, totals selection.Totals) {
	left, considered := budget, 0
	tokens := func(position uint32) uint64 { return selection.TokensOf(int(d.Sizes[position])) }
	isAllowed := func(position uint32) bool { return d.Allowed == nil || d.Allowed[position] }
	take := func(hit wordHit) {
		if t := tokens(hit.Position); budget > 0 && t <= left && isAllowed(hit.Position) {
			left -= t
			picks = append(picks, hit)
		}
	}
	// Take the best hits until even the smallest hit doesn't fit, so that many hits needn't be
	// sorted. Higher scores come first, then lower positions, which belong to lower IDs.
	best, smallest := make(heap.Heap[wordHit], len(hits)), uint64(math.MaxUint64)
	for i, hit := range hits {
		share := wordMatch{int(hit.Matches), int(d.Words[hit.Position])}.share()
		best[i] = heap.Element[wordHit]{Key: uint64(share)<<32 | uint64(^hit.Position), Value: hit}
		smallest = min(smallest, tokens(hit.Position))
	}
	for best.Order(); len(best) > 0 && smallest <= left; {
		take(best.Pop().Value)
	}
	for position := range uint32(len(d.Sizes)) {
		if isAllowed(position) {
			considered++
		}
		if len(hits) > 0 && hits[0].Position == position {
			hits = hits[1:]
			continue
		}
		take(wordHit{Position: position})
	}
	return picks, selection.Totals{
		Budget: budget, TokensUsed: budget - left,
		Considered: considered, Selected: len(picks), Excluded: considered - len(picks),
	}
}
