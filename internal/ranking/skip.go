package ranking

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
)

// This file finds the best sections without adding up the sums of all sections: by
// MaxScore (Turtle and Flood, Query evaluation: strategies and optimizations, 1995). A
// section that contains only the most frequent terms of a query cannot be among the best
// once enough better sections are known. Therefore, only the lists of the other terms are
// read from end to end; the lists of frequent terms are asked about few sections.

// A termCursor walks through the list of a term or a key.
type termCursor struct {
	rankedList
	gain  uint64 // the most that the term adds, in units of 1/2^16
	isKey bool   // whether each section gets the whole gain
	bound uint64 // no section gets more from this list
	next  int    // in ordinals: the first section that is still to come
}

// cursors returns the cursors of all lists, at their beginnings. Whoever moves a cursor must copy
// it. All terms and keys must have been added.
func (s *Scores) cursors() []termCursor {
	if s.all != nil {
		return s.all
	}
	for i, of := range s.lists {
		if of.count > 0 {
			s.all = append(s.all, termCursor{rankedList: of, gain: s.maxGains[i], bound: s.boundOf(of, s.maxGains[i], 0)})
		}
	}
	for i, of := range s.keys {
		if s.keyGains[i] > 0 {
			s.all = append(s.all, termCursor{rankedList: of, gain: s.keyGains[i], isKey: true, bound: s.keyGains[i]})
		}
	}
	slices.SortStableFunc(s.all, func(a, b termCursor) int {
		return cmp.Or(cmp.Compare(a.rarity(), b.rarity()), cmp.Compare(a.bound, b.bound))
	})
	return s.all
}

// rarity is 0 for a frequent term. Since reading the list of a rare term takes less time
// than asking it about many sections, such lists are always read.
func (t *termCursor) rarity() int {
	if t.dense != nil {
		return 0
	}
	return 1
}

// boundOf returns the most that a term adds to any section with at least a norm. The
// saturation of a term is highest for its highest weight in the shortest section.
func (s *Scores) boundOf(of rankedList, gain, norm uint64) uint64 {
	w := uint64(of.most) * one
	return max(1, gain*(w<<16/(w+max(s.base, norm)))>>16)
}

func (t *termCursor) gainOf(saturation uint64) uint64 {
	if t.isKey {
		return t.gain
	}
	return max(1, t.gain*saturation>>16)
}

// addTo adds the gains of the sections from start on to sums. start must be a multiple
// of 64, and the sections before it must have passed.
func (t *termCursor) addTo(sums []uint64, start uint32, c *Columns) {
	if t.dense != nil {
		first := int(start / 64)
		end := min(len(t.dense.Words), first+wordsOf(len(sums)))
		t.dense.Each(first, end, func(ordinal, weight uint32) {
			sums[ordinal-start] += t.gainOf(c.saturation(ordinal, weight))
		})
		return
	}
	end := start + uint32(len(sums))
	for t.seek(start); t.next < len(t.ordinals) && t.ordinals[t.next] < end; t.next++ {
		sums[t.ordinals[t.next]-start] += t.gainOf(uint64(t.saturations[t.next]))
	}
}

// of returns the gain of a section, which must not come before the section of an earlier
// call.
func (t *termCursor) of(ordinal uint32, c *Columns) uint64 {
	if t.dense != nil {
		if weight := t.dense.Count(ordinal); weight > 0 {
			return t.gainOf(c.saturation(ordinal, weight))
		}
		return 0
	}
	if !t.seek(ordinal) {
		return 0
	}
	return t.gainOf(uint64(t.saturations[t.next]))
}

// seek skips the sections before an ordinal, and reports whether the list contains it.
func (t *termCursor) seek(ordinal uint32) (isThere bool) {
	step := 1
	for t.next+step < len(t.ordinals) && t.ordinals[t.next+step] < ordinal {
		step *= 2
	}
	skipped, isThere := slices.BinarySearch(t.ordinals[t.next:min(len(t.ordinals), t.next+step+1)], ordinal)
	t.next += skipped
	return isThere
}

// windowSize is how many sections are looked at together. The sums of a window should fit
// into the fastest memory of a processor.
const windowSize = 1 << 12

var windows = sync.Pool{New: func() any { return new([windowSize]uint64) }}

