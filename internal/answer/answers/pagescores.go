package answers

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/contextcompiler/context/selection"
)

// pageScores are the scores of pages by selection 0.
type pageScores struct {
	stats
	documents pageNumbers
	hits      []wordHit
}

func (all *Set) scorePages(ctx context.Context, from stats, request selection.Request) (s *pageScores, err error) {
	s = &pageScores{stats: from}
	if s.documents.Sizes, err = from.sizes(); err != nil {
		return nil, err
	}
	if s.documents.Words, s.hits, err = from.wordHits(ctx); err != nil {
		return nil, err
	}
	s.documents.Allowed, err = all.allowed(ctx, request.Filter, from, len(s.documents.Sizes), nil)
	if s.documents.Allowed != nil {
		s.hits = slices.DeleteFunc(s.hits, func(h wordHit) bool { return !s.documents.Allowed[h.Position] })
	}
	if request.MinScore > 0 {
		s.keepBest(uint64(request.MinScore))
	}
	return s, err
}

// keepBest allows only pages with terms and at least a share of the best score, in units of
// 1/[selection.One].
func (s *pageScores) keepBest(share uint64) {
	scoreOf := func(h wordHit) uint64 {
		return uint64(h.Matches) << 32 / uint64(s.documents.Words[h.Position])
	}
	best := uint64(0)
	for _, hit := range s.hits {
		best = max(best, scoreOf(hit))
	}
	s.hits = slices.DeleteFunc(s.hits, func(h wordHit) bool { return !reaches(scoreOf(h), best, share) })
	s.documents.Allowed = make([]bool, len(s.documents.Sizes))
	for _, hit := range s.hits {
		s.documents.Allowed[hit.Position] = true
	}
}

func (s *pageScores) choose(ctx context.Context, budget uint64) (chosen []choice, totals selection.Totals, err error) {
	picks, totals := fill(s.documents, s.hits, budget)
	for _, p := range picks {
		page := uint32(p.Position)
		entry, err := s.entry(page)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, totals, err
		}
		item := item{
			ID: printedID(s, page, entry.ID), Score: p.Match.share().String(), Tokens: p.Tokens,
			TermMatches: p.Match.TermMatches, TotalWords: p.Match.TotalWords,
		}
		chosen = append(chosen, choice{page: page, entry: entry, item: item, size: int(s.documents.Sizes[p.Position])})
	}
	return chosen, totals, nil
}

// order returns all pages, the best first, as an unlimited budget selects them.
func (s *pageScores) order() []pick {
	picks, _ := fill(s.documents, s.hits, math.MaxUint64)
	return picks
}

func (s *pageScores) best(n int) (pages []uint32) {
	picks := s.order()
	for _, p := range picks[:min(n, len(picks))] {
		pages = append(pages, uint32(p.Position))
	}
	return pages
}
