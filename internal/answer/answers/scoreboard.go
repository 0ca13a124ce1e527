package answers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/selection"
)

// Documents returns the IDs of all documents, sorted.
func (c *Cache) Documents() ([]document.ID, error) {
	ids, err := c.allIDs()
	return slices.Clone(ids), err
}

// allIDs is like Documents, but the caller must not change the result.
func (c *Cache) allIDs() ([]document.ID, error) {
	if c.index != nil {
		return c.index.IDs()
	}
	m, err := c.files.Manifest()
	ids := make([]document.ID, len(m.Documents))
	for i, entry := range m.Documents {
		ids[i] = entry.ID
	}
	return ids, err
}

// A Scoreboard contains the scores of all documents of a cache for a query. Selection 1 orders
// documents by their best sections.
type Scoreboard struct {
	scores scored
	cache  *Cache
}

// Best returns the IDs of the n best documents. There can be fewer, because of the filter of the
// request, and because selection 1 only ranks documents with a term of the query.
func (b Scoreboard) Best(n int) (ids []document.ID, err error) {
	all, err := b.cache.allIDs()
	if err != nil {
		return nil, err
	}
	hits, err := b.scores.ranked(true)
	for _, hit := range hits[:min(n, len(hits))] {
		ids = append(ids, all[hit.Ordinal])
	}
	return ids, err
}

// Within returns the spans that [Cache.Resolve] prints for a budget, in its order. They
// exclude leads and tails, because these repeat text of other sections.
func (b Scoreboard) Within(ctx context.Context, budget uint64) (spans []document.Span, err error) {
	chosen, _, err := b.scores.choose(ctx, budget)
	for _, hit := range chosen {
		spans = append(spans, hit.Span)
	}
	return spans, err
}

// ScoreEach scores the documents of c for each of queries; all other settings come from
// request. It calls use with the position of each query and its scores, in any order and from
// several goroutines, and returns the results in the order of the queries.
//
// It fails like [Cache.Resolve], and if use fails.
func ScoreEach[Out any](ctx context.Context, c *Cache, request selection.Request, queries []selection.Query, use func(i int, b Scoreboard) (Out, error)) ([]Out, error) {
	s := c.alone()
	return parallel.Each(ctx, request.Jobs, len(queries), func(ctx context.Context, _, i int) (out Out, err error) {
		request := request
		request.Query = queries[i]
		found, err := s.score(ctx, request)
		if err != nil {
			return out, err
		}
		return use(i, Scoreboard{found, c})
	})
}

// A Standing compares the best of the right items for a query with the first item.
type Standing struct {
	Rank  int                     // of Right among all items, from 1; 0 if all right items are missing
	Right selection.ExplainedItem // its ID, score and perhaps evidence; zero if Rank is 0
	First selection.ExplainedItem // like Right; zero if there are no items

	// Why Right isn't the first, if the caller asked for it.
	Lacks []string             // words of the query that only First contains
	Lifts []selection.Evidence // parts of the score in which First is ahead, the largest difference first
}

// Standing finds the best of the right items and the first of all items. Items are sections if
// the request asks for sections and byPage is false; otherwise they are pages. If why is set,
// Standing also reads the pages of both and compares them.
func (b Scoreboard) Standing(ctx context.Context, right []document.Span, byPage, why bool) (s Standing, err error) {
	r, isRanking := b.scores.(*Ranking)
	hasSections := isRanking && r.unit != selection.Documents
	isRight, err := b.ordinalsOf(right, byPage || !hasSections)
	if err != nil {
		return s, err
	}
	hits, err := b.scores.ranked(byPage)
	if err != nil || len(hits) == 0 {
		return s, err
	}
	explain := func(of ranking.UnitHit) (item selection.ExplainedItem, err error) {
		if byPage && hasSections {
			if of.Ordinal, err = r.bestOf(of.Ordinal); err != nil {
				return item, err
			}
		}
		if why {
			return explainItem(b.scores, ranking.Candidate{UnitHit: of})
		}
		hit, err := b.scores.hit(of)
		return selection.ExplainedItem{ID: hit.printedID(), Score: b.scores.scoreText(of)}, err
	}
	if s.First, err = explain(hits[0]); err != nil {
		return s, err
	}
	s.Rank = 1 + slices.IndexFunc(hits, func(h ranking.UnitHit) bool { return isRight[h.Ordinal] })
	switch {
	case s.Rank == 0:
		return s, nil
	case s.Rank == 1:
		s.Right = s.First
		return s, nil
	}
	if s.Right, err = explain(hits[s.Rank-1]); err != nil || !why {
		return s, err
	}
	var typed map[string]string
	if isRanking {
		if typed, err = r.Typed(ctx); err != nil {
			return s, err
		}
	}
	s.compare(typed)
	return s, nil
}

