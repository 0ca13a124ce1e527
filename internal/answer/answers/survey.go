package answers

import (
	"cmp"
	"context"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

// A Survey names sections that their authors may want to change. Each of its lists contains only
// the first few; the counts are of all.
type Survey struct {
	Sections int // in the cache; 0 if the index is missing or for selection 0

	// Long are sections of more than [LongSection] tokens below a heading, largest first.
	Long      []SurveyedSection
	LongCount int

	// Copies are groups of duplicates and near-duplicates, those with the most repeated tokens
	// first.
	Copies                   []SectionCopies
	CopiesCount, CopiedCount int // groups, and sections in them apart from the first of each
	CopiedTokens             uint64
}

// A SurveyedSection is a section, or all parts of a section that was too large.
type SurveyedSection struct {
	ID     document.ID // of the first part
	Tokens uint64      // of all parts
	Parts  int

	ordinal uint32
}

// SectionCopies are sections that say the same.
type SectionCopies struct {
	Sections []SurveyedSection // the first few, in the order of the cache
	Count    int
	Repeated uint64 // tokens of all but the first
	AreEqual bool   // otherwise, some are near-duplicates
}

// LongSection is how many tokens a section in [Survey.Long] exceeds.
const LongSection = 1000

// A surveyor makes a survey of an index. It needs less than 100 bytes for each section.
type surveyor struct {
	*Cache
	firsts  []uint32
	sizes   []uint32 // bytes to print of each section
	columns *index.SectionNumbers
	keys    []likenessKeys // of long enough sections, by ordinal
	same    []uint32       // of each section: another that says the same, with a lower ordinal, or itself
	differ  []bool         // whether a section is a near-duplicate
}

type likenessKeys struct {
	ordinal uint32
	keys    [ranking.LikenessKeys]uint64
}

// Survey looks for sections that should be changed, and lists at most most of each kind. It reads
// the index once, and no documents.
func (c *Cache) Survey(ctx context.Context, most int) (found Survey, err error) {
	if !c.hasIndexFor(selection.Spec1) {
		return found, nil
	}
	s := surveyor{Cache: c}
	if s.firsts, err = c.index.Firsts(); err == nil {
		s.columns, err = c.index.SectionNumbers()
	}
	if err == nil {
		err = s.read(ctx)
	}
	if err != nil {
		return found, err
	}
	found.Sections = len(s.sizes)
	if err = s.addCopies(ctx, &found, most); err == nil {
		err = s.addLong(&found, most)
	}
	return found, err
}

// read reads the sections, and finds those with equal texts.
func (s *surveyor) read(ctx context.Context) error {
	first := map[uint64]uint32{} // sections by digest
	for page, err := range s.index.EachPage() {
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		for _, part := range page {
			ordinal := uint32(len(s.sizes))
			s.sizes = append(s.sizes, uint32(part.PrintedSize()))
			s.same = append(s.same, ordinal)
			keys, isLong := ranking.KeysOf(part.Sketch)
			if !isLong || part.Digest == 0 {
				continue
			}
			if of, isKnown := first[part.Digest]; isKnown {
				s.same[ordinal] = of
			} else {
				first[part.Digest] = ordinal
				s.keys = append(s.keys, likenessKeys{ordinal, keys})
			}
		}
	}
	s.differ = make([]bool, len(s.sizes))
	return nil
}

func (s *surveyor) surveyed(ordinal uint32, parts int) (of SurveyedSection) {
	of.ordinal, of.Parts = ordinal, parts
	for i := range parts {
		of.Tokens += selection.TokensOf(int(s.sizes[int(ordinal)+i]))
	}
	return of
}

// addLong adds the sections with too many tokens below a heading.
func (s *surveyor) addLong(found *Survey, most int) error {
	var long []SurveyedSection
	for first := 0; first < len(s.sizes); {
		parts := 1
		for first+parts < len(s.sizes) && s.columns.Traits(uint32(first+parts))&sections.Continues != 0 {
			parts++
		}
		if of := s.surveyed(uint32(first), parts); of.Tokens > LongSection {
			long = append(long, of)
		}
		first += parts
	}
	slices.SortStableFunc(long, func(a, b SurveyedSection) int { return cmp.Compare(b.Tokens, a.Tokens) })
	found.LongCount = len(long)
	found.Long = slices.Clone(long[:min(len(long), most)])
	return s.name(found.Long)
}

// addCopies adds the groups of sections that say the same.
func (s *surveyor) addCopies(ctx context.Context, found *Survey, most int) error {
	for k := range ranking.LikenessKeys {
		if err := s.compareBy(ctx, k); err != nil {
			return err
		}
	}
	var all []SectionCopies
	groups := map[uint32]int{} // by the first section
	for i := range s.same {
		ordinal := uint32(i)
		of := s.firstOf(ordinal)
		if of == ordinal {
			continue
		}
		at, isKnown := groups[of]
		if !isKnown {
			at = len(all)
			groups[of] = at
			all = append(all, SectionCopies{[]SurveyedSection{s.surveyed(of, 1)}, 1, 0, true})
		}
		group, section := &all[at], s.surveyed(ordinal, 1)
		group.Count++
		group.Repeated += section.Tokens
		group.AreEqual = group.AreEqual && !s.differ[ordinal]
		const mostNamed = 4
		if len(group.Sections) < mostNamed {
			group.Sections = append(group.Sections, section)
		}
		found.CopiedCount++
		found.CopiedTokens += section.Tokens
	}
	slices.SortFunc(all, func(a, b SectionCopies) int {
		return cmp.Or(cmp.Compare(b.Repeated, a.Repeated), cmp.Compare(a.Sections[0].ordinal, b.Sections[0].ordinal))
	})
	found.CopiesCount = len(all)
	found.Copies = slices.Clone(all[:min(len(all), most)])
	for _, group := range found.Copies {
		if err := s.name(group.Sections); err != nil {
			return err
		}
	}
	return nil
}

// firstOf returns the first section that says the same as a section.
func (s *surveyor) firstOf(ordinal uint32) uint32 {
	for s.same[ordinal] != ordinal {
		s.same[ordinal] = s.same[s.same[ordinal]]
		ordinal = s.same[ordinal]
	}
	return ordinal
}

// compareBy compares sections that share the k-th key.
func (s *surveyor) compareBy(ctx context.Context, k int) error {
	slices.SortFunc(s.keys, func(a, b likenessKeys) int {
		return cmp.Or(cmp.Compare(a.keys[k], b.keys[k]), cmp.Compare(a.ordinal, b.ordinal))
	})
	for start := 0; start < len(s.keys); {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		end := start + 1
		for end < len(s.keys) && s.keys[end].keys[k] == s.keys[start].keys[k] {
			end++
		}
		if err := s.compare(s.keys[start:end]); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// compare compares sections with the same key. Few of them differ, so each is only compared with
// the first few.
func (s *surveyor) compare(candidates []likenessKeys) error {
	const mostLeaders = 8
	type leader struct {
		ordinal uint32
		sketch  []byte
	}
	var leaders []leader
next:
	for _, c := range candidates {
		if len(candidates) == 1 {
			return nil
		}
		sketch, err := s.index.Sketch(int(c.ordinal))
		if err != nil {
			return err
		}
		for _, l := range leaders {
			a, b := s.firstOf(l.ordinal), s.firstOf(c.ordinal)
			if a == b {
				continue next
			}
			if s.partOf(a) != s.partOf(b) && ranking.AreAlike(l.sketch, sketch) {
				s.same[max(a, b)] = min(a, b)
				s.differ[max(a, b)] = true
				continue next
			}
		}
		if len(leaders) < mostLeaders {
			leaders = append(leaders, leader{c.ordinal, sketch})
		}
	}
	return nil
}

// partOf returns the first part of a section that was cut.
func (s *surveyor) partOf(ordinal uint32) uint32 {
	for s.columns.Traits(ordinal)&sections.Continues != 0 {
		ordinal--
	}
	return ordinal
}

// name sets the IDs of sections.
func (s *surveyor) name(all []SurveyedSection) error {
	for i, of := range all {
		entry, err := s.index.Entry(int(ranking.PageOf(s.firsts, of.ordinal)))
		if err != nil {
			return err
		}
		slug, err := s.index.Slug(int(of.ordinal))
		if err != nil {
			return err
		}
		all[i].ID = sections.ID(entry.ID, slug)
	}
	return nil
}
