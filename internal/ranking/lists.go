package ranking

import (
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/recent"
)

// This file keeps the postings of terms as scores need them. Questions share words, and
// a frequent word has more postings than all others together.

// A list has the sections with a term, and the saturation of the term in each, in units
// of 1/2^16.
type list struct {
	ordinals    []uint32
	saturations []uint16
}

// heldLists holds 8 MiB of the lists that all queries of the process used last.
var heldLists = recent.New[listKey, list](8 << 20)

type listKey struct {
	owner recent.Owner
	term  string
}

// beginQuery reports whether to hold the lists of the next query: not those of the first,
// because a process may have only one.
func (c *Columns) beginQuery() bool { return c.queries.Add(1) > 1 }

func (c *Columns) listKeyOf(term string) listKey { return listKey{c.owner, term} }

// size returns the bytes of a list with its term, about.
func (l list) size(term string) int { return 6*len(l.ordinals) + len(term) + 256 }

// listOf returns the list of postings.
func (c *Columns) listOf(postings []index.Posting) list {
	l := list{make([]uint32, len(postings)), make([]uint16, len(postings))}
	for i, p := range postings {
		l.ordinals[i], l.saturations[i] = p.Ordinal, uint16(c.saturation(p.Ordinal, p.Count))
	}
	return l
}
