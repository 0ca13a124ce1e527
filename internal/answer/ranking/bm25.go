package ranking

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/contextcompiler/context/internal/base/recent"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// This file implements BM25F (Robertson and Zaragoza, The Probabilistic Relevance
// Framework, 2009). A term counts more if fewer sections contain it, if its weight in a
// section is higher, which adds up the fields, and if the section is shorter.
// docs/selection.md lists the formulas.

// Constants of BM25, in units of 1/256.
const (
	k1 = 512 // how slowly more of a term counts less
	b  = 192 // how much the length of a section counts
)

// Columns are numbers of all sections for any query. See [NewColumns].
type Columns struct {
	Numbers *index.SectionNumbers

	base  uint64          // norm of a section of length 0, in units of 1/256
	slope uint64          // of norms by length, in units of 1/2^28
	joins func() []uint64 // a bit for each section that continues the section before it

	owner recent.Owner // of lists
}

// NewColumns returns the columns of sections. It looks at no single section, because many
// processes answer only a single query, which needs few of them.
func NewColumns(of *index.SectionNumbers) *Columns {
	c := &Columns{Numbers: of, base: k1 * (one - b) / one, owner: recent.NewOwner()}
	total := uint64(0)
	for _, w := range of.Windows {
		total += w.Total
	}
	c.slope = k1 * b * uint64(of.Len()) << 12 / max(1, total)
	c.joins = sync.OnceValue(func() []uint64 { return of.With(sections.Continues) })
	return c
}

// A SectionIndex knows the terms, the keys and the sketches of the sections that can answer a
// query.
type SectionIndex interface {
	// List returns the list of a stored term (see [sections.StoredTerm]) or of a key: a posting for
	// each section that contains it, with its weight there.
	List(term string) (index.List, error)

	// Near returns the words that replace a term because no section contains it, see
	// [StandsFor], in their order.
	Near(term string) ([]string, error)

	// Sketch returns the sketch of a section's words. The next call may overwrite it.
	Sketch(ordinal uint32) ([]byte, error)
}

// Scores are the scores of all sections for a query. The hits are the sections that
// contain any of the terms, and the parts supported by such sections.
type Scores struct {
	Query TermQuery // with the words that replace unknown terms

	counts    []int    // by term: the sections that contain it
	maxGains  []uint64 // of the terms, in units of 1/2^16
	pairGains []uint64 // of the pairs, in the same units
	keyGains  []uint64 // of the keys, in the same units; 0 if no section contains the key
	passages  passages
	lists     []rankedList // by term, only for terms in passages
	keys      []rankedList // by key
	*Columns
	sums  []uint64          // by section: the sum of all gains, in units of 1/2^16; nil unless they were added up
	known map[uint32]uint64 // sums of sections if sums is nil
	all   []scoredList      // what scoredLists returns; nil until then
	hits  []uint64          // a bit for each hit; nil until it is needed
	most  uint64            // the highest possible sum, in units of 1/2^16
	scale uint64            // turns a sum into a Score, see scaleOf

	best   []uint64 // keys of the best sections by their own sums, in descending order
	cutoff uint64   // other sections have lower keys; 0 without other sections

	bestHits []UnitHit // what Best returns for the best; nil until then
	covers   *coverer  // for Worth and Covered; nil until then
}

// ScoreSections scores the sections of an index with these columns. It returns the errors of the
// index, and stops when ctx ends.
func ScoreSections(ctx context.Context, query TermQuery, columns *Columns, from SectionIndex) (*Scores, error) {
	s := newScores(query, columns)
	return s, s.score(ctx, from)
}

func newScores(query TermQuery, columns *Columns) *Scores {
	s := &Scores{
		Query:    TermQuery{slices.Clone(query.Terms), query.Pairs, query.Keys},
		counts:   make([]int, len(query.Terms)),
		maxGains: make([]uint64, len(query.Terms)),
		lists:    make([]rankedList, min(mostTerms, len(query.Terms))),
		Columns:  columns,
		known:    map[uint32]uint64{},
	}
	if len(query.Terms) > mostTerms { // the lists of a long query would need too much memory
		s.sums = make([]uint64, columns.Numbers.Len())
	}
	return s
}

