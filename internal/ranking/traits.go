package ranking

import (
	"github.com/contextcompiler/context/internal/sections"
)

// This file changes the score of a section by its place in its page.

const (
	// The score of a list of links is divided by linksDivisor, because the linked pages
	// answer better.
	linksDivisor = 2

	// A part has at least supportShare of ofSupportShares of the score of the part
	// before or behind it, because each says the other half of the same thing.
	supportShare    = 4
	ofSupportShares = 5
)

// byTraits changes the score of a section by its traits.
func (s *Scores) byTraits(ordinal uint32, score Score) Score {
	if s.Traits[ordinal]&sections.Links == 0 {
		return score
	}
	return max(1, score/linksDivisor)
}

// continues reports whether a section is a part of the same section as the one
// before it. There may be no such section.
func (c *Columns) continues(ordinal uint32) bool {
	return int(ordinal) < len(c.Traits) && c.Traits[ordinal]&sections.Continues != 0
}

// SectionOf returns the ordinal of the first part of the section that a section is a
// part of: its own, unless it continues another.
func (c *Columns) SectionOf(ordinal uint32) uint32 {
	for c.continues(ordinal) {
		ordinal--
	}
	return ordinal
}

// own returns the score of a section by what it has itself, 0 if it has no term.
func (s *Scores) own(ordinal uint32) Score {
	if s.sums[ordinal] == 0 {
		return 0
	}
	return s.byTraits(ordinal, s.scoreOf(s.sums[ordinal]))
}

// Score returns the score of a section: its own, or the support by the parts before and
// behind it if that is more.
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

// support returns the support of the parts before and behind a section by that section.
func (s *Scores) support(ordinal uint32) Score {
	return Score(uint64(s.own(ordinal)) * supportShare / ofSupportShares)
}

// isHit reports whether a section or a part that supports it has any of the terms.
func (s *Scores) isHit(ordinal uint32) bool {
	return s.sums[ordinal] > 0 ||
		s.continues(ordinal) && s.sums[ordinal-1] > 0 ||
		s.continues(ordinal+1) && s.sums[ordinal+1] > 0
}
