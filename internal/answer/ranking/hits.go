package ranking

import (
	"cmp"
	"math/bits"
	"slices"
)

// This file finds the best of many hits. Since few queries need the others, their scores
// are not computed.

// A UnitHit is a section that matches a query, or a page with such sections.
type UnitHit struct {
	Ordinal uint32
	Score   Score
}

// keyOf puts higher scores first and, for equal scores, lower ordinals.
func keyOf(hit UnitHit) uint64 { return uint64(hit.Score)<<32 | uint64(^hit.Ordinal) }

func hitOf(key uint64) UnitHit { return UnitHit{^uint32(key), Score(key >> 32)} }

// A HitList holds the hits of a query.
type HitList interface {
	// Len returns the number of hits.
	Len() int

	// Best returns about the best n hits in any order, and a cutoff: all other hits have
	// lower keys. Without other hits, the cutoff can be 0. The caller must not change the
	// hits.
	Best(n int) (hits []UnitHit, cutoff uint64)

	// All returns all hits by ordinal.
	All() []UnitHit

	// Contains reports whether a unit is a hit.
	Contains(ordinal uint32) bool
}

// Hits is a HitList of known hits, by ordinal.
type Hits []UnitHit

// How many hits are ranked at first, because few queries need more, and then.
const (
	firstRanked = 256
	thenRanked  = 4096
)

// Len implements [HitList].
func (h Hits) Len() int { return len(h) }

// All implements [HitList].
func (h Hits) All() []UnitHit { return h }

// Contains implements [HitList].
func (h Hits) Contains(ordinal uint32) bool {
	_, found := slices.BinarySearchFunc(h, ordinal, func(hit UnitHit, ordinal uint32) int { return cmp.Compare(hit.Ordinal, ordinal) })
	return found
}

// Best implements [HitList]. It returns all hits, because their scores are known.
func (h Hits) Best(int) (hits []UnitHit, cutoff uint64) { return h, 0 }

// Contains implements [HitList].
func (s *Scores) Contains(ordinal uint32) bool { return s.isHit(ordinal) }

// Len implements [HitList].
func (s *Scores) Len() (n int) {
	for _, word := range s.hitSet() {
		n += bits.OnesCount64(word)
	}
	return n
}

// Best implements [HitList].
func (s *Scores) Best(n int) (hits []UnitHit, cutoff uint64) {
	if n <= firstRanked {
		if s.bestHits == nil {
			s.bestHits = s.withParts(s.best, s.cutoff)
		}
		return s.bestHits, s.cutoff
	}
	return s.bestIn(nil, n)
}

// bestIn is like Best, but only for the sections in a set; nil means all. The set must
// contain all parts of a section, or none.
func (s *Scores) bestIn(set []uint64, n int) (hits []UnitHit, cutoff uint64) {
	best, cutoff := s.rank(set, n)
	for ordinal := range s.passages.read { // rank may have ranked them too low
		if set == nil || isIn(set, ordinal) {
			best = append(best, keyOf(UnitHit{ordinal, s.own(ordinal)}))
		}
	}
	return s.withParts(best, cutoff), cutoff
}

// withParts returns the hits with at least a cutoff. A supported section scores lower
// than the neighbour that supports it. Therefore, each of them is among the best by
// itself, or next to such a section.
func (s *Scores) withParts(best []uint64, cutoff uint64) []UnitHit {
	ordinals := make([]uint32, 0, len(best)+len(best)/8)
	for _, key := range best {
		ordinal := hitOf(key).Ordinal
		ordinals = append(ordinals, ordinal)
		if s.continues(ordinal) {
			ordinals = append(ordinals, ordinal-1)
		}
		if s.continues(ordinal + 1) {
			ordinals = append(ordinals, ordinal+1)
		}
	}
	slices.Sort(ordinals)
	hits := make([]UnitHit, 0, len(ordinals))
	for _, ordinal := range slices.Compact(ordinals) {
		if hit := (UnitHit{ordinal, s.Score(ordinal)}); keyOf(hit) >= cutoff {
			hits = append(hits, hit)
		}
	}
	return hits
}

// All implements [HitList].
func (s *Scores) All() []UnitHit {
	s.addUp()
	hits := make([]UnitHit, 0, s.Len())
	for ordinal := range uint32(len(s.sums)) {
		if s.isHit(ordinal) {
			hits = append(hits, UnitHit{ordinal, s.Score(ordinal)})
		}
	}
	return hits
}

// ByPage returns the pages of these sections by ordinal, each with the score of its best
// section. firsts contains the first section of each page and, at its end, the number of
// sections.
func ByPage(hits []UnitHit, firsts []uint32) []UnitHit {
	var pages []UnitHit
	for _, hit := range hits {
		page := PageOf(firsts, hit.Ordinal)
		if n := len(pages); n > 0 && pages[n-1].Ordinal == page {
			pages[n-1].Score = max(pages[n-1].Score, hit.Score)
		} else {
			pages = append(pages, UnitHit{page, hit.Score})
		}
	}
	return pages
}

// PageOf returns the page of a section. firsts is the same as for [ByPage].
func PageOf(firsts []uint32, section uint32) uint32 {
	page, found := slices.BinarySearchFunc(firsts, section, cmp.Compare[uint32])
	if !found {
		page--
	}
	return uint32(page)
}