func (s *Scores) score(ctx context.Context, from SectionIndex) error {
	if err := s.addTerms(ctx, from); err != nil {
		return err
	}
	s.weighPairs()
	if err := s.addKeys(from); err != nil {
		return err
	}
	s.weighPassages()
	s.scale = scaleOf(s.most)
	s.rankFirst()
	return s.readBest(ctx, from)
}

// norm returns the weight at which the saturation of a term is one half, in units of
// 1/256: k1 * ((1-b) + b * length/average).
func (c *Columns) norm(ordinal uint32) uint64 { return c.normOf(c.Numbers.Length(ordinal)) }

func (c *Columns) normOf(length uint32) uint64 { return c.base + c.slope*uint64(length)>>20 }

// maxGain returns idf(term)*(k1+1)*focus, the most a term can add to a sum, in units of
// 1/2^16. It is never 0. docs/selection.md calls it worth.
func (s *Scores) maxGain(term Term, of rankedList) uint64 {
	gain := IDF(s.Numbers.Len(), of.count) * term.Weight / one * (k1 + one) / one
	focus := of.focus()
	if term.IsSymbol {
		focus = max(focus, halfFocus)
	}
	return max(1, gain*focus>>16)
}

// halfFocus is the focus of a term that no section contains. It is also the lowest focus
// of a symbol, because few headings repeat code.
const halfFocus = 1 << 15

// focus returns a/(a+k1) for the average weight a of a term in the sections of its list,
// in units of 1/2^16. Sections mention a chatty word such as "struggling" in passing,
// whereas they repeat the words they are about and use them in headings. Since a word
// that no section contains may be of either kind, its focus is that of an average weight
// of 2.
func (l rankedList) focus() uint64 {
	if l.count == 0 {
		return halfFocus
	}
	average := min(l.weights*one/uint64(l.count), math.MaxUint32)
	return average << 16 / (average + k1)
}

func (c *Columns) saturation(ordinal, weight uint32) uint64 {
	w := uint64(weight) * one
	return w << 16 / (w + c.norm(ordinal))
}

// addTerms adds the terms of the query in the order of the dictionary, because that makes lookups
// faster. Other words can replace a term that no section contains.
func (s *Scores) addTerms(ctx context.Context, from SectionIndex) error {
	order := make([]int, len(s.Query.Terms))
	stored := make([]string, len(s.Query.Terms))
	for i, term := range s.Query.Terms {
		order[i], stored[i] = i, sections.StoredTerm(term.Text)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(stored[a], stored[b]) })
	for _, i := range order {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		text := s.Query.Terms[i].Text
		if known, isHeld := heldLists.Get(s.listKeyOf(text)); isHeld {
			s.addList(i, known)
			continue
		}
		of, err := from.List(stored[i])
		switch {
		case err != nil:
			return err
		case of.Len == 0 && CanBeNear(text, len(s.Query.Terms)):
			if err := s.addNear(i, from); err != nil {
				return err
			}
		default:
			found := s.listOf(of)
			heldLists.Put(s.listKeyOf(text), found, found.size+len(text)+256)
			s.addList(i, found)
		}
	}
	return nil
}

// addList adds the i-th term of the query to the sections that contain it.
func (s *Scores) addList(i int, of rankedList) {
	s.counts[i], s.maxGains[i] = of.count, s.maxGain(s.Query.Terms[i], of)
	s.most += s.maxGains[i]
	if i < len(s.lists) {
		s.lists[i] = of
	}
	if s.sums != nil {
		l := scoredList{rankedList: of, gain: s.maxGains[i]}
		l.addAll(s.sums, s.Columns)
	}
}

