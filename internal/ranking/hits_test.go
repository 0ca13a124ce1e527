package ranking

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/analysis"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/sections"
)

// drawMany draws the scores of more sections than are ranked at first.
func drawMany(t *rapid.T) *Scores {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	lengths := make([]uint32, rapid.IntRange(1, 4*firstRanked).Draw(t, "sections"))
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
	}
	sketches := [][]byte{{red, fox, analysis.EndOfSentence}, {red, analysis.EndOfSentence, fox, analysis.EndOfSentence}, {analysis.HeadingSentence, fox, analysis.EndOfSentence}, nil}
	share := rapid.IntRange(1, 20).Draw(t, "sections to one posting")
	weights := rapid.Uint32Range(1, 30).Draw(t, "weights")
	scores, err := ScoreSections(query, Collection{
		Columns: NewColumns(lengths, traits),
		EachTerm: func(wanted []int, visit func(int, []index.Posting)) error {
			for _, i := range wanted {
				var postings []index.Posting
				for ordinal := range lengths {
					if random.IntN(share) == 0 {
						postings = append(postings, index.Posting{Ordinal: uint32(ordinal), Count: 1 + random.Uint32N(weights)})
					}
				}
				visit(i, postings)
			}
			return nil
		},
		Sketch: func(ordinal uint32) ([]byte, error) { return sketches[ordinal%4], nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

func byKey(a, b UnitHit) int { return cmp.Compare(keyOf(b), keyOf(a)) }

// The best hits must have the highest scores of all, including supported parts.
func TestTheBestHitsAreTheBestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := drawMany(t)
		all := scores.All()
		for _, list := range []HitList{scores, Hits(all)} {
			best, cutoff := list.Best()
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
