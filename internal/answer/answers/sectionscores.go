package answers

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

// sectionScores are the scores of sections by selection 1.
type sectionScores struct {
	stats
	unit       selection.Unit
	scores     *ranking.Scores
	firsts     []uint32        // the first section of each page, or nil until readFirsts
	pageSizes  []uint32        // of the pages, or nil for sections
	hits       ranking.HitList // pages or sections with terms that the filter allows
	considered int             // pages or sections that the filter allows

	isWithoutPages bool // since the filter allows none
}

func (set *Set) scoreSections(ctx context.Context, from stats, query ranking.TermQuery, unit selection.Unit, request selection.Request) (*sectionScores, error) {
	columns, err := from.columns()
	if err != nil {
		return nil, err
	}
	all := ranking.Collection{Columns: columns.sections, AddsUp: columns.addsUp}
	all.EachTerm = func(wanted []int, visit func(int, index.List)) error {
		terms := make([]string, len(wanted))
		for n, i := range wanted {
			terms[n] = sections.StoredTerm(query.Terms[i].Text)
		}
		return inOrder(ctx, terms, func(n int) error {
			list, err := from.list(terms[n])
			if err == nil {
				visit(wanted[n], list)
			}
			return err
		})
	}
	all.Sketch = func(ordinal uint32) ([]byte, error) {
		sketch, err := from.sketch(ordinal)
		return sketch, cmp.Or(err, context.Cause(ctx))
	}
	all.WithKey = from.list
	all.Near = func(term string) ([]string, [][]index.Posting, error) {
		if err := context.Cause(ctx); err != nil {
			return nil, nil, err
		}
		return nearTo(from, term)
	}
	scores, err := ranking.ScoreSections(query, all)
	if err != nil {
		return nil, err
	}
	s := &sectionScores{stats: from, unit: unit, scores: scores}
	if unit == selection.Documents {
		if s.pageSizes, err = from.sizes(); err != nil {
			return nil, err
		}
	}
	if unit == selection.Documents || !pageFilter(request.Filter).isEmpty() {
		if err := s.readFirsts(); err != nil {
			return nil, err
		}
	}
	allowed, err := set.allowed(ctx, request.Filter, from, from.pageCount(), s.firsts)
	if err != nil {
		return nil, err
	}
	s.isWithoutPages = allowed != nil && !slices.Contains(allowed, true)
	s.hits = s.hitsOf(allowed, uint64(request.MinScore))
	s.considered = s.unitsIn(allowed)
	if request.MinScore > 0 {
		s.considered = s.hits.Len()
	}
	return s, nil
}

// readFirsts sets firsts. Most questions of few sections don't need it, so its size
// shouldn't cost them anything.
func (s *sectionScores) readFirsts() (err error) {
	if s.firsts == nil {
		s.firsts, err = s.starts()
	}
	return err
}

// hitsOf returns the hits in allowed pages with at least a share of the best score, in
// units of 1/[selection.One]. If allowed is nil, all pages are allowed.
func (s *sectionScores) hitsOf(allowed []bool, minScore uint64) ranking.HitList {
	if minScore == 0 && s.unit != selection.Documents {
		if allowed == nil {
			return s.scores
		}
		return s.scores.In(allowed, s.firsts)
	}
	hits := s.scores.All()
	if allowed != nil {
		hits = slices.DeleteFunc(hits, func(h ranking.UnitHit) bool {
			return !allowed[ranking.PageOf(s.firsts, h.Ordinal)]
		})
	}
	if minScore > 0 {
		best := ranking.Score(0)
		for _, h := range hits {
			best = max(best, h.Score)
		}
		hits = slices.DeleteFunc(hits, func(h ranking.UnitHit) bool {
			return !reaches(uint64(h.Score), uint64(best), minScore)
		})
	}
	if s.unit == selection.Documents {
		hits = ranking.ByPage(hits, s.firsts)
	}
	return ranking.Hits(hits)
}

func (s *sectionScores) unitsIn(allowed []bool) (n int) {
	if allowed == nil {
		if s.unit == selection.Documents {
			return s.pageCount()
		}
		return s.scores.Numbers.Len()
	}
	for page := range allowed {
		switch {
		case !allowed[page]:
		case s.unit == selection.Documents:
			n++
		default:
			n += int(s.firsts[page+1] - s.firsts[page])
		}
	}
	return n
}

