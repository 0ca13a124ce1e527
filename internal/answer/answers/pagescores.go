package answers

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/selection"
)

// pageScores are the scores of all pages by selection 0.
type pageScores struct {
	*joined
	query selection.Query

	sizes   []uint32          // by page: bytes of the content
	words   []uint32          // by page: words of the content
	matches []uint32          // by page: words that equal a term
	allowed []bool            // which pages to consider; nil means all
	hits    []ranking.UnitHit // pages with terms of the query, by ordinal; each Score is a wordShare
}

func (s *Set) scorePages(ctx context.Context, request selection.Request) (*pageScores, error) {
	from, err := s.join(ctx, selection.Spec0, request.Jobs)
	if err != nil {
		return nil, err
	}
	p := &pageScores{joined: from, query: request.Query, matches: make([]uint32, from.pageCount())}
	if p.sizes, err = from.perPage((*openIndex).Sizes); err != nil {
		return nil, err
	}
	if p.words, err = from.perPage((*openIndex).Words); err != nil {
		return nil, err
	}
	if p.allowed, err = s.allowed(ctx, request.Filter, from); err != nil {
		return nil, err
	}
	if err := p.count(ctx); err != nil {
		return nil, err
	}
	if request.MinScore > 0 {
		p.keepBest(uint64(request.MinScore))
	}
	return p, context.Cause(ctx)
}

// count finds the allowed pages with terms of the query. If the query repeats a term, it still
// counts only once.
func (p *pageScores) count(ctx context.Context) error {
	var postings []index.Posting
	for _, term := range slices.Compact(slices.Sorted(slices.Values(p.query.Terms()))) {
		list, err := p.List(term)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		postings = list.AppendTo(postings[:0])
		for _, posting := range postings {
			p.matches[posting.Ordinal] += posting.Count
		}
	}
	for page, n := range p.matches {
		if n > p.words[page] {
			from, number := p.home(uint32(page))
			return from.Disproved("document %d contains fewer words than matches", number)
		}
		if n > 0 && (p.allowed == nil || p.allowed[page]) {
			p.hits = append(p.hits, ranking.UnitHit{Ordinal: uint32(page), Score: ranking.Score(shareOfWords(int(n), int(p.words[page])))})
		}
	}
	return nil
}

// keepBest allows only pages with terms and at least a share of the best score, in units of
// 1/[selection.One].
func (p *pageScores) keepBest(share uint64) {
	scoreOf := func(h ranking.UnitHit) uint64 {
		return uint64(p.matches[h.Ordinal]) << 32 / uint64(p.words[h.Ordinal])
	}
	best := uint64(0)
	for _, hit := range p.hits {
		best = max(best, scoreOf(hit))
	}
	p.hits = slices.DeleteFunc(p.hits, func(h ranking.UnitHit) bool { return !reaches(scoreOf(h), best, share) })
	p.allowed = make([]bool, len(p.sizes))
	for _, hit := range p.hits {
		p.allowed[hit.Ordinal] = true
	}
}

func (p *pageScores) terms() []string { return p.query.Terms() }

func (p *pageScores) choose(ctx context.Context, budget uint64) (chosen []Hit, totals selection.Totals, err error) {
	picks, totals := fill(p.sizes, p.allowed, p.hits, budget)
	for _, pick := range picks {
		hit, err := p.hit(pick)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, totals, err
		}
		chosen = append(chosen, hit)
	}
	return chosen, totals, nil
}

func (p *pageScores) hit(of ranking.UnitHit) (Hit, error) {
	return p.pageHit(of.Ordinal, int(p.sizes[of.Ordinal]))
}

func (p *pageScores) scoreText(of ranking.UnitHit) string { return wordShare(of.Score).String() }

func (p *pageScores) result(h Hit) (resultDocument, error) {
	text, err := p.text(h)
	matches, total := int(p.matches[h.page]), int(p.words[h.page])
	return resultDocument{
		ID: h.printedID(), Version: text.Version, Content: text.Content, Score: shareOfWords(matches, total).String(), Tokens: h.Tokens,
		Why: reason{TermMatches: matches, TotalWords: total},
	}, err
}

// ranked implements [scored]. Selection 0 ranks all pages, the best first, as an unlimited budget
// selects them.
func (p *pageScores) ranked(bool) ([]ranking.UnitHit, error) {
	picks, _ := fill(p.sizes, p.allowed, p.hits, math.MaxUint64)
	return picks, nil
}

func (p *pageScores) verdicts(_ context.Context, budget uint64) (all []ranking.Candidate, explained selection.Explanation, err error) {
	picks, totals := fill(p.sizes, p.allowed, p.hits, budget)
	isChosen := map[uint32]bool{}
	for _, pick := range picks {
		isChosen[pick.Ordinal] = true
	}
	pages, err := p.ranked(true)
	for _, hit := range pages {
		verdict := selection.TooLarge
		if isChosen[hit.Ordinal] {
			verdict = selection.Chosen
		}
		all = append(all, ranking.Candidate{UnitHit: hit, Verdict: verdict})
	}
	return all, selection.Explanation{
		Selection: selection.Spec0, Unit: selection.Documents,
		TokensUsed: totals.TokensUsed, Considered: totals.Considered, Matching: len(p.hits),
	}, err
}

func (p *pageScores) evidence(h Hit) (evidence []selection.Evidence, err error) {
	doc, err := p.read(h.page)
	if err != nil {
		return nil, err
	}
	counts := countsOf(p.query.Terms(), doc.Content)
	for _, term := range p.query.Terms() {
		if n := counts[term]; n > 0 {
			evidence = append(evidence, selection.Evidence{Terms: []string{term}, Body: n})
		}
		delete(counts, term) // because a query may repeat it
	}
	return evidence, nil
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
