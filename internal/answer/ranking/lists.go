package ranking

import (
	"slices"

	"github.com/contextcompiler/context/internal/base/recent"
	"github.com/contextcompiler/context/internal/caches/index"
)

// This file keeps the postings of terms in the form that scores need, because questions
// share words. A frequent word can have more postings than all others together.

// A rankedList contains the sections with a term in order. For a rare term, it contains the
// saturation of the term in each, in units of 1/2^16.
type rankedList struct {
	count   int    // sections
	weights uint64 // of the term in all sections together
	most    uint32 // highest weight

	ordinals    []uint32
	saturations []uint16
	starts      []uint32     // by window: where ordinals in it begin; and, at the end, their number
	dense       *index.Dense // replaces the slices above for a frequent term
	size        int          // approximate bytes
}

// heldLists contains up to 32 MiB of the lists used last by all queries of the process.
var heldLists = recent.New[listKey, rankedList](32 << 20)

type listKey struct {
	owner recent.Owner
	term  string
}

func (c *Columns) listKeyOf(term string) listKey { return listKey{c.owner, term} }

// listOf returns the list of a term.
func (c *Columns) listOf(of index.List) rankedList {
	l := rankedList{count: of.Len, weights: of.Sum, most: of.Most, dense: of.Dense, size: of.Size()}
	if of.Dense != nil {
		return l
	}
	l.ordinals, l.saturations = make([]uint32, of.Len), make([]uint16, of.Len)
	l.starts = make([]uint32, len(c.Numbers.Windows)+1)
	for i, p := range of.Postings {
		l.ordinals[i], l.saturations[i] = p.Ordinal, uint16(c.saturation(p.Ordinal, p.Count))
		l.starts[p.Ordinal/windowSize+1]++
	}
	for i := range c.Numbers.Windows {
		l.starts[i+1] += l.starts[i]
	}
	l.size = 6*of.Len + 4*len(l.starts)
	return l
}

func (l rankedList) contains(ordinal uint32) bool {
	if l.dense != nil {
		return l.dense.Contains(ordinal)
	}
	_, found := l.find(ordinal)
	return found
}

// mayContain reports whether the list can contain a section. It is always true for a rare
// term, because looking would take as long as finding it.
func (l *rankedList) mayContain(ordinal uint32) bool {
	return l.dense == nil || l.dense.Contains(ordinal)
}

// find returns where a rare term's ordinals contain an ordinal.
func (l *rankedList) find(ordinal uint32) (n int, found bool) {
	if l.count == 0 {
		return 0, false
	}
	first, end := l.starts[ordinal/windowSize], l.starts[ordinal/windowSize+1]
	n, found = slices.BinarySearch(l.ordinals[first:end], ordinal)
	return int(first) + n, found
}

// mark adds a bit for each section of the list to a set.
func (l *rankedList) mark(set []uint64) {
	if l.dense != nil {
		l.dense.AddTo(set)
		return
	}
	for _, ordinal := range l.ordinals {
		set[ordinal/64] |= 1 << (ordinal % 64)
	}
}
