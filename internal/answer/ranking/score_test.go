package ranking

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

func TestLogarithmsAreRoundedDownAndMonotone(t *testing.T) {
	check := func(t rapid.TB, x uint64) {
		got, want := float64(log2(x))/(1<<16), math.Log2(float64(x))
		if got > want+1e-9 || got < want-1.0/(1<<15) {
			t.Fatalf("%d: got %v, want %v", x, got, want)
		}
		if x > 1 && log2(x-1) > log2(x) {
			t.Fatalf("%d: got %d, want at least the %d of the previous number", x, log2(x), log2(x-1))
		}
	}
	for x := range uint64(1 << 16) {
		check(t, x+1)
	}
	for whole := range uint64(64) {
		if got := log2(1 << whole); got != whole<<16 {
			t.Errorf("2^%d: got %d, want %d", whole, got, whole<<16)
		}
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Uint64Range(1, math.MaxUint64).Draw(t, "x")) })
}

func TestTermsThatFewHaveSayMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.IntRange(0, 1<<30).Draw(t, "all")
		n := rapid.IntRange(0, all).Draw(t, "n")
		got, want := float64(IDF(all, n))/(1<<16), math.Log2(float64(2*all+2)/float64(2*n+1))+0.5
		if math.Abs(got-want) > 1.0/(1<<15) || got <= 0 {
			t.Fatalf("%d of %d: got %v, want %v", n, all, got, want)
		}
		if n > 0 && IDF(all, n-1) < IDF(all, n) {
			t.Fatalf("%d of %d: got %d, want at most the %d for the previous number", n, all, IDF(all, n), IDF(all, n-1))
		}
	})
}

func TestScoresPrintAsDecimals(t *testing.T) {
	for score, want := range map[Score]string{
		0:                          "0.0",
		1:                          "0.000001", // not 0
		1 << scoreBits / 1_000_000: "0.000001", // 1073 of 1073.74
		1<<scoreBits/1_000_000 + 1: "0.000001",
		1 << scoreBits / 2:         "0.5",
		1 << scoreBits / 4 * 3:     "0.75",
		1 << scoreBits / 10:        "0.099999",
		1<<scoreBits/10 + 1:        "0.1",
		1<<scoreBits - 1:           "0.999999",
		1 << scoreBits:             "1.0",
		1<<scoreBits + 1:           "1.0",
		math.MaxUint32:             "1.0",
	} {
		if got := score.String(); got != want {
			t.Errorf("%d: got %s, want %s", score, got, want)
		}
	}
}

func TestScoresAreAPartOfTheMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Scores{most: rapid.OneOf(rapid.Uint64Range(1, 1<<24), rapid.Uint64Range(1, 1<<44)).Draw(t, "most")}
		s.scale = 1 << 62 / s.most
		sum := rapid.Uint64Range(1, s.most).Draw(t, "sum")
		got, want := s.scoreOf(sum), float64(sum)/float64(s.most)
		if got < 1 || got > 1<<scoreBits || math.Abs(float64(got)/(1<<scoreBits)-want) > 1.0/(1<<17) {
			t.Fatalf("%d of %d: got %d, want %v", sum, s.most, got, want)
		}
		if sum > 1 && s.scoreOf(sum-1) > got {
			t.Fatalf("%d of %d: got %d, want at least the %d of the previous sum", sum, s.most, got, s.scoreOf(sum-1))
		}
	})
}

// drawScored draws the lengths of sections and the postings of terms.
func drawScored(t *rapid.T) (query TermQuery, lengths []uint32, postings [][]index.Posting) {
	lengths = rapid.SliceOfN(rapid.OneOf(rapid.Uint32Range(1, 500), rapid.Uint32Range(0, 1<<24)), 1, 40).Draw(t, "lengths")
	for range rapid.IntRange(0, 6).Draw(t, "terms") {
		var of []index.Posting
		for ordinal := range lengths {
			if rapid.IntRange(0, 2).Draw(t, "has it") == 0 {
				of = append(of, index.Posting{Ordinal: uint32(ordinal), Count: rapid.OneOf(rapid.Uint32Range(1, 9), rapid.Uint32Range(1, 1<<24)).Draw(t, "count")})
			}
		}
		postings = append(postings, of)
		query.Terms = append(query.Terms, Term{Text: string(rune('a' + len(query.Terms))), Weight: rapid.SampledFrom([]uint64{one, wholeWeight}).Draw(t, "weight")})
	}
	return query, lengths, postings
}

