package ranking

import (
	"cmp"
	"slices"

	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/recent"
)

// This file keeps the postings of terms in the form that scores need, because questions
// share words. A frequent word can have more postings than all others together.

// A list contains the sections with a term in order, and the saturation of the term in
// each, in units of 1/2^16.
type list struct {
	ordinals    []uint32
	saturations []uint16
	weights     uint64 // of the term in all sections together
}

// heldLists contains up to 8 MiB of the lists used last by all queries of the process.
var heldLists = recent.New[listKey, list](8 << 20)

type listKey struct {
	owner recent.Owner
	term  string
}

// beginQuery reports whether the lists of the next query should be kept. Those of the
// first query aren't, because many processes answer only a single query.
func (c *Columns) beginQuery() bool { return c.queries.Add(1) > 1 }

func (c *Columns) listKeyOf(term string) listKey { return listKey{c.owner, term} }

// size returns the approximate size of a list with its term, in bytes.
func (l list) size(term string) int { return 6*len(l.ordinals) + len(term) + 256 }

// listOf returns the list of postings. It may sort the postings.
func (c *Columns) listOf(postings []index.Posting) list {
	byOrdinal := func(a, b index.Posting) int { return cmp.Compare(a.Ordinal, b.Ordinal) }
	if !slices.IsSortedFunc(postings, byOrdinal) { // postings of several caches may be out of order
		slices.SortFunc(postings, byOrdinal)
	}
	l := list{ordinals: make([]uint32, len(postings)), saturations: make([]uint16, len(postings))}
	for i, p := range postings {
		l.ordinals[i], l.saturations[i] = p.Ordinal, uint16(c.saturation(p.Ordinal, p.Count))
		l.weights += uint64(p.Count)
	}
	return l
}

func (l list) contains(ordinal uint32) bool {
	_, found := slices.BinarySearch(l.ordinals, ordinal)
	return found
}