func (s *sectionScores) choose(ctx context.Context, budget uint64) (chosen []choice, totals selection.Totals, err error) {
	packing, err := s.pack(ctx, ranking.Bounds{Budget: budget})
	if err != nil {
		return nil, totals, err
	}
	for _, c := range packing.Chosen() {
		next, err := s.choiceOf(c)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, totals, err
		}
		chosen = append(chosen, next)
	}
	return chosen, s.totals(budget, packing, len(chosen)), nil
}

func (s *sectionScores) choiceOf(c ranking.Candidate) (choice, error) {
	entry, err := s.entry(c.Page)
	item := item{ID: printedID(s, c.Page, entry.ID), Score: c.Score.String(), Tokens: c.Tokens}
	return choice{c.Page, entry, item, c.Ordinal, c.Size}, err
}

func (s *sectionScores) totals(budget uint64, packing ranking.Packing, chosen int) selection.Totals {
	return selection.Totals{
		Budget: budget, TokensUsed: packing.TokensUsed,
		Considered: s.considered, Selected: chosen, Excluded: packing.Excluded,
	}
}

func (s *sectionScores) pack(ctx context.Context, limits ranking.Bounds) (ranking.Packing, error) {
	if s.unit != selection.Documents && limits.Budget < math.MaxUint64 { // without a limit, every hit is chosen anyway
		limits.MaxHole = ranking.MaxHole
	}
	return ranking.Pack(s.hits, limits, s.units(ctx))
}

// units describes the pages or sections to [ranking.Pack], until ctx ends.
func (s *sectionScores) units(ctx context.Context) ranking.Units {
	end := func() error { return context.Cause(ctx) }
	if s.unit == selection.Documents {
		return pageUnits{s, end}
	}
	return sectionUnits{s, end}
}

func (s *sectionScores) best(n int) (pages []uint32) {
	hits := slices.Clone(s.hits.All())
	if s.unit != selection.Documents {
		hits = ranking.ByPage(hits, s.firsts)
	}
	slices.SortStableFunc(hits, func(a, b ranking.UnitHit) int { return cmp.Compare(b.Score, a.Score) })
	for _, hit := range hits[:min(n, len(hits))] {
		pages = append(pages, hit.Ordinal)
	}
	return pages
}

// sectionUnits lets [ranking.Pack] choose sections. Filling a large budget can take
// seconds, so each unit asks end whether to stop.
type sectionUnits struct {
	*sectionScores
	end func() error
}

func (u sectionUnits) Info(ordinal uint32) (ranking.UnitInfo, error) {
	page, _, err := u.place(ordinal)
	if err != nil {
		return ranking.UnitInfo{}, err
	}
	found, err := u.section(ordinal)
	return ranking.UnitInfo{
		Size: found.PrintedSize(), Digest: found.Digest,
		Page: page, Section: u.scores.SectionOf(ordinal),
	}, cmp.Or(err, u.end())
}

func (u sectionUnits) Sketch(ordinal uint32) ([]byte, error) { return u.sketch(ordinal) }

func (u sectionUnits) Name(ordinal uint32) (page document.ID, slug string, err error) {
	number, _, err := u.place(ordinal)
	if err != nil {
		return "", "", err
	}
	e, err := u.entry(number)
	if err != nil {
		return "", "", err
	}
	slug, err = u.slug(ordinal)
	return e.ID, slug, err
}

// pageUnits lets [ranking.Pack] choose whole pages. Two pages are duplicates only if their
// contents are equal.
type pageUnits struct {
	*sectionScores
	end func() error
}

func (u pageUnits) Info(ordinal uint32) (ranking.UnitInfo, error) {
	e, err := u.entry(ordinal)
	info := ranking.UnitInfo{Size: int(u.pageSizes[ordinal]), Page: ordinal, Section: ordinal}
	info.Digest = binary.LittleEndian.Uint64(e.Version[:])
	return info, cmp.Or(err, u.end())
}

func (u pageUnits) Sketch(uint32) ([]byte, error) { return nil, nil }

func (u pageUnits) Name(uint32) (document.ID, string, error) { return "", "", nil }