// model returns the scores of textbook BM25F, without pairs, keys and passages.
func model(query TermQuery, lengths []uint32, postings [][]index.Posting) []float64 {
	const k, b = 2.0, 0.75
	scores, most, average := make([]float64, len(lengths)), 0.0, 0.0
	for _, length := range lengths {
		average += float64(length) / float64(len(lengths))
	}
	for i, of := range postings {
		worth := (math.Log2(float64(2*len(lengths)+2)/float64(2*len(of)+1)) + 0.5) * (k + 1) * float64(query.Terms[i].Weight) / one
		focus := 0.0
		for _, p := range of {
			focus += float64(p.Count) / float64(len(of))
		}
		if len(of) == 0 {
			focus = k
		}
		worth *= focus / (focus + k)
		most += worth
		for _, p := range of {
			norm := k * (1 - b + b*float64(lengths[p.Ordinal])/max(1/float64(len(lengths)), average))
			scores[p.Ordinal] += worth * float64(p.Count) / (float64(p.Count) + norm)
		}
	}
	for i := range scores {
		scores[i] /= max(most, 1e-9) * (1 + 1./2 + 3./16) // the most that passages can add
	}
	return scores
}

func score(t rapid.TB, query TermQuery, lengths []uint32, postings [][]index.Posting) *Scores {
	t.Helper()
	columns := columnsOf(lengths, slices.Repeat([]uint8{sections.First}, len(lengths)))
	scores, err := ScoreSections(context.Background(), query, columns, indexOf(query, len(lengths), postings))
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

func TestScoresAreThoseOfBM25F(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query, lengths, postings := drawScored(t)
		got := make([]float64, len(lengths))
		for _, hit := range score(t, query, lengths, postings).All() {
			got[hit.Ordinal] = float64(hit.Score) / (1 << scoreBits)
		}
		for ordinal, want := range model(query, lengths, postings) {
			if math.Abs(got[ordinal]-want) > 0.005 {
				t.Fatalf("%d of length %d: got %v, want %v", ordinal, lengths[ordinal], got[ordinal], want)
			}
		}
	})
}

func TestTheOrderOfTermsAndPostingsChangesNoScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query, lengths, postings := drawScored(t)
		want := score(t, query, lengths, postings)
		order := rapid.Permutation(slices.Clone(query.Terms)).Draw(t, "order")
		shuffled := make([][]index.Posting, len(postings))
		for i := range query.Terms {
			shuffled[i] = rapid.Permutation(postings[i]).Draw(t, "postings")
			query.Terms[i].Text = order[i].Text // terms are added in the order of their texts
		}
		got := score(t, query, lengths, shuffled)
		if !slices.Equal(got.All(), want.All()) {
			t.Fatalf("got %v, want %v", got.All(), want.All())
		}
	})
}

// Sums must stay far below the limit of an integer.
func TestNoSumOverflows(t *testing.T) {
	const terms, sections = 1 << 20, 64
	lengths := make([]uint32, sections)
	postings := make([]index.Posting, sections)
	for i := range lengths {
		lengths[i] = 1 << 24
		postings[i] = index.Posting{Ordinal: uint32(i), Count: math.MaxUint32 >> (i % 32)}
	}
	lengths[0] = 0
	query := TermQuery{Terms: make([]Term, terms)}
	ofTerms := make([][]index.Posting, terms)
	for i := range ofTerms {
		query.Terms[i] = Term{Text: strconv.Itoa(i), Weight: one}
		ofTerms[i] = postings[:1+i%sections]
	}
	s := score(t, query, lengths, ofTerms)
	for i := range lengths {
		if sum := s.sumOf(uint32(i)); sum == 0 || sum > s.most {
			t.Errorf("%d: got %d, want at most %d", i, sum, s.most)
		}
	}
	if s.sumOf(0) < s.passages.most/10*9 {
		t.Errorf("got %d of %d for the section with the full weight of every term", s.sumOf(0), s.passages.most)
	}

	manyLengths := make([]uint32, 1<<22)
	for i := range manyLengths {
		manyLengths[i] = uint32(i&1) << 24 // 2^23 on average
	}
	many := newScores(TermQuery{Terms: []Term{{Weight: one}}}, columnsOf(manyLengths, make([]uint8, len(manyLengths))))
	if got, want := many.norm(1), many.base+k1*b/one*2; got < want-want/64 || got > want {
		t.Errorf("got a norm of %d for twice the average, want %d", got, want)
	}
}

// Each word is in a single section, but only the second word is repeated there.
func TestAWordThatSectionsRepeatIsWorthMore(t *testing.T) {
	postings := [][]index.Posting{{{Ordinal: 0, Count: 1}}, {{Ordinal: 1, Count: 6}}}
	s := score(t, TermQuery{Terms: []Term{{Text: "struggl", Weight: one}, {Text: "widget", Weight: one}}}, []uint32{10, 10}, postings)
	// By docs/selection.md, their focuses are 1/(1+2) and 6/(6+2), so the first word is
	// worth 4/9 of the second.
	if got, want := s.maxGains[0], s.maxGains[1]*4/9; got < want-2 || got > want+2 {
		t.Errorf("got %d, want about %d: 4/9 of %d", got, want, s.maxGains[1])
	}
	hostile := rankedList{count: 1, weights: math.MaxUint64}
	if got := hostile.focus(); got > 1<<16 {
		t.Errorf("got a focus of %d for very large weights, want at most 1", got)
	}
}

