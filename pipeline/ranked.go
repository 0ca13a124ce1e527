package pipeline

import (
	"cmp"
	"context"
	"encoding/binary"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/internal/sections"
	"github.com/contextcompiler/context/selection"
)

// This file answers by selection 1: it ranks sections and packs the best into the
// budget, wherever their collection has them from.

// A collection is the sections of a cache and the postings of a query's terms in
// them, by the index or by reading all documents. Not safe for concurrent use.
type collection interface {
	// columns returns the first section of each page and, behind these, how
	// many sections there are; and the length of each section.
	columns() (firsts, lengths []uint32, err error)

	// eachTerm calls visit with the number of each term and its postings.
	eachTerm(ctx context.Context, visit func(i int, postings []index.Posting)) error

	// sketch returns the sketch of a section, which is only good until the next
	// call.
	sketch(ordinal uint32) ([]byte, error)

	// section returns a section without its length and texts.
	section(ordinal uint32) (index.Section, error)

	// slug returns the slug of a section, whose page has that content.
	slug(ordinal uint32, content []byte) (string, error)

	// entry returns the entry of the page at a position, and how many bytes its
	// content has.
	entry(page uint32) (e cache.Entry, size int, err error)
}

// collect returns the collection of a cache for a query.
func collect(ctx context.Context, c *cache.Cache, query ranking.Query, jobs int) (collection, error) {
	if c.Index != nil {
		return &indexedSections{index: c.Index, query: query, entries: map[uint32]cache.Entry{}}, nil
	}
	return streamSections(ctx, c, query, jobs)
}

// scoreSections returns what all sections score, and the first section of each
// page, as columns does.
func scoreSections(ctx context.Context, all collection, query ranking.Query) (scorer *ranking.Scorer, firsts []uint32, err error) {
	firsts, lengths, err := all.columns()
	if err != nil {
		return nil, nil, err
	}
	scorer = ranking.NewScorer(query, lengths)
	if err := all.eachTerm(ctx, scorer.Add); err != nil {
		return nil, nil, err
	}
	return scorer, firsts, scorer.AddPairs(all.sketch)
}

// A packing is what was chosen of a collection, and how.
type packing struct {
	ranking.Packing
	collection
	scorer     *ranking.Scorer
	hits       []ranking.Hit // of units
	firsts     []uint32
	unit       Unit
	considered int // units
}

// pack chooses units of a collection.
func pack(ctx context.Context, all collection, query ranking.Query, request Request) (packing, error) {
	scorer, firsts, err := scoreSections(ctx, all, query)
	if err != nil {
		return packing{}, err
	}
	return packScored(ctx, all, scorer, firsts, request)
}

// packScored is pack for a collection that was scored.
func packScored(ctx context.Context, all collection, scorer *ranking.Scorer, firsts []uint32, request Request) (p packing, err error) {
	p = packing{collection: all, scorer: scorer, firsts: firsts, unit: request.Unit, considered: int(firsts[len(firsts)-1])}
	p.hits = scorer.Hits()
	units := ranking.Units(sectionUnits{all, firsts})
	if request.Unit == Documents {
		p.hits = ranking.ByPage(p.hits, firsts)
		units, p.considered = pageUnits{all}, len(firsts)-1
	}
	p.Packing, err = ranking.Pack(p.hits, request.Budget, units)
	return p, cmp.Or(err, context.Cause(ctx))
}

// sectionUnits are sections as they are packed.
type sectionUnits struct {
	collection
	firsts []uint32
}

func (u sectionUnits) Unit(ordinal uint32) (ranking.Unit, error) {
	found, err := u.section(ordinal)
	return ranking.Unit{Size: found.End - found.Start, Digest: found.Digest, Page: ranking.PageOf(u.firsts, ordinal)}, err
}

func (u sectionUnits) Sketch(ordinal uint32) ([]byte, error) { return u.sketch(ordinal) }

func (u sectionUnits) PageID(page uint32) (document.ID, error) {
	e, _, err := u.entry(page)
	return e.ID, err
}

// pageUnits are pages as they are packed. Only pages of the same content say the
// same.
type pageUnits struct{ collection }

func (u pageUnits) Unit(ordinal uint32) (ranking.Unit, error) {
	e, size, err := u.entry(ordinal)
	return ranking.Unit{Size: size, Digest: binary.LittleEndian.Uint64(e.Version[:]), Page: ordinal}, err
}

func (u pageUnits) Sketch(uint32) ([]byte, error) { return nil, nil }

func (u pageUnits) PageID(uint32) (document.ID, error) { return "", nil } // for it has no sketches

// answerByRank selects sections, or pages by their best sections.
func answerByRank(ctx context.Context, c *cache.Cache, request Request) (answer, error) {
	query := ranking.ParseQuery(request.Query)
	all, err := collect(ctx, c, query, request.Jobs)
	if err != nil {
		return answer{}, err
	}
	packed, err := pack(ctx, all, query, request)
	if err != nil {
		return answer{}, err
	}
	a := answer{terms: query.Texts(), checked: c.Index == nil}
	for _, candidate := range packed.Chosen() {
		entry, _, err := all.entry(candidate.Page)
		if err != nil {
			return answer{}, err
		}
		item := selection.Item{ID: entry.ID, Score: candidate.Score.String(), Tokens: candidate.Tokens}
		a.chosen = append(a.chosen, choice{entry, item, candidate.Ordinal, candidate.Size})
	}
	a.totals = selection.Totals{
		Budget: request.Budget, TokensUsed: packed.TokensUsed,
		Considered: packed.considered, Selected: len(a.chosen), Excluded: packed.Excluded,
	}
	a.finish = packed.finisher(c, ranking.NewMatcher(query))
	return a, nil
}

// finisher returns the finisher of what was packed, which counts words by
// matcher.
func (p *packing) finisher(c *cache.Cache, matcher *ranking.Matcher) finisher {
	return func(chosen choice, doc document.Document) (done printed, err error) {
		done = printed{doc.Version, doc.Content, chosen.item}
		if p.unit != Documents {
			if done, err = p.part(c, chosen, doc); err != nil {
				return printed{}, err
			}
		}
		if selection.TokensOf(len(done.content)) != chosen.item.Tokens {
			return printed{}, c.Index.Disproved("%s has %d bytes", chosen.entry.ID, len(doc.Content))
		}
		match := matcher.Match(done.content)
		done.item.TermMatches, done.item.TotalWords = match.TermMatches, match.TotalWords
		return done, nil
	}
}

// part returns the section of a document that was chosen.
func (p *packing) part(c *cache.Cache, chosen choice, doc document.Document) (printed, error) {
	found, err := p.section(chosen.ordinal)
	if err != nil {
		return printed{}, err
	}
	if found.End > len(doc.Content) || !utf8.Valid(doc.Content[found.Start:found.End]) {
		return printed{}, c.Index.Disproved("%s has no section from %d to %d", doc.ID, found.Start, found.End)
	}
	slug, err := p.slug(chosen.ordinal, doc.Content)
	if err != nil {
		return printed{}, err
	}
	content := doc.Content[found.Start:found.End]
	item := chosen.item
	item.ID = sections.ID(doc.ID, slug)
	return printed{document.VersionOf(content), content, item}, nil
}