// rank returns the keys of the best n sections in a set by their own sums, and the
// lowest of these keys, or 0 if there are fewer. If the set is nil, it ranks all
// sections. The keys are without passages unless all sums were added up.
func (s *Scores) rank(set []uint64, n int) (best []uint64, cutoff uint64) {
	r := ranker{scores: s, set: set, ranks: ranks{size: n}, least: 1}
	if s.sums != nil {
		r.take(0, s.sums)
	} else {
		r.skim()
	}
	if r.ranks.isFull() {
		cutoff = ^r.ranks.heap[0].Key
	}
	for _, item := range r.ranks.heap {
		best = append(best, ^item.Key)
		if ordinal := hitOf(^item.Key).Ordinal; s.passages.read[ordinal].sum() == 0 {
			s.known[ordinal] = item.Value
		}
	}
	return best, cutoff
}

// rankFirst finds the sections whose sketches are read, and a few more.
func (s *Scores) rankFirst() {
	s.best, s.cutoff = s.rank(nil, firstRanked)
	slices.SortFunc(s.best, func(a, b uint64) int { return cmp.Compare(b, a) })
}

// A ranker keeps the best sections.
type ranker struct {
	scores *Scores
	set    []uint64 // the sections that count; nil means all
	ranks  ranks
	least  uint64 // the lowest sum of a section that can be among the best

	all    []termCursor // the frequent terms first, then by bound
	rests  []normRests  // of the first lists, by their number
	others int          // how many of the first lists needn't be read in this window
	rest   uint64       // the most that the others can add to a sum in this window
}

// normRests are the most that some lists add to the sum of a section, by the norm of the
// section, in units of normStep. Since terms weigh less in long sections, these bounds are
// much lower than the bounds for all sections.
type normRests [normSteps]uint64

const (
	normStep  = 32
	normSteps = 64
)

func (c *Columns) stepOf(length uint32) uint64 {
	return min(c.normOf(length)/normStep, normSteps-1)
}

func (s *Scores) restsOf(all []termCursor) []normRests {
	rests := make([]normRests, len(all)+1)
	for i, t := range all {
		for step := range normSteps {
			bound := t.bound
			if !t.isKey {
				bound = s.boundOf(t.rankedList, t.gain, uint64(step)*normStep)
			}
			rests[i+1][step] = rests[i][step] + bound
		}
	}
	return rests
}

// skim ranks the sections without reading every list from end to end.
func (r *ranker) skim() {
	s := r.scores
	r.all = slices.Clone(s.cursors())
	r.rests = s.restsOf(r.all)
	frequent := 0 // terms
	for frequent < len(r.all) && r.all[frequent].rarity() == 0 {
		frequent++
	}
	window := windows.Get().(*[windowSize]uint64)
	defer windows.Put(window)
	for i, length := range s.shortest {
		start := uint32(i * windowSize)
		step := s.stepOf(length)
		if r.rests[len(r.all)][step] < r.least {
			continue
		}
		for r.others = 0; r.others < frequent && r.rests[r.others+1][step] < r.least; r.others++ {
		}
		r.rest = r.rests[r.others][step]
		sums := window[:min(windowSize, len(s.Lengths)-i*windowSize)]
		clear(sums)
		for k := range r.all[r.others:] {
			r.all[r.others+k].addTo(sums, start, s.Columns)
		}
		r.take(start, sums)
	}
}

// take ranks the sections from start on by their sums, which are without the others.
func (r *ranker) take(start uint32, sums []uint64) {
	s := r.scores
	for i, sum := range sums {
		ordinal := start + uint32(i)
		if sum+r.rest < r.least || r.set != nil && !isIn(r.set, ordinal) {
			continue
		}
		if sum = r.complete(ordinal, sum); sum < r.least {
			continue
		}
		if r.ranks.add(keyOf(UnitHit{ordinal, s.ownOf(ordinal, sum)}), sum) && r.ranks.isFull() {
			r.least = s.leastSum(hitOf(^r.ranks.heap[0].Key).Score)
		}
	}
}

