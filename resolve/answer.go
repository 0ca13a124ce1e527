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

// An answer is what was selected for a request.
type answer struct {
	*candidates
	chosen []choice // in the order of the result
	totals selection.Totals
}

// A choice is a document, or a section of one, that was selected.
type choice struct {
	entry   cache.Entry
	item    selection.Item
	ordinal uint32 // of the section
	size    int    // bytes to print
}

// candidates are the documents of a cache with their scores for one query. Those of
// selection 1 have sections too.
type candidates struct {
	source
	scores
	by      selection.Spec
	unit    Unit
	terms   []string         // of the query
	matcher *ranking.Matcher // counts matches in what is printed; nil if scores have them
}

// scores are the scores of pages or sections.
type scores interface {
	// choose fills a budget.
	choose(budget uint64) ([]choice, selection.Totals, error)

	// best returns the n best pages, or all that have a place in the order.
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
		a.terms, a.matcher = query.Texts(), ranking.NewMatcher(query)
	}
	if a.source, err = c.sourceFor(ctx, by, request.Query, a.terms, request.Jobs); err != nil {
		return nil, err
	}
	if by == selection.Spec0 {
		a.scores, err = scorePages(ctx, a.source, request)
	} else {
		a.scores, err = scoreSections(ctx, a.source, query, unit, request)
	}
	return a, cmp.Or(err, context.Cause(ctx))
}

// answer selects for a request.
func (c *Cache) answer(ctx context.Context, request Request) (a answer, err error) {
	if a.candidates, err = c.candidates(ctx, request); err != nil {
		return a, err
	}
	a.chosen, a.totals, err = a.choose(request.Budget)
	return a, cmp.Or(err, context.Cause(ctx))
}

// pageScores are the scores of pages by selection 0.
type pageScores struct {
	source    source
	documents selection.Documents
	hits      []selection.Hit
}

func scorePages(ctx context.Context, from source, request Request) (s *pageScores, err error) {
	s = &pageScores{source: from}
	if s.documents.Sizes, err = from.sizes(); err != nil {
		return nil, err
	}
	if s.documents.Words, s.hits, err = from.wordHits(ctx); err != nil {
		return nil, err
	}
	s.documents.Allowed, err = request.Filter.allowed(from, len(s.documents.Sizes))
	if s.documents.Allowed != nil {
		s.hits = slices.DeleteFunc(s.hits, func(h selection.Hit) bool { return !s.documents.Allowed[h.Position] })
	}
	if request.MinScore > 0 {
		s.keepBest(uint64(request.MinScore))
	}
	return s, err
}

// keepBest allows only pages that have terms and score at least a share of the best,
// in units of 1/[One].
func (s *pageScores) keepBest(share uint64) {
	scoreOf := func(h selection.Hit) uint64 { return uint64(h.Matches) << 32 / uint64(s.documents.Words[h.Position]) }
	best := uint64(0)
	for _, hit := range s.hits {
		best = max(best, scoreOf(hit))
	}
	s.hits = slices.DeleteFunc(s.hits, func(h selection.Hit) bool { return !reaches(scoreOf(h), best, share) })
	s.documents.Allowed = make([]bool, len(s.documents.Sizes))
	for _, hit := range s.hits {
		s.documents.Allowed[hit.Position] = true
	}
}

