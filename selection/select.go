package selection

import (
	"cmp"
	"slices"

	"github.com/contextcompiler/context/document"
)

// bytesPerToken is how many bytes of content count as one token.
const bytesPerToken = 4

// TokensOf returns the tokens of a content of size bytes, rounded up.
func TokensOf(size int) uint64 {
	return (uint64(size) + bytesPerToken - 1) / bytesPerToken
}

// A Candidate is what scoring keeps of a document.
type Candidate struct {
	ID     document.ID
	Tokens uint64
	Match  Match
}

// A Selection is the answer to a query: which candidates fit the budget, best
// first.
type Selection struct {
	Chosen     []int // positions in the candidates that Select was given
	TokensUsed uint64
	Considered int // candidates
	Excluded   int // candidates that did not fit
}

// Totals returns what a result says of the selection, which was made for a
// budget.
func (s Selection) Totals(budget uint64) Totals {
	return Totals{budget, s.TokensUsed, s.Considered, len(s.Chosen), s.Excluded}
}

// Select fills the budget with the best candidates: a candidate that does not
// fit is passed over and the next is tried. Candidates that score 0 are taken,
// too, as long as they fit. A budget of 0 selects nothing.
func Select(candidates []Candidate, budget uint64) Selection {
	s := Selection{Considered: len(candidates)}
	if budget > 0 {
		for _, r := range rank(candidates) {
			tokens := candidates[r.position].Tokens
			if tokens > budget-s.TokensUsed {
				continue
			}
			s.TokensUsed += tokens
			s.Chosen = append(s.Chosen, r.position)
		}
	}
	s.Excluded = s.Considered - len(s.Chosen)
	return s
}

// Order returns the positions of candidates, the best first.
func Order(candidates []Candidate) []int {
	positions := make([]int, len(candidates))
	for i, r := range rank(candidates) {
		positions[i] = r.position
	}
	return positions
}

// A ranked is a candidate's place in the order.
type ranked struct {
	score    Score
	id       document.ID
	position int
}

// rank returns the candidates, best first.
func rank(candidates []Candidate) []ranked {
	order := make([]ranked, len(candidates))
	for i, c := range candidates {
		order[i] = ranked{c.Match.Score(), c.ID, i}
	}
	slices.SortFunc(order, best)
	return order
}

// best orders by score, the higher first, then by ID. No two candidates are
// equal, so the order is the same whatever order they came in.
func best(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
}
