package ranking

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/heap"
	"github.com/contextcompiler/context/selection"
)

// maxMisses is how many units in a row may be too large for the rest of the budget. After
// them, Pack stops trying, because the best units have passed.
const maxMisses = 64

// A UnitInfo describes a unit, which is a section or a page.
type UnitInfo struct {
	Size   int    // bytes
	Digest uint64 // equal for units with the same words; 0 if unknown
	Page   uint32 // ordinal of its page

	// Section is the ordinal of the first part of the unit's section, or the unit's own
	// ordinal. Parts of the same section are never duplicates of each other.
	Section uint32
}

// More verdicts on a unit.
const (
	held     selection.Verdict = "held"      // by the caller
	pageFull selection.Verdict = "page full" // the tokens of its page are used up, so it is tried again later
)

// A Candidate is a unit tried by Pack.
type Candidate struct {
	UnitHit
	UnitInfo
	Tokens  uint64
	Verdict selection.Verdict
	Of      uint32 // ordinal of the chosen unit that it duplicates
}

// A Packing contains the units tried for a budget.
type Packing struct {
	Candidates []Candidate // in the order they were tried, which is by descending score
	TokensUsed uint64
	Excluded   int // units that match the query but didn't fit
}

// Units describes the units. Pack can ask for them in any order.
type Units interface {
	Info(ordinal uint32) (UnitInfo, error)

	// Content returns the ID of a unit's page, the slug of the unit, and the sketch of its words,
	// which the next call may overwrite. All are empty if units are not compared by words.
	Content(ordinal uint32) (page document.ID, slug string, sketch []byte, err error)
}

// Bounds limit a packing.
type Bounds struct {
	Budget uint64 // tokens

	// OfPage is how many tokens of a page count fully, unless its best unit alone needs
	// more. Beyond it, the scores of its units count asidePercent. 0 means no limit.
	OfPage uint64
	Least  Score // score of a unit

	// MaxHole is the most tokens of a hole that Pack can fill, see holes. 0 means that it
	// fills no holes.
	MaxHole uint64

	// IsHeld reports whether the caller already has a unit. Such a unit isn't chosen, and
	// costs nothing. nil means that the caller has no units.
	IsHeld func(Candidate) (bool, error)
}

// Pack fills the budget with the best hits, which must be either sections or pages: by
// descending score, then by ordinal. If a unit doesn't fit, Pack tries the next. It
// leaves out duplicates and near-duplicates of chosen units, and fills small holes
// between chosen units of a page. It returns the errors of units, and stops when ctx ends.
func Pack(ctx context.Context, hits HitList, limits Bounds, units Units) (Packing, error) {
	p := NewPacker(hits, limits, units)
	var tried []Candidate
	for {
		next, isTried, err := p.Next(ctx)
		if err != nil {
			return Packing{}, err
		}
		if !isTried {
			return Packing{tried, p.used, hits.Len() - p.settled}, nil
		}
		tried = append(tried, next)
	}
}

// A Packer does the same as [Pack], but unit by unit.
type Packer struct {
	limits       Bounds
	used         uint64            // tokens
	usedOf       map[uint32]uint64 // tokens by page
	aside        []Candidate       // units of pages whose tokens are used up
	misses       int               // units in a row that were too large
	units        Units
	hits         HitList
	best         heap.Heap[struct{}]  // by keyOf, because a key contains the whole hit
	cutoff       uint64               // all hits that are still to come have lower keys
	ranked       int                  // hits ranked so far, about
	taken        map[uint64]*saidUnit // by digest
	sketches     sketchbook
	counterparts counterparts
	translations map[string]*saidUnit // by translation
	holes        holes

	settled int // hits that were chosen or left out as duplicates
}

// NewPacker returns a Packer that has tried no unit.
func NewPacker(hits HitList, limits Bounds, units Units) *Packer {
	p := &Packer{
		limits: limits, units: units, hits: hits, usedOf: map[uint32]uint64{},
		taken: map[uint64]*saidUnit{}, counterparts: counterparts{}, translations: map[string]*saidUnit{},
		holes: holes{tried: map[uint32]selection.Verdict{}, ends: map[uint32]ends{}},
	}
	p.rank()
	return p
}

