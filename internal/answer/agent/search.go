package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/selection"
)

// A SearchRequest asks for the best sections for a query.
type SearchRequest struct {
	Query    string
	Filter   selection.Filter
	Code     CodeFilter // finds only sections with this code, and quotes it; zero means all sections
	MinScore uint32     // minimum score of a section, as a share of the best in units of 1/[selection.One]
	Limit    int        // maximum of sections; 0 means DefaultLimit
}

// SearchMinScore is the usual MinScore of a [SearchRequest].
const SearchMinScore = selection.One / 2

// DefaultLimit is the default number of hits, because agents read no more. MostHits is the maximum
// for tools.
const (
	DefaultLimit = 5
	MostHits     = 50
)

// quotedScore is the minimum score of a quoted hit, as a share of the best score. If the best hit
// is wrong, nine of ten right pages are above it.
const quotedScore = selection.One * 3 / 4

// Search prints the best sections for a query: for each a handle, the headings, the size, the
// score, and if the score is near the best also the best sentence. It groups the hits by page, and
// lists near-duplicates of a hit with that hit.
func Search(ctx context.Context, set *answers.Set, request SearchRequest) (*Answer, error) {
	query, err := parseQuery(request.Query)
	if err != nil {
		return nil, err
	}
	ranked, err := set.Rank(ctx, selection.Request{Query: query, Filter: request.Filter})
	if err != nil {
		return nil, err
	}
	s := searchAnswer{
		codeHits: codeHits{pageLoader: newPageLoader(set, request.Code), ranked: ranked, code: request.Code},
		question: questionOf(request.Query, ranked.Worth),
	}
	if err := s.take(ctx, request); err != nil {
		return nil, err
	}
	isCut := s.isCut
	sure, err := s.qualityOf(ctx, ranked, s.hits(ctx))
	if err != nil {
		return nil, err
	}
	a := Answer{finder: finderOf(query)}
	if note := sure.note(); note != "" {
		a.add(DoubtPart, 0, note)
	}
	hasHits := len(s.found) > 0
	if hasHits && sure.missesThePoint() {
		s.found = nil
		a.note("%s", withoutSymbol)
	}
	s.directory = s.sharedDirectory()
	if s.directory != "" {
		a.add(SharedPart, 0, "in "+s.directory+":")
	}
	s.commonTitle = s.titleOfMost()
	for _, hits := range s.pages() {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		s.printPage(&a, hits)
	}
	switch {
	case !hasHits && s.looked > 0:
		a.note("%s", s.noCode())
	case !hasHits:
		why, err := nothingMatches(ctx, set, ranked, request.Filter)
		if err != nil {
			return nil, err
		}
		a.note("%s", why)
	case isCut:
		a.note("%s", onlyBest)
	}
	if !request.Code.IsOn() {
		err = cmp.Or(a.conflict(ctx, s.pageLoader, ranked, s.question), a.bestOutside(ctx, s.pageLoader, ranked, request.Filter))
	}
	err = cmp.Or(err, a.whatIsMissing(ctx, set, request.Query, ranked))
	a.origins(set.Members(), s.prints)
	return &a, err
}

// prints reports whether the answer prints a page of a cache.
func (s *searchAnswer) prints(cache string) bool {
	isOf := func(p cachePage) bool { return p.of.Name == cache }
	return slices.ContainsFunc(s.found, func(f foundHit) bool {
		return isOf(f.cachePage) || slices.ContainsFunc(f.same, func(d duplicatePage) bool { return isOf(d.cachePage) })
	})
}

// A searchAnswer collects what Search prints.
type searchAnswer struct {
	codeHits
	question question
	found    []foundHit

	directory   string // of all pages, printed once; "" if this saves nothing
	commonTitle string // of most pages, so not worth printing
}

// A foundHit is a hit with its duplicates.
type foundHit struct {
	answers.Hit
	cachePage
	place int // rank among all hits, from 0
	same  []duplicatePage
}

// A duplicatePage contains a duplicate or near-duplicate of a hit.
type duplicatePage struct {
	cachePage
	isNear bool // its text differs
}

// mostSame is how many duplicates of a hit are listed.
const mostSame = 3

// take takes the best hits, and records duplicates among the next few hits.
func (s *searchAnswer) take(ctx context.Context, request SearchRequest) error {
	limit := cmp.Or(request.Limit, DefaultLimit)
	place, least := -1, uint64(0)
	for hit, err := range s.hits(ctx) {
		if err != nil {
			return err
		}
		if place++; place == 0 {
			least = uint64(hit.Score) * uint64(request.MinScore) / selection.One
		}
		if hit.DuplicateOf < 0 && len(s.found) == limit || place > 4*limit || uint64(hit.Score) < least {
			break
		}
		p, err := s.pageOf(ctx, hit)
		if err != nil {
			return err
		}
		if hit.DuplicateOf < 0 {
			s.found = append(s.found, foundHit{Hit: hit, cachePage: p, place: place})
			continue
		}
		at := slices.IndexFunc(s.found, func(f foundHit) bool { return f.place == hit.DuplicateOf })
		if at >= 0 && len(s.found[at].same) < mostSame {
			of := s.found[at]
			isNear := !s.code.IsOn() && !bytes.Equal(of.textOf(of.Section), p.textOf(hit.Section))
			s.found[at].same = append(s.found[at].same, duplicatePage{p, isNear})
		}
	}
	return nil
}

// pages returns the hits by page.
func (s *searchAnswer) pages() [][]foundHit { return grouped(s.found, foundHit.name) }

