package answers

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/selection"
)

// A Ranking contains the sections that answer a query by selection 1, in descending
// order. It is not safe for concurrent use.
type Ranking struct {
	from    *joined
	request selection.Request
	unit    selection.Unit
	scores  *ranking.Scores
	match   func(content []byte) (matches, total int) // counts matches in sections to print

	firsts     []uint32        // what joined.firsts returns, for pages or a filter
	sizes      []uint32        // of the pages; nil for sections
	hits       ranking.HitList // pages or sections with terms that the filter allows
	considered int             // pages or sections that the filter allows

	IsWithoutPages bool // since the filter allows none

	packer *ranking.Packer     // tries the hits one by one; nil until then
	tried  []ranking.Candidate // by the packer
	places map[uint32]int      // of tried sections or pages by ordinal
}

// Rank ranks the sections of the caches by selection 1, even if they were built for another
// selection. If their indexes are for selection 1, it reads no documents. It fails like
// [Set.Resolve].
func (s *Set) Rank(ctx context.Context, request selection.Request) (*Ranking, error) {
	request.Selection = selection.Spec1
	if err := request.Check(); err != nil {
		return nil, err
	}
	return s.rank(ctx, request, cmp.Or(request.Unit, selection.Sections))
}

func (s *Set) rank(ctx context.Context, request selection.Request, unit selection.Unit) (*Ranking, error) {
	from, err := s.join(ctx, selection.Spec1, request.Jobs)
	if err != nil {
		return nil, err
	}
	r := &Ranking{from: from, request: request, unit: unit}
	if r.scores, err = ranking.ScoreSections(ctx, ranking.ParseQuery(request.Query), from.columns, from); err != nil {
		return nil, err
	}
	allowed, err := s.allowed(ctx, request.Filter, from)
	if err != nil {
		return nil, err
	}
	if unit == selection.Documents {
		if r.sizes, err = from.perPage((*openIndex).Sizes); err != nil {
			return nil, err
		}
	}
	if unit == selection.Documents || allowed != nil {
		if r.firsts, err = from.firsts(); err != nil {
			return nil, err
		}
	}
	r.IsWithoutPages = allowed != nil && !slices.Contains(allowed, true)
	r.hits = r.hitsOf(allowed)
	r.considered = r.unitsIn(allowed)
	if request.MinScore > 0 {
		r.considered = r.hits.Len()
	}
	return r, context.Cause(ctx)
}

// hitsOf returns the hits in allowed pages with at least the minimum score. If allowed is nil, all
// pages are allowed.
func (r *Ranking) hitsOf(allowed []bool) ranking.HitList {
	if r.request.MinScore == 0 && r.unit != selection.Documents {
		if allowed == nil {
			return r.scores
		}
		return r.scores.In(allowed, r.firsts)
	}
	hits := r.scores.All()
	if allowed != nil {
		hits = slices.DeleteFunc(hits, func(h ranking.UnitHit) bool {
			return !allowed[ranking.PageOf(r.firsts, h.Ordinal)]
		})
	}
	best := bestOf(hits)
	hits = slices.DeleteFunc(hits, func(h ranking.UnitHit) bool {
		return !reaches(uint64(h.Score), uint64(best.Score), uint64(r.request.MinScore))
	})
	if r.unit == selection.Documents {
		hits = ranking.ByPage(hits, r.firsts)
	}
	return ranking.Hits(hits)
}

// bestOf returns the hit with the highest score, or the first of several.
func bestOf(hits []ranking.UnitHit) (best ranking.UnitHit) {
	for _, h := range hits {
		if h.Score > best.Score || h.Score == best.Score && h.Ordinal < best.Ordinal {
			best = h
		}
	}
	return best
}

func (r *Ranking) unitsIn(allowed []bool) (n int) {
	switch {
	case allowed == nil && r.unit == selection.Documents:
		return r.from.pageCount()
	case allowed == nil:
		return r.scores.Numbers.Len()
	}
	for page := range allowed {
		switch {
		case !allowed[page]:
		case r.unit == selection.Documents:
			n++
		default:
			n += int(r.firsts[page+1] - r.firsts[page])
		}
	}
	return n
}

// Terms returns the terms of the query, with the words that replace unknown terms.
func (r *Ranking) Terms() (terms []selection.ExplainedTerm) {
	for i, t := range r.scores.Query.Terms {
		terms = append(terms, selection.ExplainedTerm{
			Text: t.Text, Near: t.Near, Sections: r.scores.Sections(i), MaxScore: r.scores.MaxScore(i).String(),
		})
	}
	return terms
}