// gain returns the addition of the i-th term to the sum of a section. It is at least 1,
// because each section with a term must be a hit.
func (s *Scores) gain(i int, p index.Posting) uint64 {
	return max(1, s.maxGains[i]*s.saturation(p.Ordinal, p.Count)>>16)
}

// Of returns the addition of the i-th term to the score of a section, whose posting is p.
func (s *Scores) Of(i int, p index.Posting) Score {
	return s.byTraits(p.Ordinal, s.scoreOf(s.gain(i, p)))
}

// OfPair is like Of for the i-th pair and a section with this pair.
func (s *Scores) OfPair(i int, ordinal uint32) Score {
	return s.byTraits(ordinal, s.scoreOf(s.pairGains[i]))
}

// Sections returns the number of sections with the i-th term, or with a word that
// replaces it.
func (s *Scores) Sections(i int) int { return s.counts[i] }

// MaxScore returns the most the i-th term can add to a score.
func (s *Scores) MaxScore(i int) Score { return s.scoreOf(s.maxGains[i]) }

// pairWeight is multiplied by the smaller gain of a pair's two terms.
const pairWeight = one / 4

func (s *Scores) weighPairs() {
	s.pairGains = make([]uint64, len(s.Query.Pairs))
	for i, pair := range s.Query.Pairs {
		s.pairGains[i] = min(s.maxGains[pair.First], s.maxGains[pair.Second]) * pairWeight / one
		s.most += s.pairGains[i]
	}
}

func (s *Scores) pairsIn(sketch []byte) (sum uint64) {
	for i, pair := range s.Query.Pairs {
		if pair.Count(sketch) > 0 {
			sum += s.pairGains[i]
		}
	}
	return sum
}

// keyWeights are multiplied by the most that terms and pairs can add.
var keyWeights = map[sections.KeyKind]uint64{
	sections.TitleKey:      one,
	sections.TitleTermsKey: one * 3 / 4,
	sections.HeadingKey:    one / 8,
	sections.SubjectKey:    one / 2,
}

// addKeys adds the keys of the query to the sections that contain them. A key that no
// section contains doesn't count.
func (s *Scores) addKeys(from SectionIndex) error {
	s.keyGains, s.keys = make([]uint64, len(s.Query.Keys)), make([]rankedList, len(s.Query.Keys))
	most := s.most
	for i, key := range s.Query.Keys {
		of, err := from.List(key.Text)
		if err != nil {
			return err
		}
		if of.Len == 0 {
			continue
		}
		s.keyGains[i], s.keys[i] = most*keyWeights[key.Kind]/one, s.listOf(of)
		s.most += s.keyGains[i]
		if s.sums != nil {
			l := scoredList{rankedList: s.keys[i], gain: s.keyGains[i], isKey: true}
			l.addAll(s.sums, s.Columns)
		}
	}
	return nil
}

// OfKey is like Of for the i-th key and a section with this key.
func (s *Scores) OfKey(i int, ordinal uint32) Score {
	return s.byTraits(ordinal, s.scoreOf(s.keyGains[i]))
}

// leastIDF is the idf of a term that all sections contain, in units of 1/2^16. It isn't 0
// because a common word of a question belongs to the question, too.
const leastIDF = 1 << 15

// IDF returns the inverse document frequency of a term that n of N sections contain: the
// binary logarithm of (2N+2)/(2n+1), in units of 1/2^16, plus leastIDF.
func IDF(all, n int) uint64 { return leastIDF + log2(2*uint64(all)+2) - log2(2*uint64(n)+1) }

