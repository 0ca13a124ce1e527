package ranking

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/contextcompiler/context/internal/base/heap"
	"github.com/contextcompiler/context/internal/caches/index"
)

// This file finds the best sections without adding up the sums of all sections: by
// MaxScore (Turtle and Flood, Query evaluation: strategies and optimizations, 1995). A
// section that contains only the most frequent terms of a query cannot be among the best
// once enough better sections are known. Therefore, only the lists of the other terms are
// read from end to end; the lists of frequent terms are asked about few sections.

// A scoredList is the list of a term or a key of a query.
type scoredList struct {
	rankedList
	gain   uint64     // the most that the term adds, in units of 1/2^16
	isKey  bool       // whether each section gets the whole gain
	bounds normBounds // no section gets more from this list
}

// normBounds are the most that a list adds to a section, by the norm of the section in
// units of normStep. Since terms weigh less in long sections, these bounds are much lower
// than a bound for all sections.
type normBounds [normSteps]uint64

const (
	normStep  = 32
	normSteps = 64
)

// stepOf returns the position of a section of this length in normBounds.
func (c *Columns) stepOf(length uint32) uint8 {
	return uint8(min(c.normOf(length)/normStep, normSteps-1))
}

// scoredLists returns all lists: those of frequent terms first, then by bound. All terms
// and keys must have been added.
func (s *Scores) scoredLists() []scoredList {
	if s.all != nil {
		return s.all
	}
	for i, of := range s.lists {
		if of.count > 0 {
			s.all = append(s.all, scoredList{of, s.maxGains[i], false, s.boundsOf(of, s.maxGains[i])})
		}
	}
	for i, of := range s.keys {
		if gain := s.keyGains[i]; gain > 0 {
			s.all = append(s.all, scoredList{of, gain, true, normBounds(slices.Repeat([]uint64{gain}, normSteps))})
		}
	}
	slices.SortStableFunc(s.all, func(a, b scoredList) int {
		return cmp.Or(cmp.Compare(a.rarity(), b.rarity()), cmp.Compare(a.bounds[0], b.bounds[0]))
	})
	return s.all
}

// rarity is 0 for a frequent term. Since reading the list of a rare term takes less time
// than asking it about many sections, such lists are read first.
func (l *scoredList) rarity() int {
	if l.dense != nil {
		return 0
	}
	return 1
}

// boundsOf returns the bounds of a term. Its saturation is highest for its highest weight
// in the shortest section.
func (s *Scores) boundsOf(of rankedList, gain uint64) (bounds normBounds) {
	w := uint64(of.most) * one
	for step := range bounds {
		norm := max(s.base, uint64(step)*normStep)
		bounds[step] = max(1, gain*(w<<16/(w+norm))>>16)
	}
	return bounds
}

func (l *scoredList) gainOf(saturation uint64) uint64 {
	if l.isKey {
		return l.gain
	}
	return max(1, l.gain*saturation>>16)
}

// addTo adds the gains of the sections of the i-th window.
func (l *scoredList) addTo(w *scoredWindow, i int, c *Columns) {
	if l.dense == nil {
		for n := l.starts[i]; n < l.starts[i+1]; n++ {
			w.add(l.ordinals[n], l.gainOf(uint64(l.saturations[n])))
		}
		return
	}
	first := i * len(w.touched)
	l.dense.Each(first, min(l.dense.Words(), first+len(w.touched)), func(ordinal, weight uint32) {
		w.add(ordinal, l.gainOf(c.saturation(ordinal, weight)))
	})
}

// addAll adds the gains of all sections to sums.
func (l *scoredList) addAll(sums []uint64, c *Columns) {
	for i, ordinal := range l.ordinals {
		sums[ordinal] += l.gainOf(uint64(l.saturations[i]))
	}
	if l.dense != nil {
		l.dense.Each(0, l.dense.Words(), func(ordinal, weight uint32) {
			sums[ordinal] += l.gainOf(c.saturation(ordinal, weight))
		})
	}
}

// of returns the gain of a section.
func (l *scoredList) of(ordinal uint32, c *Columns) uint64 {
	if l.dense != nil {
		if weight := l.dense.Count(ordinal); weight > 0 {
			return l.gainOf(c.saturation(ordinal, weight))
		}
		return 0
	}
	if n, found := l.find(ordinal); found {
		return l.gainOf(uint64(l.saturations[n]))
	}
	return 0
}

// windowSize is how many sections are looked at together. The sums of a window should fit
// into the fastest memory of a processor.
const windowSize = index.WindowSize

// A scoredWindow adds up the sums of windowSize sections. It is zero between uses.
type scoredWindow struct {
	sums    [windowSize]uint64
	touched [windowSize / 64]uint64 // a bit for each section with a sum
}

func (w *scoredWindow) add(ordinal uint32, gain uint64) {
	at := ordinal % windowSize
	w.touched[at/64] |= 1 << (at % 64)
	w.sums[at] += gain
}

var windows = sync.Pool{New: func() any { return new(scoredWindow) }}

