package ranking

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/analysis"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// drawMany draws a query and up to so many sections.
func drawMany(t *rapid.T, most int) (TermQuery, *Columns, SectionIndex) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	lengths := make([]uint32, rapid.OneOf(rapid.IntRange(1, most), rapid.IntRange(most/2, most)).Draw(t, "sections"))
	traits := make([]sections.Traits, len(lengths))
	chains := rapid.IntRange(0, 4).Draw(t, "parts of 4")
	for i := range lengths {
		lengths[i] = random.Uint32N(200)
		traits[i] = sections.Traits(random.IntN(2)) * sections.First
		if i > 0 && random.IntN(4) < chains {
			traits[i] = sections.Continues
		}
	}
	red, fox := analysis.SketchOf([]byte("red")), analysis.SketchOf([]byte("fox"))
	query := TermQuery{
		Terms: []Term{{Text: "red", Weight: one, IsInSketches: true}, {Text: "fox", Weight: one, IsInSketches: true}},
		Pairs: []Pair{{First: 0, Second: 1, Sketch: [2]byte{red, fox}}},
		Keys:  []Key{{sections.TitleKey, "title"}, {sections.HeadingKey, "heading"}},
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "more terms") {
		query.Terms = append(query.Terms, Term{Text: string(rune('a' + i)), Weight: rapid.SampledFrom([]uint64{1, wholeWeight, one}).Draw(t, "weight")})
	}
	sketches := [][]byte{{red, fox, analysis.EndOfSentence}, {red, analysis.EndOfSentence, fox, analysis.EndOfSentence}, {analysis.HeadingSentence, fox, analysis.EndOfSentence}, nil}
	weights := rapid.Uint32Range(1, 300).Draw(t, "weights")
	draw := func(share int) (postings []index.Posting) {
		for ordinal := range lengths {
			if random.IntN(share) == 0 {
				postings = append(postings, index.Posting{Ordinal: uint32(ordinal), Count: 1 + random.Uint32N(weights)})
			}
		}
		return postings
	}
	share := rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(1, 1000))
	lists := make([][]index.Posting, len(query.Terms))
	for i := range lists {
		lists[i] = draw(share.Draw(t, "sections to one posting"))
	}
	from := indexOf(query, len(lengths), lists)
	from.postings["title"] = draw(share.Draw(t, "sections to one title"))
	from.postings["heading"] = draw(share.Draw(t, "sections to one heading"))
	from.sketches = func(ordinal uint32) []byte { return sketches[ordinal%4] }
	return query, columnsOf(lengths, traits), from
}

// scored scores sections. If addsUp is set, it adds up the sums of all sections instead of looking
// only at those that can be among the best.
func scored(t *rapid.T, query TermQuery, columns *Columns, from SectionIndex, addsUp bool) *Scores {
	s := newScores(query, columns)
	if addsUp {
		s.sums = make([]uint64, columns.Numbers.Len())
	}
	if err := s.score(context.Background(), from); err != nil {
		t.Fatal(err)
	}
	return s
}

func byKey(a, b UnitHit) int { return cmp.Compare(keyOf(b), keyOf(a)) }

// The best hits must have the highest scores of all, including supported parts.
func TestTheBestHitsAreTheBestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query, columns, from := drawMany(t, 4*firstRanked)
		scores := scored(t, query, columns, from, rapid.Bool().Draw(t, "adds up"))
		all := scored(t, query, columns, from, true).All()
		for _, list := range []HitList{scores, Hits(all)} {
			best, cutoff := list.Best(firstRanked)
			isBest := func(h UnitHit) bool { return keyOf(h) >= cutoff }
			want := slices.SortedFunc(slices.Values(slices.DeleteFunc(slices.Clone(all), func(h UnitHit) bool { return !isBest(h) })), byKey)
			slices.SortFunc(best, byKey)
			if !slices.Equal(best, want) {
				t.Fatalf("got %v, want %v", best, want)
			}
			if list.Len() != len(all) || len(best) < min(firstRanked, len(all)) || cutoff == 0 && len(best) < len(all) {
				t.Fatalf("got %d hits and the best %d above the cutoff %d, want %d", list.Len(), len(best), cutoff, len(all))
			}
		}
	})
}

// Skipping sections must not change any score, order or number of hits, with or without
// a filter.
func TestSkippedSectionsDoNotChangeScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query, columns, from := drawMany(t, 4*windowSize)
		want, got := scored(t, query, columns, from, true), scored(t, query, columns, from, false)
		sections := uint32(columns.Numbers.Len())
		firsts := []uint32{0}
		var allowed []bool
		share := rapid.IntRange(1, 30).Draw(t, "pages to one allowed page")
		for ordinal := range sections {
			if !columns.continues(ordinal + 1) {
				firsts = append(firsts, ordinal+1)
				allowed = append(allowed, len(firsts)%share == 0)
			}
		}
		isAllowed := func(ordinal uint32) bool { return allowed[PageOf(firsts, ordinal)] }
		compareHits(t, want, got, func(uint32) bool { return true })
		compareHits(t, want, got.In(allowed, firsts), isAllowed)
		compareHits(t, want, want.In(allowed, firsts), isAllowed)
		if all := got.All(); !slices.Equal(all, want.All()) { // last, because it adds up all sums
			t.Fatalf("got %v, want %v", all, want.All())
		}
	})
}

// compareHits compares a list with the allowed hits of want. It takes the hits one after
// another, as [Packer] does.
func compareHits(t *rapid.T, want *Scores, got HitList, isAllowed func(ordinal uint32) bool) {
	all := slices.DeleteFunc(want.All(), func(h UnitHit) bool { return !isAllowed(h.Ordinal) })
	for ordinal := range uint32(want.Numbers.Len()) {
		if isHit := isAllowed(ordinal) && want.Contains(ordinal); got.Contains(ordinal) != isHit {
			t.Fatalf("%d: got %t, want %t", ordinal, got.Contains(ordinal), isHit)
		}
	}
	if got.Len() != len(all) {
		t.Fatalf("got %d hits, want %d", got.Len(), len(all))
	}
	slices.SortFunc(all, byKey)
	p := NewPacker(got, Bounds{Budget: 1}, nil)
	for i, hit := range all {
		if !p.hasMore() {
			t.Fatalf("got %d hits, want %d", i, len(all))
		}
		if next := hitOf(p.best.Pop().Key); next != hit {
			t.Fatalf("got %v as hit %d, want %v", next, i, hit)
		}
	}
	if p.hasMore() {
		t.Fatalf("got more than %d hits", len(all))
	}
}

// A sum must reach a score if and only if it is at least the least sum of that score.
func TestTheLeastSumOfAScoreHasIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Scores{most: rapid.OneOf(rapid.Uint64Range(1, 1<<24), rapid.Uint64Range(1, 1<<44)).Draw(t, "most")}
		s.scale = 1 << 62 / s.most
		score := s.scoreOf(rapid.Uint64Range(1, s.most).Draw(t, "sum"))
		least := s.leastSum(score)
		if s.scoreOf(least) < score || least > 1 && s.scoreOf(least-1) >= score {
			t.Fatalf("%d of %d: got %d", score, s.most, least)
		}
	})
}