// For example, "docs" is such a term if all paths contain it.
func TestATermOfAllSectionsFindsThem(t *testing.T) {
	const sections = 1 << 17
	lengths := slices.Repeat([]uint32{100}, sections)
	lengths[0] = 1 << 24
	postings := make([]index.Posting, sections)
	for i := range postings {
		postings[i] = index.Posting{Ordinal: uint32(i), Count: 1}
	}
	for _, weight := range []uint64{one, wholeWeight} {
		s := score(t, TermQuery{Terms: []Term{{Weight: weight}}}, lengths, [][]index.Posting{postings})
		if got := s.Len(); got != sections {
			t.Errorf("got %d hits, want %d", got, sections)
		}
	}
}

func TestPairsAreTwoWordsThatFollowEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pair := Pair{Sketch: [2]byte{rapid.ByteRange(0, 3).Draw(t, "first"), rapid.ByteRange(0, 3).Draw(t, "second")}}
		sketch := rapid.SliceOf(rapid.ByteRange(0, 3)).Draw(t, "sketch")
		want := 0
		for i := range len(sketch) - 1 {
			if sketch[i] == pair.Sketch[0] && sketch[i+1] == pair.Sketch[1] {
				want++
			}
		}
		if got := pair.Count(sketch); got != want {
			t.Fatalf("%v in %v: got %d, want %d", pair.Sketch, sketch, got, want)
		}
	})
}

func TestAPairMakesASectionBetter(t *testing.T) {
	q, err := selection.ParseQuery("red fox")
	if err != nil {
		t.Fatal(err)
	}
	query := ParseQuery(q)
	query.Keys = nil
	sketch := query.Pairs[0].Sketch
	sketches := [][]byte{{sketch[1], sketch[0]}, {sketch[0], sketch[1]}, {sketch[0], sketch[1], sketch[0], sketch[1]}}
	everywhere := []index.Posting{{Ordinal: 0, Count: 1}, {Ordinal: 1, Count: 1}, {Ordinal: 2, Count: 1}}
	from := indexOf(query, 3, slices.Repeat([][]index.Posting{everywhere}, len(query.Terms)))
	from.sketches = func(ordinal uint32) []byte { return sketches[ordinal] }
	scores, err := ScoreSections(t.Context(), query, columnsOf([]uint32{10, 10, 10}, slices.Repeat([]uint8{sections.First}, 3)), from)
	if err != nil {
		t.Fatal(err)
	}
	if hits := scores.All(); hits[1].Score <= hits[0].Score || hits[2].Score != hits[1].Score {
		t.Errorf("got %v, want the others to be better than the first and equal", hits)
	}
}

func TestPagesHaveTheScoreOfTheirBestSection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		firsts := []uint32{0}
		var pages []uint32 // by section
		for page, n := range rapid.SliceOfN(rapid.IntRange(1, 4), 1, 10).Draw(t, "sections") {
			for range n {
				pages = append(pages, uint32(page))
			}
			firsts = append(firsts, uint32(len(pages)))
		}
		var hits []UnitHit
		best := map[uint32]Score{}
		for section, page := range pages {
			if got := PageOf(firsts, uint32(section)); got != page {
				t.Fatalf("section %d: got page %d, want %d", section, got, page)
			}
			if rapid.Bool().Draw(t, "is a hit") {
				hit := UnitHit{uint32(section), Score(rapid.IntRange(1, 9).Draw(t, "score"))}
				hits = append(hits, hit)
				best[page] = max(best[page], hit.Score)
			}
		}
		var want []UnitHit
		for page := range uint32(len(firsts) - 1) {
			if best[page] > 0 {
				want = append(want, UnitHit{page, best[page]})
			}
		}
		if got := ByPage(hits, firsts); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// Columns keep postings for later queries, which must not change any score.
func TestLaterQueriesHaveTheScoresOfTheFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query, lengths, postings := drawScored(t)
		columns, from := columnsOf(lengths, make([]sections.Traits, len(lengths))), indexOf(query, len(lengths), postings)
		var first []UnitHit
		for n := range 4 {
			scores, err := ScoreSections(context.Background(), query, columns, from)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				first = scores.All()
			}
			if got := scores.All(); !slices.Equal(got, first) {
				t.Fatalf("query %d: got %v, want %v", n, got, first)
			}
		}
		if from.asked != len(query.Terms) {
			t.Fatalf("got %d terms asked for, want %d", from.asked, len(query.Terms))
		}
	})
}

func columnsOf(lengths []uint32, traits []sections.Traits) *Columns {
	return NewColumns(index.NewSectionNumbers(lengths, traits))
}
