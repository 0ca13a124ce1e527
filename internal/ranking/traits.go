package ranking

import (
	"slices"

	"github.com/contextcompiler/context/internal/sections"
)

// This file changes the score of a section by its place in its page.

// Factors of scores by the traits of sections.
const (
	otherFactor = 20
	firstFactor = 21 // of the first section of a page: it introduces the rest
	linksFactor = 10 // of lists of links: the linked pages answer better

	// A part has at least supportShare of ofSupportShares of the score of the part
	// before or behind it, because each says the other half of the same thing.
	supportShare    = 4
	ofSupportShares = 5
)

// byTraits changes the score of a section by its traits.
func (s *Scores) byTraits(ordinal uint32, score Score) Score {
	factor := uint64(otherFactor)
	switch traits := s.traits[ordinal]; {
	case traits&sections.First != 0:
		factor = firstFactor
	case traits&sections.Links != 0:
		factor = linksFactor
	}
	return Score(max(1, uint64(score)*factor/firstFactor))
}

// continues reports whether a section is a part of the same section as the one
// before it. There may be no such section.
func (s *Scores) continues(ordinal uint32) bool {
	return int(ordinal) < len(s.traits) && s.traits[ordinal]&sections.Continues != 0
}

// SectionOf returns the ordinal of the first part of the section that a section is a
// part of: its own, unless it continues another.
func (s *Scores) SectionOf(ordinal uint32) uint32 {
	for s.continues(ordinal) {
		ordinal--
	}
	return ordinal
}

// supported returns the hits with the support that the parts of a section give each
// other. Parts without any term can become hits.
func (s *Scores) supported() []Hit {
	all := make([]Hit, 0, len(s.Hits)+len(s.Hits)/8)
	for _, h := range s.Hits {
		support := Score(uint64(h.Score) * supportShare / ofSupportShares)
		if s.continues(h.Ordinal) {
			all = raise(all, Hit{h.Ordinal - 1, support})
		}
		all = raise(all, h)
		if s.continues(h.Ordinal + 1) {
			all = raise(all, Hit{h.Ordinal + 1, support})
		}
	}
	return all
}

// raise gives a section at least a score. The section is among the last two of all,
// or belongs among them.
func raise(all []Hit, to Hit) []Hit {
	i := len(all)
	for i > 0 && all[i-1].Ordinal > to.Ordinal {
		i--
	}
	if i == 0 || all[i-1].Ordinal != to.Ordinal {
		return slices.Insert(all, i, to)
	}
	all[i-1].Score = max(all[i-1].Score, to.Score)
	return all
}
