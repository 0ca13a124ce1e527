package ranking

import (
	"cmp"
	"slices"

	"github.com/contextcompiler/context/internal/heap"
	"github.com/contextcompiler/context/selection"
)

// againShare is what a further passage of a page counts, in units of 1/256, and
// the next one that share of it: what a page says it says soon, and other pages
// may say something else.
const againShare = 192

// maxMisses is how many passages in a row may be too large for what is left of
// the budget before no other is tried: what comes then is of little worth.
const maxMisses = 64

// A Unit is what can be chosen: a passage or a page.
type Unit struct {
	Size   int    // bytes
	Digest uint64 // units that say the same have the same one; 0 says nothing
	Page   uint32 // ordinal of its page
}

// A Verdict says what became of a unit.
type Verdict string

// Verdicts.
const (
	Chosen    Verdict = "chosen"
	Duplicate Verdict = "duplicate" // one that says the same, or nearly, was chosen
	TooLarge  Verdict = "too large" // for what was left of the budget
	NotTried  Verdict = "not tried" // the budget was full, or too many before it were too large
)

// A Candidate is a unit that was looked at.
type Candidate struct {
	Ordinal uint32
	Unit
	Score   Score // by which it was compared with others
	Tokens  uint64
	Verdict Verdict
	Of      uint32 // ordinal of the unit that a duplicate says the same as
}

// A Packing is what fills a budget.
type Packing struct {
	Candidates []Candidate // in the order in which they were looked at: by score, the higher first
	TokensUsed uint64
	Excluded   int // units with a term of the query that did not fit
}

// Units are what can be chosen. They are asked for in no order, and may fail.
type Units interface {
	Unit(ordinal uint32) (Unit, error)

	// Sketch returns the sketch of a unit's words, which is only good until the
	// next call; nil if nobody is to tell whether others are like it.
	Sketch(ordinal uint32) ([]byte, error)
}

// Pack fills the budget with the best of the hits, which are those of passages
// or of pages: by score, the higher first, then by ordinal. One that does not
// fit is passed over and the next is tried; one that says the same as another,
// or nearly, is left out. A further passage of a page has to be better than
// others to be taken.
func Pack(hits []Hit, budget uint64, units Units) (Packing, error) {
	p := packer{budget: budget, units: units, hits: hits, perPage: map[uint32]int{}, taken: map[uint64]uint32{}}
	p.rank(firstRanked)
	misses := 0
	for p.hasMore() && misses < maxMisses && p.used < budget {
		next, isReady, err := p.next()
		if err != nil {
			return Packing{}, err
		}
		if !isReady {
			continue
		}
		if err := p.judge(&next); err != nil {
			return Packing{}, err
		}
		p.candidates = append(p.candidates, next)
		if misses++; next.Verdict != TooLarge {
			misses = 0
		}
	}
	return Packing{p.candidates, p.used, len(hits) - p.chosen - p.duplicates}, nil
}

// A packer fills a budget.
type packer struct {
	budget, used uint64
	units        Units
	hits         []Hit
	best         heap.Heap[int] // by number in known plus 1; 0 for those that are not
	cutoff       uint64         // hits with keys below it are still to come
	known        []ranked
	perPage      map[uint32]int    // passages that were met
	taken        map[uint64]uint32 // by digest: what was chosen
	sketches     []sketched        // likewise, those that have one
	candidates   []Candidate

	chosen, duplicates int
}

// A ranked is a unit of which more is known than its score.
type ranked struct {
	Hit
	unit Unit
}

// firstRanked is how many hits are put in order to begin with. Few queries need
// more.
const firstRanked = 512

// rank puts the best n hits in order, and notes where they end.
func (p *packer) rank(n int) {
	p.best, p.cutoff = bestOf(p.hits, n)
	for i, item := range p.best {
		p.best[i] = heap.Item[int]{Key: ^item.Key}
	}
	p.best.Order()
}

// rankRest adds all hits that are still to come.
func (p *packer) rankRest() {
	for _, hit := range p.hits {
		if key := keyOf(hit); key < p.cutoff {
			p.best = append(p.best, heap.Item[int]{Key: key})
		}
	}
	p.best.Order()
	p.cutoff = 0
}

// hasMore reports whether there is a unit to come, and makes the best the first.
func (p *packer) hasMore() bool {
	if p.cutoff > 0 && (len(p.best) == 0 || p.best[0].Key < p.cutoff) {
		p.rankRest()
	}
	return len(p.best) > 0
}

// next takes the best unit. The first time that it is met, nothing is known of it
// but its score; if its page was met before, it goes back to where it belongs.
func (p *packer) next() (c Candidate, isReady bool, err error) {
	first := p.best.Pop()
	if first.Value > 0 {
		return p.known[first.Value-1].candidate(), true, nil
	}
	r := ranked{Hit: Hit{^uint32(first.Key), Score(first.Key >> 32)}}
	if r.unit, err = p.units.Unit(r.Ordinal); err != nil {
		return Candidate{}, false, err
	}
	before := p.perPage[r.unit.Page]
	p.perPage[r.unit.Page]++
	if before == 0 {
		return r.candidate(), true, nil
	}
	for range min(before, maxAgain) {
		r.Score = r.Score.times(againShare)
	}
	p.known = append(p.known, r)
	p.best.Push(heap.Item[int]{Key: keyOf(r.Hit), Value: len(p.known)})
	return Candidate{}, false, nil
}

// maxAgain is more often than a score can be taken a share of before it is 0.
const maxAgain = 128

func (r ranked) candidate() Candidate {
	return Candidate{Ordinal: r.Ordinal, Unit: r.unit, Score: r.Score, Tokens: selection.TokensOf(r.unit.Size)}
}

// A sketched is a unit that was chosen, and what is compared with others.
type sketched struct {
	ordinal uint32
	shingles
}

// judge decides on a candidate.
func (p *packer) judge(c *Candidate) error {
	if of, isTaken := p.taken[c.Digest]; c.Digest != 0 && isTaken {
		p.leaveOut(c, of)
		return nil
	}
	if c.Tokens > p.budget-p.used {
		c.Verdict = TooLarge
		return nil
	}
	sketch, err := p.units.Sketch(c.Ordinal)
	if err != nil {
		return err
	}
	mine := shinglesOf(sketch)
	for _, chosen := range p.sketches {
		if areAlike(mine, chosen.shingles) {
			p.leaveOut(c, chosen.ordinal)
			return nil
		}
	}
	c.Verdict = Chosen
	p.sketches = append(p.sketches, sketched{c.Ordinal, mine})
	p.taken[c.Digest] = c.Ordinal
	p.used += c.Tokens
	p.chosen++
	return nil
}

// leaveOut leaves out a candidate that says the same as another unit.
func (p *packer) leaveOut(c *Candidate, of uint32) {
	c.Verdict, c.Of = Duplicate, of
	p.duplicates++
}

// Chosen returns what was chosen, as a result has it: page by page in the order
// of the best of each, and in each in the order that the page has.
func (p Packing) Chosen() []Candidate {
	places := map[uint32]int{} // of pages
	var chosen []Candidate
	for _, c := range p.Candidates {
		if c.Verdict != Chosen {
			continue
		}
		if _, known := places[c.Page]; !known {
			places[c.Page] = len(places)
		}
		chosen = append(chosen, c)
	}
	slices.SortFunc(chosen, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(places[a.Page], places[b.Page]), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return chosen
}