// Next tries the next unit. It returns false if all units were tried.
func (p *Packer) Next(ctx context.Context) (c Candidate, isTried bool, err error) {
	for p.misses < maxMisses && p.used < p.limits.Budget {
		if err := context.Cause(ctx); err != nil { // filling a large budget can take seconds
			return c, false, err
		}
		switch {
		case len(p.holes.open) > 0:
			c, p.holes.open = p.holes.open[0], p.holes.open[1:]
			err = p.judge(&c, math.MaxUint64)
		case p.isAsideNext():
			c, p.aside = p.aside[0], p.aside[1:]
			err = p.judge(&c, math.MaxUint64)
		case p.hasMore():
			if c, err = p.next(); err == nil {
				if _, isTried := p.holes.tried[c.Ordinal]; isTried {
					continue
				}
				err = p.judge(&c, cmp.Or(p.limits.OfPage, math.MaxUint64))
			}
		default:
			return c, false, nil
		}
		if p.limits.MaxHole > 0 && err == nil {
			err = p.findHoles(c)
		}
		switch c.Verdict {
		case selection.TooLarge:
			p.misses++
		case selection.Chosen, selection.Duplicate, held:
			p.misses = 0
		case pageFull:
			p.aside = append(p.aside, c)
			continue
		}
		return c, true, err
	}
	return c, false, nil
}

// asidePercent is the percentage at which the score of a unit counts once the tokens of
// its page are used up.
const asidePercent = 80

// isAsideNext reports whether the next unit to try should be a unit that was put aside.
func (p *Packer) isAsideNext() bool {
	return len(p.aside) > 0 && (!p.hasMore() || uint64(p.aside[0].Score)*asidePercent/100 > uint64(hitOf(p.best[0].Key).Score))
}

// rank ranks the next hits. Each time, it ranks many more, and finally all.
func (p *Packer) rank() {
	var hits []UnitHit
	last, cutoff := p.cutoff, uint64(0)
	switch p.ranked {
	case 0:
		last, p.ranked = math.MaxUint64, firstRanked
		hits, cutoff = p.hits.Best(p.ranked)
	case firstRanked:
		p.ranked = thenRanked
		hits, cutoff = p.hits.Best(p.ranked)
	default:
		hits = p.hits.All()
	}
	p.best = slices.Grow(p.best, len(hits))
	for _, hit := range hits {
		if key := keyOf(hit); key < last {
			p.best = append(p.best, heap.Element[struct{}]{Key: key})
		}
	}
	p.best.Order()
	p.cutoff = cutoff
}

func (p *Packer) hasMore() bool {
	for len(p.best) == 0 && p.cutoff > 0 && hitOf(p.cutoff).Score >= p.limits.Least {
		p.rank()
	}
	return len(p.best) > 0 && hitOf(p.best[0].Key).Score >= p.limits.Least
}

func (p *Packer) next() (Candidate, error) {
	c := Candidate{UnitHit: hitOf(p.best.Pop().Key)}
	var err error
	c.UnitInfo, err = p.units.Info(c.Ordinal)
	c.Tokens = selection.TokensOf(c.Size)
	return c, err
}

// judge decides on a candidate. ofPage is the number of tokens for its page.
func (p *Packer) judge(c *Candidate, ofPage uint64) error {
	if of, isTaken := p.taken[c.Digest]; c.Digest != 0 && isTaken && of.section != c.Section {
		p.leaveOut(c, of.ordinal)
		return nil
	}
	isHeld := false
	if p.limits.IsHeld != nil {
		var err error
		if isHeld, err = p.limits.IsHeld(*c); err != nil {
			return err
		}
	}
	if !isHeld && c.Tokens > p.limits.Budget-p.used {
		c.Verdict = selection.TooLarge
		return nil
	}
	if used := p.usedOf[c.Page]; !isHeld && used > 0 && used+c.Tokens > ofPage {
		c.Verdict = pageFull
		return nil
	}
	says, err := p.read(c)
	if err != nil {
		return err
	}
	if of, isSaid := p.find(says); isSaid {
		p.leaveOut(c, of)
		return nil
	}
	p.remember(says, c.Digest)
	if isHeld {
		c.Verdict = held
		return nil
	}
	c.Verdict = selection.Chosen
	p.used += c.Tokens
	p.usedOf[c.Page] += c.Tokens
	p.settle(c)
	return nil
}

// A saidUnit is a unit with a description of what it says. The Packer remembers the units that are
// in the answer, or that the caller already has.
type saidUnit struct {
	ordinal, section, page uint32
	id                     document.ID // of the page
	translation            string      // by translationOf
	kin                    []string    // by kinOf; nil if there are too few shingles to compare
	shingles
}

