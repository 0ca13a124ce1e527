package ranking

import "github.com/contextcompiler/context/selection"

// This file fills holes. A page printed without a few lines of its middle is worth less
// than the whole, even if the lines contain no word of the query. For example, they may
// be a table.

// MaxHole is the most tokens of a hole that an answer should fill.
const MaxHole = 200

// holes are untried units between chosen units of a page. The zero holes is ready for
// use.
type holes struct {
	open  []Candidate         // units of holes, to try next
	tried map[uint32]Decision // the latest verdict on each unit
	ends  map[uint32]ends     // by page
}

// ends are the first and the last unit of a page in the answer.
type ends struct{ first, last uint32 }

func (h *holes) isTried(ordinal uint32) bool {
	_, isTried := h.tried[ordinal]
	return isTried
}

// isIn reports whether the unit is in the answer, or the caller already has it.
func (v Decision) isIn() bool { return v == Chosen || v == Held }

// findHoles opens the holes before and after a unit that was just judged. Their units
// inherit its score, so they come before all worse units.
func (p *Packer) findHoles(c Candidate) error {
	h := &p.holes
	if h.tried == nil {
		h.tried, h.ends = map[uint32]Decision{}, map[uint32]ends{}
	}
	h.tried[c.Ordinal] = c.Verdict
	if !c.Verdict.isIn() {
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
				h.open, h.tried[next.Ordinal] = append(h.open, next), NotTried
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
			if verdict.isIn() {
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