func (r *Ranking) terms() []string { return r.scores.Query.Texts() }

// Worth returns the worth of the query's terms in a text as a share of the worth of all its terms
// and pairs, in units of 1/[selection.One]. Use it to compare texts.
func (r *Ranking) Worth(text []byte) uint64 { return r.scores.Worth(text).Millionths() }

// Covered returns the share of the query that a text covers, as [selection.Confidence] does, in
// units of 1/[selection.One]. It also returns the numbers of the terms missing from the text.
func (r *Ranking) Covered(text []byte) (covered uint64, lacks []int) {
	score, lacks := r.scores.Covered(text)
	return score.Millionths(), lacks
}

// Hits yields all hits by descending score. Since it finds a hit only when its turn
// comes, callers who need few hits should stop early. An error is the last element. Hits
// that were found before are not searched again.
func (r *Ranking) Hits(ctx context.Context) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		for place := 0; ; place++ {
			next, isTried, err := r.try(ctx, place)
			if err == nil && !isTried {
				return
			}
			var hit Hit
			if err == nil {
				hit, err = r.hit(next.UnitHit)
			}
			if next.Verdict == selection.Duplicate {
				hit.DuplicateOf = r.places[next.Of]
			}
			if !yield(hit, err) || err != nil {
				return
			}
		}
	}
}

// Outside returns the best hit of all pages if the filter excludes its page and it scores higher
// than all hits.
func (r *Ranking) Outside() (hit Hit, isOne bool, err error) {
	if pageFilter(r.request.Filter).isEmpty() {
		return hit, false, nil
	}
	all, _ := r.scores.Best(1)
	best := bestOf(all)
	if inside, _ := r.hits.Best(1); best.Score <= bestOf(inside).Score {
		return hit, false, nil
	}
	hit, err = r.hit(best)
	return hit, err == nil, err
}

// try returns the candidate at a place in the order in which they are tried. isTried is
// false after the last.
func (r *Ranking) try(ctx context.Context, place int) (next ranking.Candidate, isTried bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return next, false, err
	}
	if place < len(r.tried) {
		return r.tried[place], true, nil
	}
	if r.packer == nil {
		r.packer, r.places = ranking.NewPacker(r.hits, ranking.Bounds{Budget: math.MaxUint64}, hitUnits{r}), map[uint32]int{}
	}
	next, isTried, err = r.packer.Next(ctx)
	switch {
	case err != nil:
		r.packer, r.tried = nil, nil // the packer may have lost a candidate
	case isTried:
		r.places[next.Ordinal] = place
		r.tried = append(r.tried, next)
	}
	return next, isTried, err
}

// hit returns a section or a page as a Hit.
func (r *Ranking) hit(of ranking.UnitHit) (hit Hit, err error) {
	if r.unit == selection.Documents {
		hit, err = r.from.pageHit(of.Ordinal, int(r.sizes[of.Ordinal]))
	} else {
		hit, err = r.from.sectionHit(of.Ordinal)
	}
	hit.Score = uint32(of.Score.Millionths())
	return hit, err
}

// Limits restrict a choice of hits.
type Limits struct {
	Budget uint64 // tokens

	// PageShare is the share of the budget that a page may take before its other sections
	// count only four fifths, in units of 1/[selection.One]. 0 means no limit.
	PageShare uint32

	// ScoreShare is the minimum score of a hit, relative to the best score, in units of
	// 1/[selection.One].
	ScoreShare uint32

	// Have reports whether the caller already has a section, by the versions of the section
	// and of its page. Then the section is left out and takes nothing from the budget. Have
	// can be nil.
	Have func(section, page document.Version) bool
}

// Choose fills a budget with the best hits and leaves out duplicates. It returns them page by
// page, as in a result. If only the Budget is set, [Set.Resolve] makes the same choice.
func (r *Ranking) Choose(ctx context.Context, limits Limits) (hits []Hit, totals selection.Totals, err error) {
	packing, err := r.pack(ctx, limits)
	if err != nil {
		return nil, totals, err
	}
	for _, c := range packing.Chosen() {
		hit, err := r.hit(c.UnitHit)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, totals, err
		}
		hits = append(hits, hit)
	}
	return hits, selection.Totals{
		Budget: limits.Budget, TokensUsed: packing.TokensUsed,
		Considered: r.considered, Selected: len(hits), Excluded: packing.Excluded,
	}, nil
}