// sharedDirectory returns the common directory of the pages of all hits.
func (s *searchAnswer) sharedDirectory() string {
	pages := s.pages()
	if len(pages) < 2 {
		return ""
	}
	var ids []document.ID
	for _, hits := range pages {
		ids = append(ids, hits[0].doc.ID)
		for _, p := range hits[0].same {
			ids = append(ids, p.doc.ID)
		}
	}
	return sharedDirectory(s.set.Contains, ids)
}

// sharedDirectory returns the common directory of all pages, with a slash at its end, if an extra
// line with it is shorter than the text it saves. It returns "" if the rest of a path is also the
// path of another page, because read would return that page.
func sharedDirectory(isPage func(document.ID) bool, ids []document.ID) (directory string) {
	directory = commonDirectory(ids)
	if len(directory)*(len(ids)-1) <= len("in :\n") {
		return ""
	}
	for _, id := range ids {
		if isPage(id[len(directory):]) {
			return ""
		}
	}
	return directory
}

// nameIn returns the name of a page without an already printed directory.
func (s *searchAnswer) nameIn(p cachePage) string {
	return prefix(p.of) + strings.TrimPrefix(string(p.doc.ID), s.directory)
}

// titleOfMost returns the title of more than half of the pages and at least two, or "".
func (s *searchAnswer) titleOfMost() string {
	pages := s.pages()
	for _, some := range grouped(pages, func(hits []foundHit) string { return hits[0].title() }) {
		if len(some) > 1 && len(some) > len(pages)/2 {
			return some[0][0].title()
		}
	}
	return ""
}

// printPage prints the hits of a page.
func (s *searchAnswer) printPage(a *Answer, hits []foundHit) {
	of, same := hits[0].cachePage, ""
	title := of.title()
	name := s.nameIn(of)
	line := name
	if title != s.commonTitle {
		line += " " + shortHeading(title)
	}
	a.part(AnswerPart{
		Kind: PagePart, Reference: of.name(), Path: string(of.doc.ID), Label: title, Line: AnswerLine{{strings.TrimSpace(line), Place}},
	})
	for _, hit := range hits {
		part := hit.parts[hit.Section]
		sentences := 1
		switch {
		case hit.place == 0:
			sentences = 2 // most questions end here
		case uint64(hit.Score) < uint64(s.found[0].Score)*quotedScore/selection.One:
			sentences = 0
		}
		quotes := s.quotesOf(hit, sentences)
		under := part
		if len(quotes) > 0 {
			under = hit.partWith(part, quotes[0])
		}
		path := slices.DeleteFunc(append(hit.headings(under.Start), hit.ownHeadings(under)...), func(h string) bool { return h == title })
		line := lineOf("%s", hit.ref(hit.Section+1))
		if len(path) > 0 {
			line = lineOf("%s %s", line, headingPath(path))
		}
		a.part(AnswerPart{
			Kind: HitPart, Level: 1, Reference: hit.handle(hit.Section + 1), Label: headingPath(path),
			Tokens: int(hit.Tokens), Share: percentOf(hit.Score, s.found[0].Score),
			Line: lineOf("%s (%s tokens, score %s)", line, thousands(int(hit.Tokens)), shortScore(hit.Score)),
		})
		for i, sentence := range quotes {
			if i > 0 {
				if next := hit.partWith(part, sentence); next.Start > under.Start {
					under = next
					a.add(NotePart, 2, headingPath(hit.ownHeadings(under))+":")
				}
			}
			a.part(AnswerPart{Kind: QuotePart, Level: 2, Line: lineOf("> %s", AnswerPiece{sentence, Quoted})})
		}
		if next := s.duplicatesOf(hit, name); next != "" && next != same {
			same = next
			a.add(NotePart, 2, same)
		}
	}
}

// duplicatesOf lists the duplicates of a hit, and separately the near-duplicates, because a number
// may differ there. It shortens their names if they end like the given name.
func (s *searchAnswer) duplicatesOf(hit foundHit, name string) string {
	var same, near []string
	for _, other := range hit.same {
		if text := withoutEnd(s.nameIn(other.cachePage), name); other.isNear {
			near = append(near, text)
		} else {
			same = append(same, text)
		}
	}
	var lists []string
	if len(same) > 0 {
		lists = append(lists, "also in "+strings.Join(same, ", "))
	}
	if len(near) > 0 {
		lists = append(lists, "nearly the same in "+strings.Join(near, ", "))
	}
	return strings.Join(lists, "; ")
}

// quotesOf returns the best sentences of a section, or of its code if the request asks for code.
func (s *searchAnswer) quotesOf(hit foundHit, sentences int) []string {
	if s.code.IsOn() {
		return s.question.bestCode(hit.cachePage, hit.codeIn(hit.Section, s.code), sentences)
	}
	return s.question.best(hit.readable(hit.parts[hit.Section]), sentences)
}

// withoutEnd replaces the names at the end of a path with an ellipsis, if another path ends with
// the same names.
func withoutEnd(path, other string) string {
	names, others := strings.Split(path, "/"), strings.Split(other, "/")
	n := 0
	for n < min(len(names), len(others))-1 && names[len(names)-1-n] == others[len(others)-1-n] {
		n++
	}
	if n == 0 || path == other {
		return path
	}
	return strings.Join(names[:len(names)-n], "/") + "/…"
}

// shortScore returns a score with two digits after the decimal point.
func shortScore(score uint32) string {
	return fmt.Sprintf("%d.%02d", score/selection.One, score%selection.One*100/selection.One)
}