// rank returns the keys of the best n sections in a set by their own sums, and the
// lowest of these keys, or 0 if there are fewer. If the set is nil, it ranks all
// sections. The keys are without passages unless all sums were added up.
func (s *Scores) rank(set []uint64, n int) (best []uint64, cutoff uint64) {
	r := ranker{scores: s, set: set, size: n, least: 1}
	if s.sums != nil {
		for ordinal, sum := range s.sums {
			r.add(uint32(ordinal), sum)
		}
	} else {
		r.skim()
	}
	if len(r.best) == n {
		cutoff = ^r.best[0].Key
	}
	for _, item := range r.best {
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
	set    []uint64          // the sections that count; nil means all
	size   int               // most sections to keep
	best   heap.Heap[uint64] // sums by inverted keys, so that the lowest key comes first
	least  uint64            // the lowest sum of a section that can be among the best

	others []scoredList // the lists that needn't be read in this window
	rest   uint64       // the most that the others can add to a sum in this window
}

// skim ranks the sections without reading every list from end to end.
func (r *ranker) skim() {
	w := windows.Get().(*scoredWindow)
	defer windows.Put(w)
	for _, i := range r.scores.promising() {
		r.skimWindow(w, i)
	}
}

// promising returns the numbers of all windows. Those with most of the rare terms, which
// are often about the subject of the query, come first. The sooner good sections are known,
// the more can be skipped.
func (s *Scores) promising() []int {
	worth, order := make([]uint64, len(s.Numbers.Windows)), make([]int, len(s.Numbers.Windows))
	for i := range order {
		order[i] = i
		for _, l := range s.scoredLists() {
			if l.dense == nil {
				worth[i] += l.gain * uint64(l.starts[i+1]-l.starts[i])
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(worth[b], worth[a]), cmp.Compare(a, b)) })
	return order
}

// skimWindow ranks the sections of the i-th window, unless none can be among the best.
func (r *ranker) skimWindow(w *scoredWindow, i int) {
	s := r.scores
	all, step := s.scoredLists(), s.stepOf(s.Numbers.Windows[i].Shortest)
	r.others, r.rest = nil, 0
	for n := range all {
		if r.rest+all[n].bounds[step] >= r.least {
			break
		}
		r.others, r.rest = all[:n+1], r.rest+all[n].bounds[step]
	}
	needed := all[len(r.others):]
	for n := range needed {
		needed[n].addTo(w, i, s.Columns)
	}
	if len(needed) > 0 {
		r.take(w, uint32(i*windowSize))
	}
}

// take ranks the sections of a window from start on, whose sums are without the others,
// and clears the window.
func (r *ranker) take(w *scoredWindow, start uint32) {
	for i, word := range w.touched {
		w.touched[i] = 0
		for ; word != 0; word &= word - 1 {
			at := i*64 + bits.TrailingZeros64(word)
			sum := w.sums[at]
			w.sums[at] = 0
			if sum+r.rest >= r.least {
				r.add(start+uint32(at), sum)
			}
		}
	}
}

// add ranks a section by its sum, which is without the others.
func (r *ranker) add(ordinal uint32, sum uint64) {
	s := r.scores
	if r.set != nil && !isIn(r.set, ordinal) {
		return
	}
	if sum = r.complete(ordinal, sum); sum < r.least {
		return
	}
	item := heap.Element[uint64]{Key: ^keyOf(UnitHit{ordinal, s.ownOf(ordinal, sum)}), Value: sum}
	switch {
	case len(r.best) < r.size:
		r.best.Push(item)
	case item.Key < r.best[0].Key:
		r.best.Replace(item)
	default:
		return
	}
	if len(r.best) == r.size {
		r.least = s.leastSum(hitOf(^r.best[0].Key).Score)
	}
}

// complete adds the gains of the others to the sum of a section. If the section cannot be
// among the best, it stops and returns a number below the least sum.
func (r *ranker) complete(ordinal uint32, sum uint64) uint64 {
	if len(r.others) == 0 {
		return sum
	}
	step := r.scores.stepOf(r.scores.Numbers.Length(ordinal))
	for i := range r.others {
		if l := &r.others[i]; l.mayContain(ordinal) {
			sum += l.bounds[step]
		}
	}
	for i := len(r.others) - 1; i >= 0 && sum >= r.least; i-- {
		if l := &r.others[i]; l.mayContain(ordinal) {
			sum -= l.bounds[step] - l.of(ordinal, r.scores.Columns)
		}
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
	all := s.scoredLists()
	for i := range all {
		sum += all[i].of(ordinal, s.Columns)
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
	s.sums = make([]uint64, s.Numbers.Len())
	for _, l := range s.scoredLists() {
		l.addAll(s.sums, s.Columns)
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
	s.hits = make([]uint64, wordsOf(s.Numbers.Len()))
	if s.sums != nil {
		for ordinal, sum := range s.sums {
			s.hits[ordinal/64] |= (sum | -sum) >> 63 << (ordinal % 64)
		}
	} else {
		for _, l := range s.scoredLists() {
			l.mark(s.hits)
		}
	}
	s.addSupported(s.hits)
	return s.hits
}

// addSupported adds the parts that are supported by the sections of a set.
func (c *Columns) addSupported(set []uint64) {
	joins := c.joins()
	before, here := uint64(0), uint64(0) // words of the set without supported parts
	if len(set) > 0 {
		here = set[0]
	}
	for i := range set {
		after, joinsAfter := uint64(0), uint64(0)
		if i+1 < len(set) {
			after, joinsAfter = set[i+1], joins[i+1]
		}
		byLast := (here<<1 | before>>63) & joins[i]
		byNext := (here&joins[i])>>1 | (after&joinsAfter)<<63
		set[i] = here | byLast | byNext
		before, here = here, after
	}
}

// wordsOf returns how many numbers a set of n sections consists of.
func wordsOf(n int) int { return (n + 63) / 64 }

func isIn(set []uint64, ordinal uint32) bool { return set[ordinal/64]>>(ordinal%64)&1 == 1 }

// A pageHits contains the hits in some pages. It is a HitList.
type pageHits struct {
	*Scores
	set []uint64 // the sections of these pages
}

// In returns the hits in allowed pages. firsts is the same as for [ByPage].
func (s *Scores) In(allowed []bool, firsts []uint32) HitList {
	h := pageHits{s, make([]uint64, wordsOf(s.Numbers.Len()))}
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
