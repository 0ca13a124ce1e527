package answers

import (
	"context"
	"iter"
	"math"
	"math/bits"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/selection"
)

// A Ranking has the sections that answer a query by selection 1, the best first. Not safe
// for concurrent use.
type Ranking struct {
	scores  *sectionScores
	printer printer
}

// A Hit is a section that has terms of a query, or a page if the request asks for
// [Documents].
type Hit struct {
	Member  string         // name of its cache
	ID      document.ID    // of the page, without the name
	Page    int            // number of the page in its cache, see [Cache.ReadAt]
	Section int            // number of the section in its page, the first is 0
	Slug    string         // of the section; "" for one that is the whole page
	Span    document.Span  // without the lead and the tail
	Lead    document.Range // of the page; [Ranking.Read] returns it before the span
	Tail    document.Range // of the page; [Ranking.Read] returns it behind the span
	Score   uint32         // share of the highest score that the query allows, in units of 1/[One]
	Tokens  uint64

	// DuplicateOf is the place of the hit that this one duplicates or nearly
	// duplicates: its number in [Ranking.Hits], the first is 0. It is -1 if there is none.
	DuplicateOf int

	choice choice
}

// Rank ranks the sections of the caches for a request by selection 1, also if they were
// built for another. It reads no documents if the caches have indexes for selection 1. It
// fails like [Set.Resolve].
func (s *Set) Rank(ctx context.Context, request selection.Request) (*Ranking, error) {
	request.Selection = selection.Spec1
	all, err := s.candidates(ctx, request)
	if err != nil {
		return nil, err
	}
	return all.ranking(), nil
}

// ranking returns the candidates of selection 1 as a Ranking.
func (all *candidates) ranking() *Ranking {
	return &Ranking{all.sections, printer{candidates: all}}
}

// Release gives the memory of the ranking to later ones. Nothing can use it, or its Hits,
// after that.
func (r *Ranking) Release() { r.scores.scores.Release() }

// Terms returns the terms of the query, with the words that stand for those that no
// section has.
func (r *Ranking) Terms() []selection.ExplainedTerm { return r.scores.explainedTerms() }

// Coverage returns what share of the query a text has, in units of 1/[One]: the worth of its
// terms among that of all.
func (r *Ranking) Coverage(text []byte) uint64 { return r.scores.scores.Coverage(text).Millionths() }

// Hits returns all hits: by score, the highest first. It finds each when it is asked
// for. An error is the last.
func (r *Ranking) Hits(ctx context.Context) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		packer := ranking.NewPacker(r.scores.hits, ranking.Bounds{Budget: math.MaxUint64}, r.scores.units(ctx))
		places := map[uint32]int{} // of sections or pages by ordinal
		for {
			next, isTried, err := packer.Next()
			if err == nil && !isTried {
				return
			}
			hit, err := r.hit(next, err)
			if next.Verdict == ranking.Duplicate {
				hit.DuplicateOf = places[next.Of]
			}
			places[next.Ordinal] = len(places)
			if !yield(hit, err) || err != nil {
				return
			}
		}
	}
}

// hit returns the hit that a candidate is. It fails with err if that is not nil.
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
		Score: uint32(c.Score.Millionths()), Tokens: c.Tokens, choice: chosen,
	}
	if r.scores.unit == selection.Documents {
		return hit, nil
	}
	found, err := r.scores.section(c.Ordinal)
	if err != nil {
		return Hit{}, err
	}
	hit.Section = int(c.Ordinal - r.scores.firsts[c.Page])
	hit.Span.Start, hit.Span.End, hit.Lead, hit.Tail = found.Start, found.End, found.Lead, found.Tail
	hit.Slug, err = r.scores.slug(c.Ordinal)
	return hit, err
}

// IsSame reports whether two hits are the same section or page.
func (h Hit) IsSame(other Hit) bool { return h.Member == other.Member && h.Span == other.Span }

// Follows reports whether a section is the next one of the page.
func (h Hit) Follows(before Hit) bool {
	return h.Member == before.Member && h.Page == before.Page && h.Section == before.Section+1
}

// Limits bound a choice of hits.
type Limits struct {
	Budget uint64 // tokens

	// PageShare is how much of the budget one page takes before its other sections count
	// four fifths: a share in units of 1/[One]. 0 means no limit.
	PageShare uint32

	// ScoreShare is the least score of a chosen hit as a share of the best, in units of
	// 1/[One].
	ScoreShare uint32

	// Have reports whether the caller has a section already, by its version and that of
	// its page. Then it is not chosen, and costs nothing of the budget. It may be nil.
	Have func(section, page document.Version) bool
}

// Choose fills a budget with the best hits, without those that duplicate others. They
// are in the order of a result: page by page. With a Budget alone the choice is that of
// [Set.Resolve].
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
	hits, _ := r.scores.hits.Best()
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

// shareOf returns the share of a number, in units of 1/[One].
func shareOf(n uint64, share uint32) uint64 {
	high, low := bits.Mul64(n, uint64(min(share, selection.One)))
	part, _ := bits.Div64(high, low, selection.One)
	return part
}

// A HitText is the content of a hit.
type HitText struct {
	Page    document.Document // all of its page
	Content []byte            // of the hit
	Version document.Version  // of Content
}

// Read reads the page of a hit and checks it against the manifest. The HitText is valid
// until the next call.
func (r *Ranking) Read(h Hit) (HitText, error) {
	read, err := r.printer.fetch(h.choice)
	return HitText{r.printer.last, read.content, read.version}, err
}
