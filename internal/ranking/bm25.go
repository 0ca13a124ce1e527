package ranking

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/contextcompiler/context/internal/heap"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/sections"
)

// This file is BM25F (Robertson and Zaragoza, The Probabilistic Relevance
// Framework, 2009): how much a term says by how few sections have it, how much a section
// has of it by its weight there, which adds up its fields, and how much that
// counts by how long the section is. docs/selection.md has the formulas.

// A Hit is a section that has terms of a query, or a page that has such sections.
type Hit struct {
	Ordinal uint32
	Score   Score
}

// Constants of BM25, in units of 1/256.
const (
	k1 = 512 // how slowly more of a term counts less
	b  = 192 // how much the length of a section counts
)

// A Collection holds the sections that can answer a query.
type Collection struct {
	Lengths []uint32          // by section: the sum of the weights of its terms
	Traits  []sections.Traits // by section

	// EachTerm calls visit with the number of each term of the query and its
	// postings: one for each section that has it, in any order, with the term's
	// weight there. See package sections.
	EachTerm func(visit func(i int, postings []index.Posting)) error

	// Near returns the words near a term that no section has, see [AreNear], in
	// their order, and the postings of each.
	Near func(term string) (words []string, postings [][]index.Posting, err error)

	// Sketch returns the sketch of a section's words. It is valid until the next
	// call.
	Sketch func(ordinal uint32) ([]byte, error)
}

// Scores are the scores of all sections for one query.
type Scores struct {
	Hits  []Hit     // the sections that have any of the terms, by ordinal
	Query TermQuery // with the words that unknown terms stand for

	counts    []int    // by term: the sections that have it
	maxGains  []uint64 // of the terms, in units of 1/2^16
	pairGains []uint64 // of the pairs, in the same units
	lengths   []uint32 // by section
	traits    []sections.Traits
	sums      []uint64 // of the gains of terms: by section, in units of 1/2^16
	most      uint64   // that a sum can be, in units of 1/2^16
	base      uint64   // norm of a section of length 0, in units of 1/256
	slope     uint64   // of norms by length, in units of 1/2^28
	scale     uint64   // what makes a sum a Score, in units of 1/2^32

	asked map[uint32]bool // the best sections by ordinal: their sketches were asked for pairs
}

// ScoreSections scores the sections of a collection. It fails if the collection
// does, with its error.
func ScoreSections(query TermQuery, all Collection) (*Scores, error) {
	s := newScores(query, all)
	var unknown []int // terms that no section has
	err := all.EachTerm(func(i int, postings []index.Posting) {
		if len(postings) == 0 && CanBeNear(query.Terms[i].Text, len(query.Terms)) {
			unknown = append(unknown, i)
			return
		}
		s.addTerm(i, postings)
	})
	if err != nil {
		return nil, err
	}
	if err := s.addNear(unknown, all.Near); err != nil {
		return nil, err
	}
	s.weighPairs()
	s.scale = 1 << 62 / max(1, s.most)
	s.Hits = s.hits()
	if err := s.addPairs(all.Sketch); err != nil {
		return nil, err
	}
	s.Hits = s.supported()
	return s, nil
}

func newScores(query TermQuery, all Collection) *Scores {
	lengths := all.Lengths
	total := uint64(0)
	for _, length := range lengths {
		total += uint64(length)
	}
	return &Scores{
		Query:    TermQuery{slices.Clone(query.Terms), query.Pairs},
		counts:   make([]int, len(query.Terms)),
		maxGains: make([]uint64, len(query.Terms)),
		lengths:  lengths,
		traits:   all.Traits,
		sums:     make([]uint64, len(lengths)),
		base:     k1 * (one - b) / one,
		slope:    k1 * b * uint64(len(lengths)) << 12 / max(1, total),
	}
}

// norm returns the weight at which the saturation of a term is one half, in units of
// 1/256: k1 * ((1-b) + b * length/average).
func (s *Scores) norm(ordinal uint32) uint64 {
	return s.base + s.slope*uint64(s.lengths[ordinal])>>20
}

// maxGain returns idf(term)*(k1+1), the most that one term can add to a sum, in units
// of 1/2^16. It is never 0. docs/selection.md calls it worth.
func (s *Scores) maxGain(term Term, sections int) uint64 {
	return idf(len(s.lengths), sections) * term.Weight / one * (k1 + one) / one
}

// saturation returns weight / (weight + norm), in units of 1/2^16.
func (s *Scores) saturation(ordinal, weight uint32) uint64 {
	w := uint64(weight) * one
	return w << 16 / (w + s.norm(ordinal))
}

// addTerm adds the i-th term of the query to the sections that have it. However
// small the gain of a term, it is at least 1.
func (s *Scores) addTerm(i int, postings []index.Posting) {
	most := s.maxGain(s.Query.Terms[i], len(postings))
	s.counts[i], s.maxGains[i] = len(postings), most
	s.most += most
	for _, p := range postings {
		s.sums[p.Ordinal] += s.gain(i, p)
	}
}

// gain returns the addition of the i-th term to the sum of a section.
func (s *Scores) gain(i int, p index.Posting) uint64 {
	return max(1, s.maxGains[i]*s.saturation(p.Ordinal, p.Count)>>16)
}

// Of returns the addition of the i-th term to the score of a section, whose posting
// is p.
func (s *Scores) Of(i int, p index.Posting) Score {
	return s.byTraits(p.Ordinal, s.scoreOf(s.gain(i, p)))
}

// OfPair is Of for the i-th pair and a section that has it.
func (s *Scores) OfPair(i int, ordinal uint32) Score {
	return s.byTraits(ordinal, s.scoreOf(s.pairGains[i]))
}

