package ranking

import (
	"github.com/contextcompiler/context/internal/pages/sections"
)

// This file adjusts the score of a section to its place in its page.

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
