package answers

import (
	"math"

	"github.com/contextcompiler/context/internal/base/heap"
	"github.com/contextcompiler/context/selection"
)

// pageNumbers describes the documents to select from. Its slices are parallel, in the
// order of the IDs.
type pageNumbers struct {
	Words []uint32 // of the content
	Sizes []uint32 // of the content, in bytes

	// Allowed says which documents to consider; nil means all.
	Allowed []bool
}

func (d pageNumbers) allows(position uint32) bool { return d.Allowed == nil || d.Allowed[position] }

func (d pageNumbers) considered() (n int) {
	if d.Allowed == nil {
		return len(d.Sizes)
	}
	for _, isAllowed := range d.Allowed {
		if isAllowed {
			n++
		}
	}
	return n
}

// A wordHit is a document with terms of a query.
type wordHit struct {
	Position uint32 // in pageNumbers
	Matches  uint32 // words that equal a term; at least 1
}

// A pick is a selected document.
type pick struct {
	Position int // in pageNumbers
	Match    wordMatch
	Tokens   uint64
}

// fill fills the budget with the best documents. If a document doesn't fit, it tries the next.
// hits contains every document with a term of the query, sorted by position. Other documents
// score 0, but fill takes them, too, as long as they fit. A budget of 0 selects nothing.
//
// Scores are the bits of a float32 quotient and ties are broken by position, so the same
// documents, query and budget always give the same selection. The time grows with the hits
// that fill looks at, and hardly with the documents.
func fill(documents pageNumbers, hits []wordHit, budget uint64) ([]pick, selection.Totals) {
	f := filler{documents: documents, left: budget}
	if budget > 0 {
		f.takeBest(hits)
		f.takeOthers(hits)
	}
	considered := documents.considered()
	return f.picks, selection.Totals{
		Budget: budget, TokensUsed: budget - f.left,
		Considered: considered, Selected: len(f.picks), Excluded: considered - len(f.picks),
	}
}

type filler struct {
	documents pageNumbers
	left      uint64 // tokens of the budget
	picks     []pick
}

func (f *filler) take(hit wordHit) {
	tokens := selection.TokensOf(int(f.documents.Sizes[hit.Position]))
	if tokens <= f.left && f.documents.allows(hit.Position) {
		f.left -= tokens
		f.picks = append(f.picks, pick{int(hit.Position), f.matchOf(hit), tokens})
	}
}

// takeBest takes the best hits until even the smallest hit doesn't fit. Therefore, it
// needn't sort all documents if many match.
func (f *filler) takeBest(hits []wordHit) {
	best, smallest := f.rank(hits)
	for len(best) > 0 && smallest <= f.left {
		f.take(best.Pop().Value)
	}
}

func (f *filler) matchOf(hit wordHit) wordMatch {
	return wordMatch{int(hit.Matches), int(f.documents.Words[hit.Position])}
}

// rank returns the hits as a heap, and the tokens of the smallest hit. Higher scores come
// first, then lower positions, which belong to lower IDs.
func (f *filler) rank(hits []wordHit) (best heap.Heap[wordHit], smallest uint64) {
	best = make(heap.Heap[wordHit], len(hits))
	smallest = math.MaxUint64
	for i, hit := range hits {
		best[i] = heap.Element[wordHit]{Key: uint64(f.matchOf(hit).share())<<32 | uint64(^hit.Position), Value: hit}
		smallest = min(smallest, selection.TokensOf(int(f.documents.Sizes[hit.Position])))
	}
	best.Order()
	return best, smallest
}

func (f *filler) takeOthers(hits []wordHit) {
	for position := range f.documents.Sizes {
		if len(hits) > 0 && hits[0].Position == uint32(position) {
			hits = hits[1:]
			continue
		}
		f.take(wordHit{Position: uint32(position)})
	}
}