func (p *Packer) read(c *Candidate) (*saidUnit, error) {
	page, slug, sketch, err := p.units.Content(c.Ordinal)
	u := &saidUnit{c.Ordinal, c.Section, c.Page, page, translationOf(page, slug), nil, shinglesOf(sketch)}
	if len(u.shingles) >= minShingles {
		u.kin = kinOf(page)
	}
	return u, err
}

// find returns a remembered unit that says the same. Since pages of several caches may share an ID,
// pages with equal IDs are not translations.
func (p *Packer) find(u *saidUnit) (of uint32, found bool) {
	if other := p.translations[u.translation]; other != nil && other.id != u.id {
		return other.ordinal, true
	}
	if of, found = p.sketches.like(u); found {
		return of, true
	}
	return p.counterparts.like(u)
}

func (p *Packer) remember(u *saidUnit, digest uint64) {
	if u.translation != "" {
		p.translations[u.translation] = u
	}
	p.sketches.add(u)
	p.counterparts.add(u)
	p.taken[digest] = u
}

func (p *Packer) leaveOut(c *Candidate, of uint32) {
	c.Verdict, c.Of = selection.Duplicate, of
	p.settle(c)
}

// settle counts a chosen or duplicate unit, unless it only fills a hole and isn't a hit.
func (p *Packer) settle(c *Candidate) {
	if p.limits.MaxHole == 0 || p.hits.Contains(c.Ordinal) {
		p.settled++
	}
}

// Chosen returns the chosen units in the order of a result: pages in the order of their
// best units, and the units of each page in the page's order.
func (p Packing) Chosen() []Candidate {
	places := map[uint32]int{} // of pages
	var chosen []Candidate
	for _, c := range p.Candidates {
		if c.Verdict != selection.Chosen {
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

// A Packer fills holes. A page printed without a few lines of its middle is worth less
// than the whole, even if the lines contain no word of the query. For example, they may
// be a table.

// MaxHole is the most tokens of a hole that an answer should fill.
const MaxHole = 200

// holes are untried units between chosen units of a page.
type holes struct {
	open  []Candidate                  // units of holes, to try next
	tried map[uint32]selection.Verdict // the latest verdict on each unit
	ends  map[uint32]ends              // by page
}

// ends are the first and the last unit of a page in the answer.
type ends struct{ first, last uint32 }

// isSaid reports whether a unit with a verdict is in the answer, or the caller already has it.
func isSaid(v selection.Verdict) bool { return v == selection.Chosen || v == held }

// findHoles opens the holes before and after a unit that was just judged. Their units
// inherit its score, so they come before all worse units.
func (p *Packer) findHoles(c Candidate) error {
	h := &p.holes
	h.tried[c.Ordinal] = c.Verdict
	if !isSaid(c.Verdict) {
		return nil
	}
	on, isKnown := h.ends[c.Page]
	if !isKnown {
		on = ends{c.Ordinal, c.Ordinal}
	}
	on = ends{min(on.first, c.Ordinal), max(on.last, c.Ordinal)}
	h.ends[c.Page] = on
	room := p.limits.Budget - p.used
	for _, step := range [...]uint32{^uint32(0), 1} { // -1 is the unit before
		hole, tokens, err := p.hole(c, step, on)
		if err != nil {
			return err
		}
		if tokens <= min(p.limits.MaxHole, room) {
			room -= tokens
			for _, next := range hole {
				h.open, h.tried[next.Ordinal] = append(h.open, next), selection.NotTried
			}
		}
	}
	return nil
}

// hole returns the units from c to the next unit in the answer, and their tokens. It
// returns nothing if any of these units was tried already, or if together they exceed
// MaxHole. on are the ends of the page.
func (p *Packer) hole(c Candidate, step uint32, on ends) (hole []Candidate, tokens uint64, err error) {
	for ordinal := c.Ordinal + step; on.first <= ordinal && ordinal <= on.last && tokens <= p.limits.MaxHole; ordinal += step {
		if verdict, isTried := p.holes.tried[ordinal]; isTried {
			if isSaid(verdict) {
				return hole, tokens, nil
			}
			break
		}
		next := Candidate{UnitHit: UnitHit{ordinal, c.Score}}
		if next.UnitInfo, err = p.units.Info(ordinal); err != nil {
			return nil, 0, err
		}
		next.Tokens = selection.TokensOf(next.Size)
		tokens += next.Tokens
		hole = append(hole, next)
	}
	return nil, 0, nil
}
