package selection

import (
	"math"

	"github.com/contextcompiler/context/internal/heap"
)

// Documents is what an index knows of all documents, by their position in the
// order of their IDs.
type Documents struct {
	Words []uint32 // in a document's content
	Sizes []uint32 // of the content in bytes
}

// A Hit is a document that has terms of a query.
type Hit struct {
	Position uint32 // among the Documents
	Matches  uint32 // words that equal a term; at least 1
}

// SelectHits is [Select] for those who know which documents match: hits holds
// them all, sorted by position, and every other document scores 0. What it
// chooses are positions among the documents. Its time grows with the hits that
// it has to look at, and hardly with the documents.
func SelectHits(documents Documents, hits []Hit, budget uint64) (Selection, []Match) {
	s := Selection{Considered: len(documents.Sizes)}
	var matches []Match
	if budget > 0 {
		f := filler{documents, &s, budget}
		matches = f.takeBest(hits)
		f.takeOthers(hits)
		matches = append(matches, f.matchesOfOthers(len(matches))...)
	}
	s.Excluded = s.Considered - len(s.Chosen)
	return s, matches
}

// A filler fills the budget.
type filler struct {
	documents Documents
	selection *Selection
	budget    uint64
}

// take chooses a document if it fits.
func (f *filler) take(position int) (fits bool) {
	tokens := TokensOf(int(f.documents.Sizes[position]))
	if tokens > f.budget-f.selection.TokensUsed {
		return false
	}
	f.selection.TokensUsed += tokens
	f.selection.Chosen = append(f.selection.Chosen, position)
	return true
}

// takeBest takes hits, best first, as long as the smallest of them all might
// fit. So a query that many documents match does not sort them.
func (f *filler) takeBest(hits []Hit) (matches []Match) {
	best, smallest := f.rank(hits)
	for len(best) > 0 && smallest <= f.budget-f.selection.TokensUsed {
		hit := best.Pop().Value
		if f.take(int(hit.Position)) {
			matches = append(matches, f.matchOf(hit))
		}
	}
	return matches
}

func (f *filler) matchOf(hit Hit) Match {
	return Match{int(hit.Matches), int(f.documents.Words[hit.Position])}
}

// rank returns the hits as a heap, and the tokens of the smallest.
func (f *filler) rank(hits []Hit) (best hitHeap, smallest uint64) {
	best = make(hitHeap, len(hits))
	smallest = math.MaxUint64
	for i, hit := range hits {
		best[i] = rankOf(f.matchOf(hit).Score(), hit)
		smallest = min(smallest, TokensOf(int(f.documents.Sizes[hit.Position])))
	}
	best.Order()
	return best, smallest
}

// takeOthers takes the documents that score 0, in order.
func (f *filler) takeOthers(hits []Hit) {
	left := f.budget - f.selection.TokensUsed
	for position, size := range f.documents.Sizes {
		if len(hits) > 0 && hits[0].Position == uint32(position) {
			hits = hits[1:]
			continue
		}
		if TokensOf(int(size)) <= left && f.take(position) {
			left = f.budget - f.selection.TokensUsed
		}
	}
}

// matchesOfOthers returns the matches of what was chosen after the first n.
func (f *filler) matchesOfOthers(n int) (matches []Match) {
	for _, position := range f.selection.Chosen[n:] {
		matches = append(matches, Match{0, int(f.documents.Words[position])})
	}
	return matches
}

// A hitHeap has the best hit on top.
type hitHeap = heap.Heap[Hit]

// rankOf puts the higher score first and then, as among equal scores the first ID
// wins, the lower position.
func rankOf(score Score, hit Hit) heap.Item[Hit] {
	return heap.Item[Hit]{Key: uint64(score)<<32 | uint64(^hit.Position), Value: hit}
}
