package resolve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/internal/sections"
	"github.com/contextcompiler/context/selection"
)

// An answer is the selection for a request.
type answer struct {
	*candidates
	chosen []choice // in the order of the result
	totals selection.Totals
}

// A choice is a selected document or section.
type choice struct {
	entry   cache.Entry
	item    selection.Item
	ordinal uint32 // of the section
	size    int    // bytes to print
}

// candidates are the documents of a cache, or their sections, with scores for one query.
type candidates struct {
	source
	scores
	by      selection.Spec
	unit    Unit
	terms   []string         // of the query
	matcher *ranking.Matcher // counts matches in printed sections; nil for selection 0
}

// scores are the scores of pages or sections.
type scores interface {
	// choose fills a budget.
	choose(ctx context.Context, budget uint64) ([]choice, selection.Totals, error)

	// best returns the n best pages, or all if there are fewer.
	best(n int) []uint32
}

// candidates scores the documents for a request.
func (c *Cache) candidates(ctx context.Context, request Request) (*candidates, error) {
	by, unit, err := c.methodOf(request)
	if err != nil {
		return nil, err
	}
	a := &candidates{by: by, unit: unit, terms: request.Query.Terms()}
	query := ranking.ParseQuery(request.Query)
	if by == selection.Spec1 {
		a.terms = query.Texts()
	}
	if a.source, err = c.sourceFor(ctx, by, request, a.terms); err != nil {
		return nil, err
	}
	if by == selection.Spec0 {
		a.scores, err = scorePages(ctx, a.source, request)
		return a, cmp.Or(err, context.Cause(ctx))
	}
	scored, err := scoreSections(ctx, a.source, query, unit, request)
	if err := cmp.Or(err, context.Cause(ctx)); err != nil {
		return nil, err
	}
	query = scored.scores.Query
	a.scores, a.terms, a.matcher = scored, query.Texts(), ranking.NewMatcher(query)
	return a, nil
}

// answer selects for a request.
func (c *Cache) answer(ctx context.Context, request Request) (a answer, err error) {
	if a.candidates, err = c.candidates(ctx, request); err != nil {
		return a, err
	}
	a.chosen, a.totals, err = a.choose(ctx, request.Budget)
	return a, cmp.Or(err, context.Cause(ctx))
}

// pageScores are the scores of pages by selection 0.
type pageScores struct {
	source    source
	documents selection.Documents
	hits      []selection.WordHit
}

func scorePages(ctx context.Context, from source, request Request) (s *pageScores, err error) {
	s = &pageScores{source: from}
	if s.documents.Sizes, err = from.sizes(); err != nil {
		return nil, err
	}
	if s.documents.Words, s.hits, err = from.wordHits(ctx); err != nil {
		return nil, err
	}
	s.documents.Allowed, err = request.Filter.allowed(ctx, from, len(s.documents.Sizes))
	if s.documents.Allowed != nil {
		s.hits = slices.DeleteFunc(s.hits, func(h selection.WordHit) bool { return !s.documents.Allowed[h.Position] })
	}
	if request.MinScore > 0 {
		s.keepBest(uint64(request.MinScore))
	}
	return s, err
}

// keepBest allows only pages that have terms and score at least a share of the best,
// in units of 1/[One].
func (s *pageScores) keepBest(share uint64) {
	scoreOf := func(h selection.WordHit) uint64 {
		return uint64(h.Matches) << 32 / uint64(s.documents.Words[h.Position])
	}
	best := uint64(0)
	for _, hit := range s.hits {
		best = max(best, scoreOf(hit))
	}
	s.hits = slices.DeleteFunc(s.hits, func(h selection.WordHit) bool { return !reaches(scoreOf(h), best, share) })
	s.documents.Allowed = make([]bool, len(s.documents.Sizes))
	for _, hit := range s.hits {
		s.documents.Allowed[hit.Position] = true
	}
}

func (s *pageScores) choose(ctx context.Context, budget uint64) (chosen []choice, totals selection.Totals, err error) {
	picks, totals := selection.Select(s.documents, s.hits, budget)
	for _, p := range picks {
		entry, err := s.source.entry(uint32(p.Position))
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, totals, err
		}
		item := selection.Item{
			ID: entry.ID, Score: p.Match.Score().String(), Tokens: p.Tokens,
			TermMatches: p.Match.TermMatches, TotalWords: p.Match.TotalWords,
		}
		chosen = append(chosen, choice{entry: entry, item: item, size: int(s.documents.Sizes[p.Position])})
	}
	return chosen, totals, nil
}