func (s *pageScores) choose(budget uint64) (chosen []choice, totals selection.Totals, err error) {
	picks, totals := selection.Select(s.documents, s.hits, budget)
	for _, p := range picks {
		entry, err := s.source.entry(uint32(p.Position))
		if err != nil {
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

// order returns all pages, the best first: what a budget selects that all fit into.
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
	unit     Unit
	scores   *ranking.Scores
	firsts   []uint32 // as columns returns them
	bytes    []uint32 // of the pages
	allowed  []bool   // pages that may be chosen; nil for all
	minScore uint64   // share of the best score, in units of 1/One
}

func scoreSections(ctx context.Context, from source, query ranking.Query, unit Unit, request Request) (*sectionScores, error) {
	firsts, lengths, err := from.columns()
	if err != nil {
		return nil, err
	}
	sizes, err := from.sizes()
	if err != nil {
		return nil, err
	}
	all := ranking.Collection{Lengths: lengths, Sketch: from.sketch}
	all.EachTerm = func(visit func(int, []index.Posting)) error { return from.eachTerm(ctx, visit) }
	scores, err := ranking.ScoreSections(query, all)
	if err != nil {
		return nil, err
	}
	allowed, err := request.Filter.allowed(from, len(sizes))
	return &sectionScores{from, unit, scores, firsts, sizes, allowed, uint64(request.MinScore)}, err
}

func (s *sectionScores) choose(budget uint64) (chosen []choice, totals selection.Totals, err error) {
	packing, err := s.pack(budget)
	if err != nil {
		return nil, totals, err
	}
	for _, c := range packing.Chosen() {
		entry, err := s.entry(c.Page)
		if err != nil {
			return nil, totals, err
		}
		item := selection.Item{ID: entry.ID, Score: c.Score.String(), Tokens: c.Tokens}
		chosen = append(chosen, choice{entry, item, c.Ordinal, c.Size})
	}
	return chosen, selection.Totals{
		Budget: budget, TokensUsed: packing.TokensUsed,
		Considered: s.considered(), Selected: len(chosen), Excluded: packing.Excluded,
	}, nil
}

// considered returns how many pages or sections may be chosen.
func (s *sectionScores) considered() (n int) {
	if s.minScore > 0 {
		return len(s.hits())
	}
	for page := range s.bytes {
		if s.allowed != nil && !s.allowed[page] {
			continue
		}
		if s.unit == Documents {
			n++
		} else {
			n += int(s.firsts[page+1] - s.firsts[page])
		}
	}
	return n
}

// hits returns the pages or sections that have terms of the query and may be chosen.
func (s *sectionScores) hits() []ranking.Hit {
	hits := s.scores.Hits
	if s.allowed != nil {
		hits = slices.DeleteFunc(slices.Clone(hits), func(h ranking.Hit) bool { return !s.allowed[ranking.PageOf(s.firsts, h.Ordinal)] })
	}
	if s.minScore > 0 {
		best := ranking.Score(0)
		for _, h := range hits {
			best = max(best, h.Score)
		}
		hits = slices.DeleteFunc(slices.Clone(hits), func(h ranking.Hit) bool { return !reaches(uint64(h.Score), uint64(best), s.minScore) })
	}
	if s.unit == Documents {
		hits = ranking.ByPage(hits, s.firsts)
	}
	return hits
}

// pack fills the budget.
func (s *sectionScores) pack(budget uint64) (ranking.Packing, error) {
	units := ranking.Units(sectionUnits{s})
	if s.unit == Documents {
		units = pageUnits{s}
	}
	return ranking.Pack(s.hits(), budget, units)
}

func (s *sectionScores) best(n int) (pages []uint32) {
	hits := s.hits()
	if s.unit != Documents {
		hits = ranking.ByPage(hits, s.firsts)
	}
	slices.SortStableFunc(hits, func(a, b ranking.Hit) int { return cmp.Compare(b.Score, a.Score) })
	for _, hit := range hits[:min(n, len(hits))] {
		pages = append(pages, hit.Ordinal)
	}
	return pages
}

// sectionUnits are the sections as they are packed.
type sectionUnits struct{ *sectionScores }

func (u sectionUnits) Unit(ordinal uint32) (ranking.Unit, error) {
	found, err := u.section(ordinal)
	return ranking.Unit{Size: found.End - found.Start, Digest: found.Digest, Page: ranking.PageOf(u.firsts, ordinal)}, err
}

func (u sectionUnits) Sketch(ordinal uint32) ([]byte, error) { return u.sketch(ordinal) }

func (u sectionUnits) PageID(page uint32) (document.ID, error) {
	e, err := u.entry(page)
	return e.ID, err
}

// pageUnits are the pages as they are packed. Two of them are the same only if their
// contents are.
type pageUnits struct{ *sectionScores }

func (u pageUnits) Unit(ordinal uint32) (ranking.Unit, error) {
	e, err := u.entry(ordinal)
	return ranking.Unit{Size: int(u.bytes[ordinal]), Digest: binary.LittleEndian.Uint64(e.Version[:]), Page: ordinal}, err
}

func (u pageUnits) Sketch(uint32) ([]byte, error) { return nil, nil }

func (u pageUnits) PageID(uint32) (document.ID, error) { return "", nil } // sketches alone need it

// maxHeld bounds the bytes of contents that wait to be printed.
const maxHeld = 8 << 20

// A printer reads what was chosen. Before anything is printed it reads and checks all
// of it, unless the source has checked every document. It keeps the first maxHeld
// bytes, which are all for any usual budget. The rest it reads and checks again.
type printer struct {
	answer
	reader *cache.Reader
	held   []printed
	last   document.Document // that the reader has read
}

// A printed is an item of a result.
type printed struct {
	version document.Version
	content []byte
	item    selection.Item
}

// hold reads what was chosen and keeps as much as there is room for.
func (p *printer) hold(ctx context.Context) error {
	room := maxHeld
	_, isChecked := p.source.(*streamed)
	for i, c := range p.chosen {
		room -= c.size
		if room < 0 && isChecked {
			return nil
		}
		next, err := p.read(p.chosen[i])
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
func (p *printer) print(i int) (printed, error) {
	if i < len(p.held) {
		return p.held[i], nil
	}
	return p.read(p.chosen[i])
}

// read reads and checks the document of a choice, unless it is the last that was
// read. It fails if the choice cannot have been made of that document.
func (p *printer) read(c choice) (next printed, err error) {
	if p.last.ID != c.entry.ID || p.last.Content == nil {
		if p.last, err = p.reader.Read(c.entry); err != nil {
			return next, err
		}
	}
	next = printed{p.last.Version, p.last.Content, c.item}
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

// part returns a section of the document that was read last.
func (p *printer) part(c choice) (next printed, err error) {
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
	next = printed{document.VersionOf(content), content, c.item}
	next.item.ID = sections.ID(c.entry.ID, slug)
	return next, nil
}
