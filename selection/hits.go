package selection

import (
	"cmp"
	"container/heap"
	"math"
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
	for best.Len() > 0 && smallest <= f.budget-f.selection.TokensUsed {
		hit := heap.Pop(best).(rankedHit)
		if f.take(int(hit.Position)) {
			matches = append(matches, f.matchOf(hit.Hit))
		}
	}
	return matches
}

func (f *filler) matchOf(hit Hit) Match {
	return Match{int(hit.Matches), int(f.documents.Words[hit.Position])}
}

// rank returns the hits as a heap, and the tokens of the smallest.
func (f *filler) rank(hits []Hit) (best *hitHeap, smallest uint64) {
	ranked := make(hitHeap, len(hits))
	smallest = math.MaxUint64
	for i, hit := range hits {
		ranked[i] = rankedHit{f.matchOf(hit).Score(), hit}
		smallest = min(smallest, TokensOf(int(f.documents.Sizes[hit.Position])))
	}
	heap.Init(&ranked)
	return &ranked, smallest
}

// takeOthers takes the documents that score 0, in order.
func (f *filler) takeOthers(hits []Hit) {
	left := f.budget - f.selection.TokensUsed
	for position, size := range f.documents.Sizes {
		if len(hits) > 0 && hits[0].Position == uint32(position) {
			hits = hits[1:]
			continue
		}
		if uint64(size) <= left*bytesPerToken && f.take(position) {
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

// A rankedHit is a hit's place in the order.
type rankedHit struct {
	score Score
	Hit
}

// A hitHeap has the best hit on top: the highest score, then the first ID, which
// is the lowest position.
type hitHeap []rankedHit

func (h hitHeap) Len() int      { return len(h) }
func (h hitHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h hitHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[j].score, h[i].score), cmp.Compare(h[i].Position, h[j].Position)) < 0
}
func (h *hitHeap) Push(x any) { *h = append(*h, x.(rankedHit)) }

func (h *hitHeap) Pop() any {
	last := len(*h) - 1
	hit := (*h)[last]
	*h = (*h)[:last]
	return hit
}