func (r *Ranking) choose(ctx context.Context, budget uint64) ([]Hit, selection.Totals, error) {
	return r.Choose(ctx, Limits{Budget: budget})
}

func (r *Ranking) pack(ctx context.Context, l Limits) (ranking.Packing, error) {
	bounds := ranking.Bounds{Budget: l.Budget}
	if l.ScoreShare > 0 {
		best, _ := r.hits.Best(1)
		bounds.Least = ranking.Score(shareOf(uint64(bestOf(best).Score), l.ScoreShare))
	}
	if l.PageShare > 0 {
		bounds.OfPage = max(1, shareOf(l.Budget, l.PageShare))
	}
	if r.unit != selection.Documents && l.Budget < math.MaxUint64 { // without a limit, every hit is chosen anyway
		bounds.MaxHole = ranking.MaxHole
	}
	if l.Have != nil {
		bounds.IsHeld = func(c ranking.Candidate) (bool, error) {
			hit, err := r.hit(c.UnitHit)
			if err != nil {
				return false, err
			}
			text, err := r.Read(hit)
			return l.Have(text.Version, text.Page.Version), err
		}
	}
	return ranking.Pack(ctx, r.hits, bounds, hitUnits{r})
}

// shareOf returns a share of a number, in units of 1/[selection.One]. It can't overflow.
func shareOf(n uint64, share uint32) uint64 {
	high, low := bits.Mul64(n, uint64(min(share, selection.One)))
	part, _ := bits.Div64(high, low, selection.One)
	return part
}

// Read reads the page of a hit and compares it with the manifest. The HitText is only valid
// until the next call.
func (r *Ranking) Read(h Hit) (HitText, error) { return r.from.text(h) }

// result returns a chosen section or page as results contain it.
func (r *Ranking) result(h Hit) (resultDocument, error) {
	text, err := r.Read(h)
	if err != nil {
		return resultDocument{}, err
	}
	if r.match == nil { // most rankings print no result
		r.match = r.scores.Query.Matcher()
	}
	matches, total := r.match(text.Content)
	return resultDocument{
		ID: h.printedID(), Version: text.Version, Content: text.Content, Score: ranking.Decimal(uint64(h.Score)), Tokens: h.Tokens,
		Why: reason{TermMatches: matches, TotalWords: total},
	}, nil
}

func (r *Ranking) scoreText(of ranking.UnitHit) string { return of.Score.String() }

// ranked implements [scored]. Selection 1 ranks only what contains terms of the query.
func (r *Ranking) ranked(byPage bool) ([]ranking.UnitHit, error) {
	hits := slices.Clone(r.hits.All())
	if byPage && r.unit != selection.Documents {
		firsts, err := r.from.firsts()
		if err != nil {
			return nil, err
		}
		hits = ranking.ByPage(hits, firsts)
	}
	slices.SortStableFunc(hits, func(a, b ranking.UnitHit) int { return cmp.Compare(b.Score, a.Score) })
	return hits, nil
}

// hitUnits describe the sections or pages of a ranking to [ranking.Pack]. Two pages are duplicates
// only if their contents are equal.
type hitUnits struct{ *Ranking }

// Info implements [ranking.Units].
func (u hitUnits) Info(ordinal uint32) (ranking.UnitInfo, error) {
	if u.unit == selection.Documents {
		e, err := u.from.entry(ordinal)
		digest := binary.LittleEndian.Uint64(e.Version[:])
		return ranking.UnitInfo{Size: int(u.sizes[ordinal]), Digest: digest, Page: ordinal, Section: ordinal}, err
	}
	at, err := u.from.place(ordinal)
	if err != nil {
		return ranking.UnitInfo{}, err
	}
	found, err := at.member.Section(at.local)
	return ranking.UnitInfo{
		Size: found.PrintedSize(), Digest: found.Digest, Page: at.page, Section: u.scores.SectionOf(ordinal),
	}, err
}

// Content implements [ranking.Units].
func (u hitUnits) Content(ordinal uint32) (page document.ID, slug string, sketch []byte, err error) {
	if u.unit == selection.Documents {
		return "", "", nil, nil
	}
	at, err := u.from.place(ordinal)
	if err != nil {
		return "", "", nil, err
	}
	e, err := u.from.entry(at.page)
	if err != nil {
		return "", "", nil, err
	}
	found, err := at.member.Section(at.local)
	return e.ID, found.Slug, found.Sketch, err
}
