package answers

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/selection"
)

// pageScores are the scores of all pages by selection 0.
type pageScores struct {
	*joined
	query     selection.Query
	documents pageNumbers
	hits      []wordHit
}

func (s *Set) scorePages(ctx context.Context, request selection.Request) (*pageScores, error) {
	from, err := s.join(ctx, selection.Spec0, request.Jobs)
	if err != nil {
		return nil, err
	}
	p := &pageScores{joined: from, query: request.Query}
	if p.documents.Sizes, err = from.sizes(); err != nil {
		return nil, err
	}
	if err = p.countWords(ctx); err != nil {
		return nil, err
	}
	if p.documents.Allowed, err = s.allowed(ctx, request.Filter, from); p.documents.Allowed != nil {
		p.hits = slices.DeleteFunc(p.hits, func(h wordHit) bool { return !p.documents.Allowed[h.Position] })
	}
	if request.MinScore > 0 {
		p.keepBest(uint64(request.MinScore))
	}
	return p, cmp.Or(err, context.Cause(ctx))
}

// countWords finds the pages with terms of the query. If the query repeats a term, it still counts
// only once.
func (p *pageScores) countWords(ctx context.Context) (err error) {
	if p.documents.Words, err = p.perPage(func(x *openIndex) ([]uint32, error) { return x.Words() }); err != nil {
		return err
	}
	matches := make([]uint32, p.pageCount())
	var postings []index.Posting
	for _, term := range slices.Compact(slices.Sorted(slices.Values(p.query.Terms()))) {
		list, err := p.List(term)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		postings = list.AppendTo(postings[:0])
		for _, posting := range postings {
			matches[posting.Ordinal] += posting.Count
		}
	}
	for page, n := range matches {
		if n > p.documents.Words[page] {
			from, number := p.home(uint32(page))
			return from.Disproved("document %d contains fewer words than matches", number)
		}
		if n > 0 {
			p.hits = append(p.hits, wordHit{Position: uint32(page), Matches: n})
		}
	}
	return nil
}

// keepBest allows only pages with terms and at least a share of the best score, in units of
// 1/[selection.One].
func (p *pageScores) keepBest(share uint64) {
	scoreOf := func(h wordHit) uint64 {
		return uint64(h.Matches) << 32 / uint64(p.documents.Words[h.Position])
	}
	best := uint64(0)
	for _, hit := range p.hits {
		best = max(best, scoreOf(hit))
	}
	p.hits = slices.DeleteFunc(p.hits, func(h wordHit) bool { return !reaches(scoreOf(h), best, share) })
	p.documents.Allowed = make([]bool, len(p.documents.Sizes))
	for _, hit := range p.hits {
		p.documents.Allowed[hit.Position] = true
	}
}

func (p *pageScores) release() {}

func (p *pageScores) terms() []string { return p.query.Terms() }

func (p *pageScores) choose(ctx context.Context, budget uint64) (chosen []Hit, totals selection.Totals, err error) {
	picks, totals := fill(p.documents, p.hits, budget)
	for _, pick := range picks {
		hit, err := p.hit(pick)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, totals, err
		}
		chosen = append(chosen, hit)
	}
	return chosen, totals, nil
}

func (p *pageScores) hit(of wordHit) (Hit, error) {
	hit, err := p.pageHit(of.Position, int(p.documents.Sizes[of.Position]))
	hit.words = wordMatch{int(of.Matches), int(p.documents.Words[of.Position])}
	return hit, err
}

// result returns a chosen page as results contain it.
func (p *pageScores) result(h Hit) (resultDocument, error) {
	text, err := p.text(h)
	return resultDocument{
		ID: h.printedID(), Version: text.Version, Content: text.Content, Score: h.words.share().String(), Tokens: h.Tokens,
		Why: reason{TermMatches: h.words.TermMatches, TotalWords: h.words.TotalWords},
	}, err
}

// order returns all pages, the best first, as an unlimited budget selects them.
func (p *pageScores) order() []wordHit {
	picks, _ := fill(p.documents, p.hits, math.MaxUint64)
	return picks
}

func (p *pageScores) best(n int) (pages []uint32, err error) {
	picks := p.order()
	for _, pick := range picks[:min(n, len(picks))] {
		pages = append(pages, pick.Position)
	}
	return pages, nil
}

func (p *pageScores) explain(ctx context.Context, budget uint64, others int) (explained selection.Explanation, err error) {
	picks, totals := fill(p.documents, p.hits, budget)
	explained = selection.Explanation{
		Selection: selection.Spec0, Unit: selection.Documents,
		TokensUsed: totals.TokensUsed, Considered: totals.Considered, Matching: len(p.hits),
	}
	isChosen := map[uint32]bool{}
	for _, pick := range picks {
		isChosen[pick.Position] = true
	}
	for place, pick := range p.order() {
		verdict := selection.Chosen
		if !isChosen[pick.Position] {
			verdict = selection.TooLarge
			if others--; others < 0 {
				continue
			}
		}
		item, err := p.item(pick)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return explained, err
		}
		item.Rank, item.Verdict = place+1, verdict
		explained.Items = append(explained.Items, item)
	}
	return explained, nil
}

// item explains the score of a page.
func (p *pageScores) item(of wordHit) (item selection.ExplainedItem, err error) {
	hit, err := p.hit(of)
	if err != nil {
		return item, err
	}
	doc, err := p.read(hit.page)
	if err != nil {
		return item, err
	}
	item = selection.ExplainedItem{ID: hit.printedID(), Score: hit.words.share().String(), Tokens: hit.Tokens}
	counts := countsOf(p.query.Terms(), doc.Content)
	for _, term := range p.query.Terms() {
		if n := counts[term]; n > 0 {
			item.Evidence = append(item.Evidence, selection.Evidence{Terms: []string{term}, Body: n})
		}
		delete(counts, term) // because a query may repeat it
	}
	return item, nil
}

// countsOf counts each term in a content. It reads the content only once, because a query
// can contain very many terms.
func countsOf(terms []string, content []byte) map[string]int {
	counts := make(map[string]int, len(terms))
	for _, term := range terms {
		counts[term] = 0
	}
	for word := range strings.FieldsFuncSeq(words.Lower(string(content)), words.IsSpace) {
		if _, isTerm := counts[word]; isTerm {
			counts[word]++
		}
	}
	return counts
}

// standing implements [scored]. Selection 0 ranks all pages.
func (p *pageScores) standing(_ context.Context, right []document.Span, _, _ bool) (s Standing, err error) {
	ids, err := p.ids()
	if err != nil {
		return s, err
	}
	for place, pick := range p.order() {
		isRight := slices.ContainsFunc(right, func(span document.Span) bool { return span.ID == ids[pick.Position] })
		if place > 0 && !isRight {
			continue
		}
		item, err := p.item(pick)
		if err != nil {
			return s, err
		}
		if place == 0 {
			s.First = &item
		}
		if isRight {
			s.Rank, s.Right = place+1, &item
			break
		}
	}
	return s, nil
}
