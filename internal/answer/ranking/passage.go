package ranking

import (
	"bytes"
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

// This file reads the sketches of the best sections. A section scores higher if a single
// sentence contains most of the query, or if a heading is about the query.

// Constants of passages.
const (
	passageWeight = one / 2      // of the best sentence: multiplied by the section's score without passages
	aboutWeight   = one * 3 / 16 // of the best heading: multiplied by the highest score without passages

	mostRead     = 128 // how many of the best sections are read
	mostTerms    = 64  // how many terms of a query count in passages
	mostHeadings = 8   // how many headings with a term count per section
)

type passages struct {
	terms [256]uint64       // by the byte of a sketch: the terms that it may represent, as bits
	gains [mostTerms]uint64 // of the terms, in units of 1/2^16
	total uint64            // of the gains, at least 1
	most  uint64            // the most that terms, pairs and keys can add, in units of 1/2^16
	read  map[uint32]passageGains
}

// passageGains are the additions of a sketch to a sum, in units of 1/2^16.
type passageGains struct {
	pairs, sentence, about uint64
	ofSentence, ofHeading  uint64 // their terms, as bits
}

func (g passageGains) sum() uint64 { return g.pairs + g.sentence + g.about }

// weighPassages prepares to read sketches. A term that no section contains doesn't count,
// because no sentence can contain it either.
func (s *Scores) weighPassages() {
	p := &s.passages
	p.total, p.most = 1, s.most
	for i, term := range s.Query.Terms[:min(mostTerms, len(s.Query.Terms))] {
		if term.IsSymbol && !analysis.HasWord(term.Text) {
			p.total += s.maxGains[i] // no sentence is known to contain it
		}
		if !term.IsInSketches || s.counts[i] == 0 {
			continue
		}
		p.gains[i] = s.maxGains[i]
		p.total += s.maxGains[i]
		for _, word := range term.Words() {
			p.terms[analysis.SketchOf([]byte(word))] |= 1 << i
		}
	}
	s.most += p.most * (passageWeight + aboutWeight) / one
}

// readBest adds pairs and passages to the best sections. No product can overflow: a query
// of 1 MiB contains at most 2^19 terms, so its sums are below 2^45, and a share is at
// most 2^16.
func (s *Scores) readBest(ctx context.Context, from SectionIndex) error {
	best := slices.Clone(s.best[:min(mostRead, len(s.best))])
	slices.SortFunc(best, func(a, b uint64) int { return cmp.Compare(hitOf(a).Ordinal, hitOf(b).Ordinal) }) // neighbours are read together
	s.passages.read = make(map[uint32]passageGains, len(best))
	for _, key := range best {
		ordinal := hitOf(key).Ordinal
		words, err := from.Sketch(ordinal)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		sentence, heading := s.passages.find(words, s.termsIn(ordinal))
		gains := passageGains{pairs: s.pairsIn(words), ofSentence: sentence.terms, ofHeading: heading.terms}
		gains.sentence = (s.sumOf(ordinal) + gains.pairs) * sentence.share >> 16 * passageWeight / one
		gains.about = s.passages.most * heading.share >> 16 * aboutWeight / one
		s.raise(ordinal, gains.sum())
		s.passages.read[ordinal] = gains
	}
	return nil
}

// termsIn returns the terms of a section as bits. They are needed because different words
// can share a byte in a sketch. A term also counts if only the path or a heading above
// the section contains it.
func (s *Scores) termsIn(ordinal uint32) (terms uint64) {
	for i, of := range s.lists {
		if s.passages.gains[i] > 0 && of.contains(ordinal) {
			terms |= 1 << i
		}
	}
	return terms
}

// A sentenceShare describes a sentence, which may be a heading.
type sentenceShare struct {
	terms uint64 // of the query, as bits
	share uint64 // of the query that it covers, in units of 1/2^16
}

// find returns the sentence of a sketch that covers most of the query, and the heading
// with the highest share, multiplied by the square of the share of its words that are
// terms. If several are equal, it returns the first. only are the terms that count, as
// bits.
func (p *passages) find(sketch []byte, only uint64) (sentence, heading sentenceShare) {
	headings := 0
	for words := range bytes.SplitSeq(sketch, []byte{analysis.EndOfSentence}) {
		words, isHeading := bytes.CutPrefix(words, []byte{analysis.HeadingSentence})
		found, matching := p.in(words, only)
		if matching == 0 {
			continue
		}
		if found.share > sentence.share {
			sentence = found
		}
		if isHeading && headings < mostHeadings {
			headings++
			precision := matching << 16 / uint64(len(words))
			if found.share = found.share * precision >> 16 * precision >> 16; found.share > heading.share {
				heading = found
			}
		}
	}
	return sentence, heading
}

// in returns the passage of these words of a sketch, and how many of them match. only are
// the terms that count, as bits.
func (p *passages) in(words []byte, only uint64) (found sentenceShare, matching uint64) {
	for _, word := range words {
		if terms := p.terms[word] & only; terms != 0 {
			found.terms |= terms
			matching++
		}
	}
	found.share = p.share(found.terms)
	return found, matching
}

func (p *passages) share(terms uint64) uint64 {
	sum := uint64(0)
	for ; terms != 0; terms &= terms - 1 {
		sum += p.gains[bits.TrailingZeros64(terms)]
	}
	return sum << 16 / p.total
}

// A PassageScore describes what the best sentence or heading of a section adds to its
// score.
type PassageScore struct {
	Terms []string // of the query that it contains
	Score Score
}

// OfPassages reports whether pairs add to the score of a section, and returns what its
// passages add. The passages are empty unless the section is among the best, because no
// other sketches are read.
func (s *Scores) OfPassages(ordinal uint32) (hasPairs bool, sentence, heading PassageScore) {
	gains := s.passages.read[ordinal]
	return gains.pairs > 0, s.passageScore(ordinal, gains.sentence, gains.ofSentence), s.passageScore(ordinal, gains.about, gains.ofHeading)
}

func (s *Scores) passageScore(ordinal uint32, gain, terms uint64) (p PassageScore) {
	if gain == 0 {
		return p
	}
	for ; terms != 0; terms &= terms - 1 {
		p.Terms = append(p.Terms, s.Query.Terms[bits.TrailingZeros64(terms)].Text)
	}
	p.Score = s.byTraits(ordinal, s.scoreOf(gain))
	return p
}