// ordinalsOf returns the pages of spans, or the sections that overlap them.
func (b Scoreboard) ordinalsOf(spans []document.Span, byPage bool) (map[uint32]bool, error) {
	ids, err := b.cache.allIDs()
	if err != nil {
		return nil, err
	}
	ordinals := map[uint32]bool{}
	for _, span := range spans {
		page, isThere := slices.BinarySearch(ids, span.ID)
		switch {
		case !isThere:
			continue
		case byPage:
			ordinals[uint32(page)] = true
			continue
		}
		from := b.scores.(*Ranking).from
		firsts, err := from.firsts()
		if err != nil {
			return nil, err
		}
		for ordinal := firsts[page]; ordinal < firsts[page+1]; ordinal++ {
			hit, err := from.sectionHit(ordinal)
			if err != nil {
				return nil, err
			}
			if hit.Span.Start < span.End && span.Start < hit.Span.End {
				ordinals[ordinal] = true
			}
		}
	}
	return ordinals, nil
}

// Confidence is [Ranking.Confidence] without words to try. It is nil for selection 0.
func (b Scoreboard) Confidence(ctx context.Context) (*selection.Confidence, error) {
	r, isRanking := b.scores.(*Ranking)
	if !isRanking {
		return nil, nil
	}
	c, _, err := r.confidence(ctx, r.Hits(ctx))
	return &c, err
}

// compare finds what Right lacks.
func (s *Standing) compare(typed map[string]string) {
	const mostLifts = 2
	wordsOf := func(terms []string) (words []string) {
		for _, term := range terms {
			if word := cmp.Or(typed[term], term); !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
		return words
	}
	for _, found := range s.First.Evidence {
		more := millionthsOf(found.Adds)
		at := slices.IndexFunc(s.Right.Evidence, func(e selection.Evidence) bool {
			return e.Kind == found.Kind && (e.Kind != "" || slices.Equal(e.Terms, found.Terms))
		})
		isWord := found.Kind == "" && len(found.Terms) == 1
		switch {
		case at >= 0:
			more -= min(more, millionthsOf(s.Right.Evidence[at].Adds))
		case isWord:
			if word := wordsOf(found.Terms)[0]; !slices.Contains(s.Lacks, word) {
				s.Lacks = append(s.Lacks, word)
			}
			continue
		}
		if more > 0 {
			found.Adds, found.Terms = fmt.Sprintf("%d.%06d", more/selection.One, more%selection.One), wordsOf(found.Terms)
			s.Lifts = append(s.Lifts, found)
		}
	}
	slices.SortStableFunc(s.Lifts, func(a, b selection.Evidence) int { return cmp.Compare(millionthsOf(b.Adds), millionthsOf(a.Adds)) })
	s.Lifts = s.Lifts[:min(len(s.Lifts), mostLifts)]
}

// millionthsOf returns a part of a score, as [ranking.Score.String] prints it, in units of
// 1/[selection.One]. It is 0 for "".
func millionthsOf(adds string) uint64 {
	whole, fraction, _ := strings.Cut(adds, ".")
	n, _ := strconv.ParseUint(whole+(fraction + "000000")[:6], 10, 64)
	return n
}