// order returns all pages, the best first: the selection for a budget without end.
func (s *pageScores) order() []selection.Pick {
	picks, _ := selection.Select(s.documents, s.hits, math.MaxUint64)
	return picks
}

func (s *pageScores) best(n int) (pages []uint32) {
	picks := s.order()
	for _, p := range picks[:min(n, len(picks))] {
		pages = append(pages, uint32(p.Position))
	}
	return pages
}

// sectionScores are the scores of sections by selection 1.
type sectionScores struct {
	source
	unit       Unit
	scores     *ranking.Scores
	firsts     []uint32      // from columns
	pageSizes  []uint32      // of the pages
	hits       []ranking.Hit // pages or sections that have terms and may be chosen
	considered int           // pages or sections that may be chosen
}

func scoreSections(ctx context.Context, from source, query ranking.TermQuery, unit Unit, request Request) (*sectionScores, error) {
	columns, err := from.columns()
	if err != nil {
		return nil, err
	}
	sizes, err := from.sizes()
	if err != nil {
		return nil, err
	}
	all := ranking.Collection{Lengths: columns.lengths, Traits: columns.traits, Near: from.near, Sketch: from.sketch}
	all.EachTerm = func(visit func(int, []index.Posting)) error { return from.eachTerm(ctx, visit) }
	scores, err := ranking.ScoreSections(query, all)
	if err != nil {
		return nil, err
	}
	allowed, err := request.Filter.allowed(ctx, from, len(sizes))
	if err != nil {
		return nil, err
	}
	s := &sectionScores{source: from, unit: unit, scores: scores, firsts: columns.firsts, pageSizes: sizes}
	s.hits = s.hitsOf(allowed, uint64(request.MinScore))
	s.considered = s.count(allowed)
	if request.MinScore > 0 {
		s.considered = len(s.hits)
	}
	return s, nil
}

// hitsOf returns the hits in pages that are allowed (nil allows all) and with at least
// a share of the best score, in units of 1/[One].
func (s *sectionScores) hitsOf(allowed []bool, minScore uint64) []ranking.Hit {
	hits := s.scores.Hits
	if allowed != nil {
		hits = slices.DeleteFunc(slices.Clone(hits), func(h ranking.Hit) bool { return !allowed[ranking.PageOf(s.firsts, h.Ordinal)] })
	}
	if minScore > 0 {
		best := ranking.Score(0)
		for _, h := range hits {
			best = max(best, h.Score)
		}
		hits = slices.DeleteFunc(slices.Clone(hits), func(h ranking.Hit) bool { return !reaches(uint64(h.Score), uint64(best), minScore) })
	}
	if s.unit == Documents {
		hits = ranking.ByPage(hits, s.firsts)
	}
	return hits
}

// count returns how many pages or sections are allowed.
func (s *sectionScores) count(allowed []bool) (n int) {
	for page := range s.pageSizes {
		switch {
		case allowed != nil && !allowed[page]:
		case s.unit == Documents:
			n++
		default:
			n += int(s.firsts[page+1] - s.firsts[page])
		}
	}
	return n
}

func (s *sectionScores) choose(ctx context.Context, budget uint64) (chosen []choice, totals selection.Totals, err error) {
	packing, err := s.pack(ctx, budget)
	if err != nil {
		return nil, totals, err
	}
	for _, c := range packing.Chosen() {
		entry, err := s.entry(c.Page)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, totals, err
		}
		item := selection.Item{ID: entry.ID, Score: c.Score.String(), Tokens: c.Tokens}
		chosen = append(chosen, choice{entry, item, c.Ordinal, c.Size})
	}
	return chosen, selection.Totals{
		Budget: budget, TokensUsed: packing.TokensUsed,
		Considered: s.considered, Selected: len(chosen), Excluded: packing.Excluded,
	}, nil
}

// pack fills the budget.
func (s *sectionScores) pack(ctx context.Context, budget uint64) (ranking.Packing, error) {
	end := func() error { return context.Cause(ctx) }
	units := ranking.Units(sectionUnits{s, end})
	if s.unit == Documents {
		units = pageUnits{s, end}
	}
	return ranking.Pack(s.hits, budget, units)
}

func (s *sectionScores) best(n int) (pages []uint32) {
	hits := slices.Clone(s.hits)
	if s.unit != Documents {
		hits = ranking.ByPage(hits, s.firsts)
	}
	slices.SortStableFunc(hits, func(a, b ranking.Hit) int { return cmp.Compare(b.Score, a.Score) })
	for _, hit := range hits[:min(n, len(hits))] {
		pages = append(pages, hit.Ordinal)
	}
	return pages
}

