package answers

import (
	"context"
	"iter"
	"math"
	"math/bits"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

// A Ranking contains the sections that answer a query by selection 1, in descending
// order. It is not safe for concurrent use.
type Ranking struct {
	scores  *sectionScores
	printer printer

	packer *ranking.Packer     // tries the hits one by one; nil until then
	tried  []ranking.Candidate // by the packer
	places map[uint32]int      // of tried sections or pages by ordinal
}

// A Hit is a section with terms of a query, or a page if the request asks for
// [selection.Documents].
type Hit struct {
	Member  string         // name of its cache
	ID      document.ID    // of the page, without the name
	Page    int            // number of the page in its cache, for [Cache.ReadAt]
	Section int            // number of the section in its page, from 0
	Slug    string         // of the section; "" if it is the whole page
	Span    document.Span  // without the lead and the tail
	Lead    document.Range // of the page; [Ranking.Read] returns it before the span
	Tail    document.Range // of the page; [Ranking.Read] returns it after the span
	Score   uint32         // share of the highest score that the query allows, in units of 1/[selection.One]
	Tokens  uint64

	// DuplicateOf is the number in [Ranking.Hits], from 0, of the hit that this hit
	// duplicates or nearly duplicates. It is -1 if there is no such hit.
	DuplicateOf int

	choice choice
	from   *home // of the page
	isPage bool
}

// Rank ranks the sections of the caches by selection 1, even if they were built for another
// selection. If their indexes are for selection 1, it reads no documents. It fails like
// [Set.Resolve].
func (s *Set) Rank(ctx context.Context, request selection.Request) (*Ranking, error) {
	request.Selection = selection.Spec1
	all, err := s.candidates(ctx, request)
	if err != nil {
		return nil, err
	}
	return all.ranking(), nil
}

func (all *candidates) ranking() *Ranking {
	return &Ranking{scores: all.sections, printer: printer{candidates: all}}
}

// Release recycles the memory of the ranking for later queries. Don't use the ranking or its
// Hits afterwards.
func (r *Ranking) Release() { r.scores.scores.Release() }

// Terms returns the terms of the query, with the words that replace unknown terms.
func (r *Ranking) Terms() []selection.ExplainedTerm { return r.scores.explainedTerms() }

// IsWithoutPages reports whether the filter leaves no page.
func (r *Ranking) IsWithoutPages() bool { return r.scores.isWithoutPages }

// Coverage returns the share of the query that a text covers, weighted by idf, in units of
// 1/[selection.One].
func (r *Ranking) Coverage(text []byte) uint64 { return r.scores.scores.Coverage(text).Millionths() }

// Covered returns the share of the query that a text covers, as [selection.Confidence] does, in
// units of 1/[selection.One]. It also returns the numbers of the terms missing from the text.
func (r *Ranking) Covered(text []byte) (covered uint64, lacks []int) {
	score, lacks := r.scores.scores.Covered(text)
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
			hit, err := r.hit(next, err)
			if next.Verdict == ranking.Duplicate {
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
func (r *Ranking) Outside(ctx context.Context) (hit Hit, isOne bool, err error) {
	if pageFilter(r.printer.request.Filter).isEmpty() {
		return hit, false, nil
	}
	top := func(list ranking.HitList) (best ranking.UnitHit) {
		hits, _ := list.Best(1)
		for _, h := range hits {
			if h.Score > best.Score || h.Score == best.Score && h.Ordinal < best.Ordinal {
				best = h
			}
		}
		return best
	}
	best := top(r.scores.scores)
	if best.Score <= top(r.scores.hits).Score {
		return hit, false, nil
	}
	info, err := r.scores.units(ctx).Info(best.Ordinal)
	if err != nil {
		return hit, false, err
	}
	hit, err = r.hit(ranking.Candidate{Ordinal: best.Ordinal, UnitInfo: info, Score: best.Score}, nil)
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
		units := r.scores.units(context.WithoutCancel(ctx)) // later calls may use another ctx
		r.packer, r.places = ranking.NewPacker(r.scores.hits, ranking.Bounds{Budget: math.MaxUint64}, units), map[uint32]int{}
	}
	next, isTried, err = r.packer.Next()
	switch {
	case err != nil:
		r.packer, r.tried = nil, nil // the packer may have lost a candidate
	case isTried:
		r.places[next.Ordinal] = place
		r.tried = append(r.tried, next)
	}
	return next, isTried, err
}

// hit returns a candidate as a hit, unless err is an error.
func (r *Ranking) hit(c ranking.Candidate, err error) (Hit, error) {
	if err != nil {
		return Hit{}, err
	}
	chosen, err := r.scores.choiceOf(c)
	if err != nil {
		return Hit{}, err
	}
	from, number := r.scores.home(c.Page)
	hit := Hit{
		Member: from.name, ID: chosen.entry.ID, Page: int(number), DuplicateOf: -1,
		Span:  document.Span{ID: chosen.entry.ID, End: c.Size},
		Score: uint32(c.Score.Millionths()), Tokens: c.Tokens, choice: chosen, from: from,
	}
	if hit.isPage = r.scores.unit == selection.Documents; hit.isPage {
		return hit, nil
	}
	found, err := r.scores.section(c.Ordinal)
	if err != nil {
		return Hit{}, err
	}
	_, first, err := r.scores.place(c.Ordinal)
	if err != nil {
		return Hit{}, err
	}
	hit.Section = int(c.Ordinal - first)
	hit.Span.Start, hit.Span.End, hit.Lead, hit.Tail = found.Start, found.End, found.Lead, found.Tail
	hit.Slug, err = r.scores.slug(c.Ordinal)
	return hit, err
}

// Check fails with [fault.CacheInvalid] unless parts, which are the sections of the page, contain
// the section. An index whose checksums are right can still name sections that don't exist.
func (h Hit) Check(parts []sections.Section) error {
	if h.isPage || h.Section < len(parts) && h.isAt(parts[h.Section]) {
		return nil
	}
	return h.from.mismatch("%s contains no section from %d to %d", h.ID, h.Span.Start, h.Span.End)
}

func (h Hit) isAt(s sections.Section) bool {
	return h.Span.Start == s.Start && h.Span.End == s.End && h.Lead == s.Lead && h.Tail == s.Tail && h.Slug == s.Slug
}

// IsSame reports whether two hits refer to the same section or page.
func (h Hit) IsSame(other Hit) bool { return h.Member == other.Member && h.Span == other.Span }

// Follows reports whether a section is the next section of the page.
func (h Hit) Follows(before Hit) bool {
	return h.Member == before.Member && h.Page == before.Page && h.Section == before.Section+1
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
	packed := r.packingLimits(limits)
	if limits.Have != nil {
		packed.IsHeld = func(c ranking.Candidate) (bool, error) {
			hit, err := r.hit(c, nil)
			if err != nil {
				return false, err
			}
			text, err := r.Read(hit)
			return limits.Have(text.Version, text.Page.Version), err
		}
	}
	packing, err := r.scores.pack(ctx, packed)
	if err != nil {
		return nil, totals, err
	}
	for _, c := range packing.Chosen() {
		hit, err := r.hit(c, context.Cause(ctx))
		if err != nil {
			return nil, totals, err
		}
		hits = append(hits, hit)
	}
	return hits, r.scores.totals(limits.Budget, packing, len(hits)), nil
}

func (r *Ranking) packingLimits(l Limits) ranking.Bounds {
	best := ranking.Score(0)
	hits, _ := r.scores.hits.Best(1)
	for _, hit := range hits {
		best = max(best, hit.Score)
	}
	packing := ranking.Bounds{
		Budget: l.Budget,
		Least:  ranking.Score(shareOf(uint64(best), l.ScoreShare)),
	}
	if l.PageShare > 0 {
		packing.OfPage = max(1, shareOf(l.Budget, l.PageShare))
	}
	return packing
}

// shareOf returns a share of a number, in units of 1/[selection.One]. It can't overflow.
func shareOf(n uint64, share uint32) uint64 {
	high, low := bits.Mul64(n, uint64(min(share, selection.One)))
	part, _ := bits.Div64(high, low, selection.One)
	return part
}

// A HitText is a hit with its content.
type HitText struct {
	Page    document.Document // the whole page
	Content []byte            // of the hit
	Version document.Version  // of Content
}

// Read reads the page of a hit and compares it with the manifest. The HitText is only valid
// until the next call.
func (r *Ranking) Read(h Hit) (HitText, error) {
	read, err := r.printer.fetch(h.choice)
	return HitText{r.printer.last, read.content, read.version}, err
}
