package answers

import (
	"math"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/heap"
	"github.com/contextcompiler/context/selection"
)

// A wordShare is the share of a document's words that match: the bits of a float32 in
// [0,1]. Since the bits of non-negative floats sort like the floats, scores can be
// compared as integers.
type wordShare uint32

// shareOfWords returns the share of matching words. It is 0 without words.
func shareOfWords(matches, total int) wordShare {
	if total == 0 {
		return 0
	}
	return wordShare(math.Float32bits(float32(matches) / float32(total)))
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

// fill fills the budget with the best documents. If a document doesn't fit, it tries the next.
// sizes are the bytes of the documents in the order of their IDs, and allowed says which to
// consider; nil means all. hits contains every document with a term of the query, by ordinal, and
// each Score is a wordShare. Other documents score 0, but fill takes them, too, as long as they
// fit. A budget of 0 selects nothing.
//
// Ties are broken by ordinal, so the same documents, query and budget always give the same
// selection. The time grows with the hits that fill looks at, and hardly with the documents.
func fill(sizes []uint32, allowed []bool, hits []ranking.UnitHit, budget uint64) (picks []ranking.UnitHit, totals selection.Totals) {
	left, considered := budget, 0
	tokens := func(ordinal uint32) uint64 { return selection.TokensOf(int(sizes[ordinal])) }
	isAllowed := func(ordinal uint32) bool { return allowed == nil || allowed[ordinal] }
	take := func(hit ranking.UnitHit) {
		if t := tokens(hit.Ordinal); budget > 0 && t <= left && isAllowed(hit.Ordinal) {
			left -= t
			picks = append(picks, hit)
		}
	}
	// Take the best hits until even the smallest hit doesn't fit, so that many hits needn't be
	// sorted. Higher scores come first, then lower ordinals, which belong to lower IDs.
	best, smallest := make(heap.Heap[ranking.UnitHit], len(hits)), uint64(math.MaxUint64)
	for i, hit := range hits {
		best[i] = heap.Element[ranking.UnitHit]{Key: uint64(hit.Score)<<32 | uint64(^hit.Ordinal), Value: hit}
		smallest = min(smallest, tokens(hit.Ordinal))
	}
	for best.Order(); len(best) > 0 && smallest <= left; {
		take(best.Pop().Value)
	}
	for ordinal := range uint32(len(sizes)) {
		if isAllowed(ordinal) {
			considered++
		}
		if len(hits) > 0 && hits[0].Ordinal == ordinal {
			hits = hits[1:]
			continue
		}
		take(ranking.UnitHit{Ordinal: ordinal})
	}
	return picks, selection.Totals{
		Budget: budget, TokensUsed: budget - left,
		Considered: considered, Selected: len(picks), Excluded: considered - len(picks),
	}
}