// sectionUnits lets [ranking.Pack] choose sections. A large budget takes seconds to
// fill, so each unit asks end whether to go on.
type sectionUnits struct {
	*sectionScores
	end func() error
}

func (u sectionUnits) Info(ordinal uint32) (ranking.UnitInfo, error) {
	found, err := u.section(ordinal)
	unit := ranking.UnitInfo{Size: found.End - found.Start, Digest: found.Digest, Page: ranking.PageOf(u.firsts, ordinal)}
	return unit, cmp.Or(err, u.end())
}

func (u sectionUnits) Sketch(ordinal uint32) ([]byte, error) { return u.sketch(ordinal) }

func (u sectionUnits) PageID(page uint32) (document.ID, error) {
	e, err := u.entry(page)
	return e.ID, err
}

// pageUnits is sectionUnits for whole pages. Two pages are the same only if their
// contents are equal.
type pageUnits struct {
	*sectionScores
	end func() error
}

func (u pageUnits) Info(ordinal uint32) (ranking.UnitInfo, error) {
	e, err := u.entry(ordinal)
	unit := ranking.UnitInfo{Size: int(u.pageSizes[ordinal]), Digest: binary.LittleEndian.Uint64(e.Version[:]), Page: ordinal}
	return unit, cmp.Or(err, u.end())
}

func (u pageUnits) Sketch(uint32) ([]byte, error) { return nil, nil }

func (u pageUnits) PageID(uint32) (document.ID, error) { return "", nil } // sketches alone need it

// maxHeld bounds the bytes that a printer keeps.
const maxHeld = 8 << 20

// A printer reads the choices. Before the first is printed it reads and checks them
// all, unless the source has checked every document. It keeps the first maxHeld bytes,
// enough for any usual budget. It reads and checks the rest again.
type printer struct {
	answer
	reader *cache.Reader
	held   []resultItem
	last   document.Document // the last read of reader
}

// A resultItem is an item of a result.
type resultItem struct {
	version document.Version
	content []byte
	item    selection.Item
}

// hold reads the choices and keeps the first ones, while there is room.
func (p *printer) hold(ctx context.Context) error {
	room := maxHeld
	_, isChecked := p.source.(*streamSource)
	for _, c := range p.chosen {
		room -= c.size
		if room < 0 && isChecked {
			return nil
		}
		next, err := p.read(c)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		if room >= 0 {
			next.content = bytes.Clone(next.content)
			p.held = append(p.held, next)
		}
	}
	return nil
}

// print returns the i-th item. It is valid until the next call.
func (p *printer) print(i int) (resultItem, error) {
	if i < len(p.held) {
		return p.held[i], nil
	}
	return p.read(p.chosen[i])
}

// read returns the item of a choice. It reads and checks the document, unless that is
// the last one. It fails if the document contradicts the choice.
func (p *printer) read(c choice) (next resultItem, err error) {
	if p.last.ID != c.entry.ID || p.last.Content == nil {
		if p.last, err = p.reader.Read(c.entry); err != nil {
			return next, err
		}
	}
	next = resultItem{p.last.Version, p.last.Content, c.item}
	if p.unit == Sections {
		if next, err = p.part(c); err != nil {
			return next, err
		}
	}
	if selection.TokensOf(len(next.content)) != c.item.Tokens {
		return next, p.source.mismatch("%s has %d bytes", c.entry.ID, len(p.last.Content))
	}
	if p.matcher != nil {
		match := p.matcher.Match(next.content)
		next.item.TermMatches, next.item.TotalWords = match.TermMatches, match.TotalWords
	}
	return next, nil
}

// part returns a section of the last document.
func (p *printer) part(c choice) (next resultItem, err error) {
	found, err := p.source.section(c.ordinal)
	if err != nil {
		return next, err
	}
	if found.End > len(p.last.Content) || !utf8.Valid(p.last.Content[found.Start:found.End]) {
		return next, p.source.mismatch("%s has no section from %d to %d", c.entry.ID, found.Start, found.End)
	}
	slug, err := p.source.slug(c.ordinal, p.last.Content)
	if err != nil {
		return next, err
	}
	content := p.last.Content[found.Start:found.End]
	next = resultItem{document.VersionOf(content), content, c.item}
	next.item.ID = sections.ID(c.entry.ID, slug)
	return next, nil
}