// WasAsked reports whether a section is among the best, which were asked for
// pairs.
func (s *Scores) WasAsked(ordinal uint32) bool { return s.asked[ordinal] }

// Sections returns how many sections have the i-th term, or a word that it stands
// for.
func (s *Scores) Sections(i int) int { return s.counts[i] }

// MaxScore returns the most that the i-th term adds to a score.
func (s *Scores) MaxScore(i int) Score { return s.scoreOf(s.maxGains[i]) }

// Constants of the evidence of pairs.
const (
	pairWeight = one / 4 // of a pair: times the smaller gain of its terms
	pairDepth  = 64      // how many of the best sections are asked for pairs
)

// weighPairs finds the gain of each pair of the query.
func (s *Scores) weighPairs() {
	s.pairGains = make([]uint64, len(s.Query.Pairs))
	for i, pair := range s.Query.Pairs {
		s.pairGains[i] = min(s.maxGains[pair.First], s.maxGains[pair.Second]) * pairWeight / one
		s.most += s.pairGains[i]
	}
}

// addPairs adds the pairs of the query to the best sections.
func (s *Scores) addPairs(sketch func(ordinal uint32) ([]byte, error)) error {
	if len(s.Query.Pairs) == 0 {
		return nil
	}
	best, _ := bestOf(s.Hits, pairDepth)
	s.asked = make(map[uint32]bool, pairDepth)
	for _, item := range best {
		hit := &s.Hits[item.Value]
		words, err := sketch(hit.Ordinal)
		if err != nil {
			return err
		}
		s.asked[hit.Ordinal] = true
		hit.Score = s.byTraits(hit.Ordinal, s.scoreOf(s.sums[hit.Ordinal]+s.pairsIn(words)))
	}
	return nil
}

// pairsIn returns the sum of the gains of the pairs that a sketch has.
func (s *Scores) pairsIn(sketch []byte) (sum uint64) {
	for i, pair := range s.Query.Pairs {
		if pair.Count(sketch) > 0 {
			sum += s.pairGains[i]
		}
	}
	return sum
}

// bestOf returns the best n hits by their places among the hits, in no order, and
// the key of the last of them, 0 if that is all.
func bestOf(hits []Hit, n int) (best heap.Heap[int], last uint64) {
	best = make(heap.Heap[int], 0, min(n, len(hits)))
	for i, hit := range hits {
		key := ^keyOf(hit) // the worst of the best comes first
		switch {
		case len(best) < n:
			best.Push(heap.Element[int]{Key: key, Value: i})
		case key < best[0].Key:
			best.Replace(heap.Element[int]{Key: key, Value: i})
		}
	}
	if len(best) == len(hits) {
		return best, 0
	}
	return best, ^best[0].Key
}

// keyOf puts the higher score first, and of equal ones the lower ordinal.
func keyOf(hit Hit) uint64 { return uint64(hit.Score)<<32 | uint64(^hit.Ordinal) }

// scoreIn returns the score of a key.
func scoreIn(key uint64) Score { return Score(key >> 32) }

// leastIDF is the idf of a term that all sections have, in units of 1/2^16. A common
// word of a question belongs to it, too.
const leastIDF = 1 << 15

// idf returns the inverse document frequency of a term that n of N sections have:
// the binary logarithm of (2N+2)/(2n+1), in units of 1/2^16, and leastIDF more.
func idf(all, n int) uint64 { return leastIDF + log2(2*uint64(all)+2) - log2(2*uint64(n)+1) }

// log2 returns the binary logarithm of x, which is at least 1, in units of
// 1/2^16, rounded down: every square of the mantissa yields one more bit of it.
func log2(x uint64) uint64 {
	whole := bits.Len64(x) - 1
	mantissa := x << (63 - whole) >> 32 // in units of 1/2^31, 1 or more and less than 2
	result := uint64(whole)
	for range 16 {
		mantissa = mantissa * mantissa >> 31
		result <<= 1
		if mantissa >= 1<<32 {
			result |= 1
			mantissa >>= 1
		}
	}
	return result
}

// hits returns the sections that have any of the terms, by ordinal, without what
// pairs add.
func (s *Scores) hits() []Hit {
	n := 0
	for _, sum := range s.sums {
		if sum > 0 {
			n++
		}
	}
	hits := make([]Hit, 0, n)
	for ordinal, sum := range s.sums {
		if sum > 0 {
			hits = append(hits, Hit{uint32(ordinal), s.byTraits(uint32(ordinal), s.scoreOf(sum))})
		}
	}
	return hits
}

// scoreOf returns the score of a sum, as a share of the most; never 0.
func (s *Scores) scoreOf(sum uint64) Score {
	high, low := bits.Mul64(sum, s.scale)
	return Score(max(1, min(high<<(64-(62-scoreBits))|low>>(62-scoreBits), 1<<scoreBits)))
}

// ByPage returns the pages that have any of these sections, by ordinal, each
// with the score of the best. firsts has the first section of each page and,
// behind these, how many sections there are.
func ByPage(hits []Hit, firsts []uint32) []Hit {
	var pages []Hit
	for _, hit := range hits {
		page := PageOf(firsts, hit.Ordinal)
		if n := len(pages); n > 0 && pages[n-1].Ordinal == page {
			pages[n-1].Score = max(pages[n-1].Score, hit.Score)
		} else {
			pages = append(pages, Hit{page, hit.Score})
		}
	}
	return pages
}

// PageOf returns the page of a section, with firsts as for [ByPage].
func PageOf(firsts []uint32, section uint32) uint32 {
	page, found := slices.BinarySearchFunc(firsts, section, cmp.Compare[uint32])
	if !found {
		page--
	}
	return uint32(page)
}
