package answers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

// A Standing compares the best of the right items for a query with the first item.
type Standing struct {
	Rank  int                      // of Right among all items, from 1; 0 if all right items are missing
	Right *selection.ExplainedItem // its ID, score and perhaps evidence; nil if Rank is 0
	First *selection.ExplainedItem // like Right; nil if there are no items

	// Why Right isn't the first, if the caller asked for it.
	Lacks []string             // words of the query that only First contains
	Lifts []selection.Evidence // parts of the score in which First is ahead, the largest difference first
}

// Standing finds the best of the right items and the first of all items. Items are sections if
// the request asks for sections and byPage is false; otherwise they are pages. If why is set,
// Standing also reads the pages of both and compares them.
func (r Scoreboard) Standing(ctx context.Context, right []document.Span, byPage, why bool) (s Standing, err error) {
	if all := r.candidates.pages; all != nil {
		e := pageExplainer{all, r.candidates.request.Query}
		err = e.standing(&s, right)
	} else {
		w := weighers.Get().(*sections.Weigher)
		defer weighers.Put(w)
		all := r.candidates.sections
		e := sectionExplainer{sectionScores: all, query: all.scores.Query, weigher: w}
		err = e.standing(&s, right, byPage || all.unit == selection.Documents, why)
	}
	if err != nil || s.Rank < 2 || !why {
		return s, err
	}
	var typed map[string]string
	if r.candidates.by != selection.Spec0 {
		if typed, err = r.candidates.ranking().Typed(ctx); err != nil {
			return s, err
		}
	}
	s.compare(typed)
	return s, nil
}

// weighers are pooled because they are large.
var weighers = sync.Pool{New: func() any { return sections.NewWeigher() }}

// Confidence is [Ranking.Confidence] without words to try. It is nil for selection 0.
func (r Scoreboard) Confidence(ctx context.Context) (*selection.Confidence, error) {
	if r.candidates.by == selection.Spec0 {
		return nil, nil
	}
	ranked := r.candidates.ranking()
	c, _, err := ranked.confidence(ctx, ranked.Hits(ctx), ranked.read)
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

// standing finds the items by selection 1.
func (e *sectionExplainer) standing(s *Standing, right []document.Span, byPage, why bool) error {
	hits := e.hits.All()
	if byPage && e.unit != selection.Documents {
		hits = ranking.ByPage(hits, e.firsts)
	}
	isRight, err := e.ordinalsOf(right, byPage)
	if err != nil || len(hits) == 0 {
		return err
	}
	first, best, isFound := hits[0], ranking.UnitHit{}, false
	for _, hit := range hits {
		if hit.Score > first.Score {
			first = hit
		}
		if isRight[hit.Ordinal] && (!isFound || hit.Score > best.Score) {
			best, isFound = hit, true
		}
	}
	explain := func(hit ranking.UnitHit) (*selection.ExplainedItem, error) {
		if byPage && e.unit != selection.Documents {
			hit.Ordinal = e.bestOf(hit.Ordinal)
		}
		if why {
			item, err := e.item(ranking.Candidate{Ordinal: hit.Ordinal, Score: hit.Score})
			return &item, err
		}
		id, err := e.printedID(hit.Ordinal)
		return &selection.ExplainedItem{ID: id, Score: hit.Score.String()}, err
	}
	if s.First, err = explain(first); err != nil || !isFound {
		return err
	}
	s.Rank = 1
	for _, hit := range hits {
		if hit.Score > best.Score || hit.Score == best.Score && hit.Ordinal < best.Ordinal {
			s.Rank++
		}
	}
	if s.Right = s.First; s.Rank > 1 {
		s.Right, err = explain(best)
	}
	return err
}

// printedID returns the ID of a unit without reading its page.
func (e *sectionExplainer) printedID(ordinal uint32) (document.ID, error) {
	page := ordinal
	if e.unit != selection.Documents {
		page = ranking.PageOf(e.firsts, ordinal)
	}
	entry, err := e.entry(page)
	if err != nil || e.unit == selection.Documents {
		return printedID(e, page, entry.ID), err
	}
	slug, err := e.slug(ordinal)
	return sections.ID(printedID(e, page, entry.ID), slug), err
}

// ordinalsOf returns the pages of spans, or the sections that overlap them.
func (e *sectionExplainer) ordinalsOf(spans []document.Span, byPage bool) (map[uint32]bool, error) {
	ids, err := e.ids()
	if err != nil {
		return nil, err
	}
	ordinals := map[uint32]bool{}
	for _, span := range spans {
		n, isThere := slices.BinarySearch(ids, span.ID)
		page := uint32(n)
		switch {
		case !isThere:
			continue
		case byPage:
			ordinals[page] = true
			continue
		}
		for ordinal := e.firsts[page]; ordinal < e.firsts[page+1]; ordinal++ {
			found, err := e.section(ordinal)
			if err != nil {
				return nil, err
			}
			if found.Start < span.End && span.Start < found.End {
				ordinals[ordinal] = true
			}
		}
	}
	return ordinals, nil
}

// standing finds the pages by selection 0, which ranks all of them.
func (e *pageExplainer) standing(s *Standing, right []document.Span) error {
	ids, err := e.ids()
	if err != nil {
		return err
	}
	for place, p := range e.order() {
		isRight := slices.ContainsFunc(right, func(span document.Span) bool { return span.ID == ids[p.Position] })
		if place > 0 && !isRight {
			continue
		}
		item, err := e.item(p)
		if err != nil {
			return err
		}
		if place == 0 {
			s.First = &item
		}
		if isRight {
			s.Rank, s.Right = place+1, &item
			break
		}
	}
	return nil
}