// log2 returns the binary logarithm of x, which must be at least 1, in units of 1/2^16,
// rounded down. Each square of the mantissa yields another bit of it.
func log2(x uint64) uint64 {
	whole := bits.Len64(x) - 1
	mantissa := x << (63 - whole) >> 32 // in units of 1/2^31; at least 1, less than 2
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

// scaleOf returns the scale for sums of at most most.
func scaleOf(most uint64) uint64 { return 1 << 62 / max(1, most) }

// scoreOf returns a sum's share of the highest possible sum. It is never 0.
func (s *Scores) scoreOf(sum uint64) Score { return scaled(sum, s.scale) }

func scaled(sum, scale uint64) Score {
	high, low := bits.Mul64(sum, scale)
	return Score(max(1, min(high<<(64-(62-scoreBits))|low>>(62-scoreBits), 1<<scoreBits)))
}

// leastSum returns the least sum whose score is at least the given score.
func (s *Scores) leastSum(score Score) uint64 {
	if score <= 1 {
		return 1
	}
	return (uint64(score)<<(62-scoreBits) + s.scale - 1) / s.scale
}

// A Score is a share of the highest score possible for a query, in units of 1/2^30.
type Score uint32

const scoreBits = 30

// Millionths returns the score in units of 1/1000000. It is rounded down, but only 0
// becomes 0.
func (s Score) Millionths() uint64 { return max(uint64(s)*1_000_000>>scoreBits, uint64(min(s, 1))) }

// String returns the score as a decimal in [0,1]. It is rounded down, but only 0 becomes 0.
func (s Score) String() string { return Decimal(s.Millionths()) }

// Decimal returns millionths as a decimal of at most 1, with one to six digits after the decimal
// point.
func Decimal(millionths uint64) string {
	if millionths >= 1_000_000 {
		return "1.0"
	}
	digits := strconv.FormatUint(1_000_000+millionths, 10)[1:]
	return "0." + digits[:1] + strings.TrimRight(digits[1:], "0")
}

// The score of a section is adjusted to its place in its page.

const (
	// The score of a list of links is divided by linksDivisor, because the linked pages
	// answer better.
	linksDivisor = 2

	// A part gets at least supportShare/ofSupportShares of the score of the previous or the
	// next part, because the parts belong together.
	supportShare    = 4
	ofSupportShares = 5
)

func (s *Scores) byTraits(ordinal uint32, score Score) Score {
	if s.Numbers.Traits(ordinal)&sections.Links == 0 {
		return score
	}
	return max(1, score/linksDivisor)
}

// continues reports whether a section belongs to the same section of the page as the
// section before it. The ordinal may be out of range.
func (c *Columns) continues(ordinal uint32) bool {
	return int(ordinal) < c.Numbers.Len() && c.Numbers.Traits(ordinal)&sections.Continues != 0
}

// SectionOf returns the ordinal of the first part of a section that was cut, or the given
// ordinal if the section is whole.
func (c *Columns) SectionOf(ordinal uint32) uint32 {
	for c.continues(ordinal) {
		ordinal--
	}
	return ordinal
}

// own returns the score of a section without support by its neighbours, or 0 if it
// contains no term.
func (s *Scores) own(ordinal uint32) Score { return s.ownOf(ordinal, s.sumOf(ordinal)) }

func (s *Scores) ownOf(ordinal uint32, sum uint64) Score {
	if sum == 0 {
		return 0
	}
	return s.byTraits(ordinal, s.scoreOf(sum))
}

// Score returns the score of a section: its own or, if that is higher, the support by the
// parts before and after it.
func (s *Scores) Score(ordinal uint32) Score {
	score := s.own(ordinal)
	if s.continues(ordinal) {
		score = max(score, s.support(ordinal-1))
	}
	if s.continues(ordinal + 1) {
		score = max(score, s.support(ordinal+1))
	}
	return score
}

// support returns the score that a section gives to the parts before and after it.
func (s *Scores) support(ordinal uint32) Score {
	return Score(uint64(s.own(ordinal)) * supportShare / ofSupportShares)
}

// isHit reports whether a section, or a part that supports it, contains any of the terms.
func (s *Scores) isHit(ordinal uint32) bool {
	return s.sumOf(ordinal) > 0 ||
		s.continues(ordinal) && s.sumOf(ordinal-1) > 0 ||
		s.continues(ordinal+1) && s.sumOf(ordinal+1) > 0
}
