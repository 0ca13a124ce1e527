package ranking

import (
	"cmp"
	"slices"

	"github.com/contextcompiler/context/internal/heap"
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

	// Best returns the best hits in any order, and a cutoff: all other hits have lower
	// keys. Without other hits, the cutoff is 0.
	Best() (hits []UnitHit, cutoff uint64)

	// All returns all hits by ordinal.
	All() []UnitHit

	// Contains reports whether a unit is a hit.
	Contains(ordinal uint32) bool
}

// Hits is a HitList of known hits, by ordinal.
type Hits []UnitHit

// firstRanked is how many hits are ranked at first. Few queries need more.
const firstRanked = 256

// Len implements [HitList].
func (h Hits) Len() int { return len(h) }

// All implements [HitList].
func (h Hits) All() []UnitHit { return h }

// Contains implements [HitList].
func (h Hits) Contains(ordinal uint32) bool {
	_, found := slices.BinarySearchFunc(h, ordinal, func(hit UnitHit, ordinal uint32) int { return cmp.Compare(hit.Ordinal, ordinal) })
	return found
}

// Best implements [HitList].
func (h Hits) Best() (hits []UnitHit, cutoff uint64) {
	best := ranks{size: firstRanked}
	for _, hit := range h {
		best.add(keyOf(hit))
	}
	for _, item := range best.heap {
		hits = append(hits, hitOf(^item.Key))
	}
	return hits, best.cutoff()
}

// ranks keeps the highest of the added keys.
type ranks struct {
	size  int                 // most keys to keep
	heap  heap.Heap[struct{}] // of inverted keys, so that the lowest key comes first
	count int                 // of added keys
}

// add adds a key, and reports whether it is among the highest.
func (r *ranks) add(key uint64) bool {
	r.count++
	item := heap.Element[struct{}]{Key: ^key}
	switch {
	case len(r.heap) < r.size:
		r.heap.Push(item)
	case item.Key < r.heap[0].Key:
		r.heap.Replace(item)
	default:
		return false
	}
	return true
}

// isFull reports whether each further key must replace another.
func (r *ranks) isFull() bool { return len(r.heap) == r.size }

// cutoff returns the lowest of the kept keys, or 0 if all added keys are kept.
func (r *ranks) cutoff() uint64 {
	if r.count <= r.size {
		return 0
	}
	return ^r.heap[0].Key
}

// rank finds the best n sections by their own sums, without pairs.
func (s *Scores) rank(n int) {
	best := ranks{size: n}
	least := uint64(1) // the lowest sum of a section that can be among the best
	for ordinal, sum := range s.sums {
		s.matching += int((sum | -sum) >> 63) // adds 1 unless the sum is 0, without a branch
		if sum < least {
			continue
		}
		if best.add(keyOf(UnitHit{uint32(ordinal), s.own(uint32(ordinal))})) && best.isFull() {
			least = s.leastSum(hitOf(^best.heap[0].Key).Score)
		}
	}
	best.count = s.matching
	s.cutoff = best.cutoff()
	for _, item := range best.heap {
		s.best = append(s.best, ^item.Key)
	}
	slices.SortFunc(s.best, func(a, b uint64) int { return cmp.Compare(b, a) })
}

// Contains implements [HitList].
func (s *Scores) Contains(ordinal uint32) bool { return s.isHit(ordinal) }

// Len implements [HitList].
func (s *Scores) Len() int {
	n := s.matching
	for _, ordinal := range s.parts {
		if s.sums[ordinal] == 0 && s.isHit(ordinal) {
			n++
		}
	}
	return n
}

// Best implements [HitList]. A supported section scores lower than the neighbour that
// supports it. Therefore, each of the best sections is among the best by itself, or next
// to such a section.
func (s *Scores) Best() (hits []UnitHit, cutoff uint64) {
	ordinals := make([]uint32, 0, len(s.best)+len(s.best)/8)
	for _, key := range s.best {
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
	hits = make([]UnitHit, 0, len(ordinals))
	for _, ordinal := range slices.Compact(ordinals) {
		if hit := (UnitHit{ordinal, s.Score(ordinal)}); keyOf(hit) >= s.cutoff {
			hits = append(hits, hit)
		}
	}
	return hits, s.cutoff
}

// All implements [HitList].
func (s *Scores) All() []UnitHit {
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