// complete adds the gains of the others to the sum of a section, unless the section
// cannot be among the best.
func (r *ranker) complete(ordinal uint32, sum uint64) uint64 {
	if r.others == 0 {
		return sum
	}
	step := r.scores.stepOf(r.scores.Lengths[ordinal])
	for i := r.others - 1; i >= 0 && sum+r.rests[i+1][step] >= r.least; i-- {
		sum += r.all[i].of(ordinal, r.scores.Columns)
	}
	return sum
}

// sumOf returns the sum of a section.
func (s *Scores) sumOf(ordinal uint32) uint64 {
	if s.sums != nil {
		return s.sums[ordinal]
	}
	if sum, isKnown := s.known[ordinal]; isKnown {
		return sum
	}
	sum := uint64(0)
	for _, t := range s.cursors() {
		sum += t.of(ordinal, s.Columns)
	}
	s.known[ordinal] = sum
	return sum
}

// raise adds to the sum of a section.
func (s *Scores) raise(ordinal uint32, gain uint64) {
	if s.sums != nil {
		s.sums[ordinal] += gain
	} else {
		s.known[ordinal] = s.sumOf(ordinal) + gain
	}
}

// addUp adds up the sums of all sections.
func (s *Scores) addUp() {
	if s.sums != nil {
		return
	}
	s.sums = newNumbers(len(s.Lengths))
	for _, t := range s.cursors() {
		t.addTo(s.sums, 0, s.Columns)
	}
	for ordinal, gains := range s.passages.read {
		s.sums[ordinal] += gains.sum()
	}
}

// hitSet returns the hits as a set.
func (s *Scores) hitSet() []uint64 {
	if s.hits != nil {
		return s.hits
	}
	s.hits = make([]uint64, wordsOf(len(s.Lengths)))
	if s.sums != nil {
		for ordinal, sum := range s.sums {
			s.hits[ordinal/64] |= (sum | -sum) >> 63 << (ordinal % 64)
		}
	} else {
		for _, t := range s.cursors() {
			t.rankedList.addTo(s.hits)
		}
	}
	s.addSupported(s.hits)
	return s.hits
}

// addSupported adds the parts that are supported by the sections of a set.
func (c *Columns) addSupported(set []uint64) {
	before, here := uint64(0), uint64(0) // words of the set without supported parts
	if len(set) > 0 {
		here = set[0]
	}
	for i := range set {
		after, joinsAfter := uint64(0), uint64(0)
		if i+1 < len(set) {
			after, joinsAfter = set[i+1], c.joins[i+1]
		}
		byLast := (here<<1 | before>>63) & c.joins[i]
		byNext := (here&c.joins[i])>>1 | (after&joinsAfter)<<63
		set[i] = here | byLast | byNext
		before, here = here, after
	}
}

// wordsOf returns how many numbers a set of n sections consists of.
func wordsOf(n int) int { return (n + 63) / 64 }

func isIn(set []uint64, ordinal uint32) bool { return set[ordinal/64]>>(ordinal%64)&1 == 1 }

func countOf(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// A pageHits contains the hits in some pages. It is a HitList.
type pageHits struct {
	*Scores
	set []uint64 // the sections of these pages
}

// In returns the hits in allowed pages. firsts is the same as for [ByPage].
func (s *Scores) In(allowed []bool, firsts []uint32) HitList {
	h := pageHits{s, make([]uint64, wordsOf(len(s.Lengths)))}
	for page, isAllowed := range allowed {
		if isAllowed {
			for ordinal := firsts[page]; ordinal < firsts[page+1]; ordinal++ {
				h.set[ordinal/64] |= 1 << (ordinal % 64)
			}
		}
	}
	return h
}

// Len implements [HitList].
func (h pageHits) Len() (n int) {
	for i, word := range h.hitSet() {
		n += bits.OnesCount64(word & h.set[i])
	}
	return n
}

// Best implements [HitList].
func (h pageHits) Best(n int) (hits []UnitHit, cutoff uint64) { return h.bestIn(h.set, n) }

// All implements [HitList].
func (h pageHits) All() []UnitHit {
	return slices.DeleteFunc(h.Scores.All(), func(hit UnitHit) bool { return !isIn(h.set, hit.Ordinal) })
}

// Contains implements [HitList].
func (h pageHits) Contains(ordinal uint32) bool { return isIn(h.set, ordinal) && h.isHit(ordinal) }
