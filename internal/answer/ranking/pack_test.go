package ranking

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/selection"
)

// A table contains units that are only compared by their digests.
type table struct {
	look func(ordinal uint32) (UnitInfo, error)
}

func (u table) Info(ordinal uint32) (UnitInfo, error) { return u.look(ordinal) }

func (u table) Content(uint32) (document.ID, string, []byte, error) { return "", "", nil, nil }

// packSlowly is a simple model of Pack, which first orders all units and then chooses.
func packSlowly(hits []UnitHit, limits Bounds, units []UnitInfo) Packing {
	hits = slices.SortedFunc(slices.Values(hits), func(a, b UnitHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Ordinal, b.Ordinal))
	})

	p := Packing{Excluded: len(hits)}
	taken, usedOf := map[uint64]uint32{}, map[uint32]uint64{}
	misses := 0
	var aside []UnitHit // of pages whose tokens are used up, so they count four fifths
	for misses < 64 && p.TokensUsed < limits.Budget {
		isOver := len(hits) == 0 || hits[0].Score < limits.Least
		isAside := len(aside) > 0 && (isOver || uint64(aside[0].Score)*4/5 > uint64(hits[0].Score))
		if isOver && !isAside {
			break
		}
		list := &hits
		if isAside {
			list = &aside
		}
		hit := (*list)[0]
		*list = (*list)[1:]
		unit := units[hit.Ordinal]
		c := Candidate{UnitHit: hit, UnitInfo: unit, Tokens: uint64(unit.Size+3) / 4}
		if of, isTaken := taken[unit.Digest]; isTaken && unit.Digest != 0 && units[of].Section != unit.Section {
			c.Verdict, c.Of, misses = selection.Duplicate, of, 0
			p.Excluded--
		} else if p.TokensUsed+c.Tokens > limits.Budget {
			c.Verdict = selection.TooLarge
			misses++
		} else if used := usedOf[c.Page]; !isAside && limits.OfPage > 0 && used > 0 && used+c.Tokens > limits.OfPage {
			aside = append(aside, hit)
			continue
		} else {
			c.Verdict, misses = selection.Chosen, 0
			taken[unit.Digest] = c.Ordinal
			p.TokensUsed += c.Tokens
			usedOf[c.Page] += c.Tokens
			p.Excluded--
		}
		p.Candidates = append(p.Candidates, c)
	}
	return p
}

// drawUnits draws units and hits among them.
func drawUnits(t *rapid.T) (units []UnitInfo, hits []UnitHit) {
	pages := rapid.SampledFrom([]uint32{0, 3, 1000}).Draw(t, "pages")
	sizes := rapid.SampledFrom([]int{3, 40, 4000}).Draw(t, "sizes")
	digests := rapid.SampledFrom([]uint64{0, 5, math.MaxUint64}).Draw(t, "digests")
	scores := rapid.SampledFrom([]Score{3, 100, 1 << scoreBits}).Draw(t, "scores")
	for ordinal := range rapid.IntRange(0, 200).Draw(t, "units") {
		section := uint32(ordinal)
		if ordinal > 0 && rapid.IntRange(0, 3).Draw(t, "is a later part") == 0 {
			section = units[ordinal-1].Section
		}
		units = append(units, UnitInfo{
			Size:    rapid.IntRange(0, sizes).Draw(t, "size"),
			Digest:  rapid.Uint64Range(0, digests).Draw(t, "digest"),
			Page:    rapid.Uint32Range(0, pages).Draw(t, "page"),
			Section: section,
		})
		if rapid.IntRange(0, 4).Draw(t, "is a hit") > 0 {
			hits = append(hits, UnitHit{uint32(ordinal), Score(rapid.Uint32Range(1, uint32(scores)).Draw(t, "score"))})
		}
	}
	return units, hits
}

func drawLimits(t *rapid.T) Bounds {
	return Bounds{
		Budget: rapid.OneOf(rapid.Uint64Range(0, 100), rapid.Uint64Range(0, 20_000), rapid.Just(uint64(math.MaxUint64))).Draw(t, "budget"),
		OfPage: rapid.SampledFrom([]uint64{0, 0, 1, 40, 2000}).Draw(t, "of a page"),
		Least:  rapid.SampledFrom([]Score{0, 0, 2, 50, 1 << (scoreBits - 1)}).Draw(t, "least score"),
	}
}

func TestPackTakesTheBestThatFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units, hits := drawUnits(t)
		limits := drawLimits(t)
		asked := map[uint32]bool{}
		got, err := Pack(context.Background(), Hits(rapid.Permutation(hits).Draw(t, "hits")), limits, table{func(ordinal uint32) (UnitInfo, error) {
			if asked[ordinal] {
				t.Errorf("%d was looked at twice", ordinal)
			}
			asked[ordinal] = true
			return units[ordinal], nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(packSlowly(hits, limits, units), got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		checkPacking(t, got, limits.Budget)
	})
}

// packAll packs hits among units.
func packAll(t rapid.TB, limits Bounds, units []UnitInfo, hits []UnitHit) Packing {
	t.Helper()
	p, err := Pack(context.Background(), Hits(hits), limits, table{func(ordinal uint32) (UnitInfo, error) { return units[ordinal], nil }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSmallHolesAreFilledFirst(t *testing.T) {
	units := []UnitInfo{{Size: 40, Page: 1}, {Size: 40, Page: 1}, {Size: 40, Page: 1}, {Size: 40, Page: 2}, {Size: 40, Page: 3}}
	for i := range units {
		units[i].Section = uint32(i)
	}
	hits := []UnitHit{{0, 90}, {2, 70}, {3, 80}, {4, 60}} // the second section contains no term
	for _, tc := range []struct {
		limits Bounds
		want   []uint32
	}{
		{Bounds{Budget: 40, MaxHole: 10}, []uint32{0, 3, 2, 1}},
		{Bounds{Budget: 50, MaxHole: 10}, []uint32{0, 3, 2, 1, 4}},
		{Bounds{Budget: 50, MaxHole: 9}, []uint32{0, 3, 2, 4}},
		{Bounds{Budget: 39, MaxHole: 10}, []uint32{0, 3, 2}},
		{Bounds{Budget: 50}, []uint32{0, 3, 2, 4}},
	} {
		p := packAll(t, tc.limits, units, hits)
		var got []uint32
		for _, c := range p.Candidates {
			if c.Verdict == selection.Chosen {
				got = append(got, c.Ordinal)
			}
			if c.Ordinal == 1 && c.Score != 70 {
				t.Errorf("%+v: the hole has a score of %d, want that of the worse end, 70", tc.limits, c.Score)
			}
		}
		chosenHits := len(got)
		if slices.Contains(got, 1) {
			chosenHits--
		}
		if !slices.Equal(got, tc.want) || p.Excluded != len(hits)-chosenHits {
			t.Errorf("%+v: got %v and %d excluded, want %v and %d", tc.limits, got, p.Excluded, tc.want, len(hits)-chosenHits)
		}
	}
}

func TestAHoleIsFilledOnlyIfAllOfItFits(t *testing.T) {
	units := []UnitInfo{{Size: 4, Page: 1}, {Size: 40, Page: 1, Section: 1}, {Size: 40, Page: 1, Section: 2}, {Size: 4, Page: 1, Section: 3}}
	hits := []UnitHit{{0, 90}, {3, 80}}
	for budget, want := range map[uint64]int{21: 2, 22: 4} {
		p := packAll(t, Bounds{Budget: budget, MaxHole: MaxHole}, units, hits)
		if got := len(p.Chosen()); got != want {
			t.Errorf("budget %d: got %d units, want %d", budget, got, want)
		}
	}
	if MaxHole != 200 {
		t.Errorf("got a largest hole of %d tokens, want the 200 of docs/selection.md", MaxHole)
	}
}

// A page that used up its tokens competes with four fifths of its scores.
func TestAUnitOfAFullPageComesLater(t *testing.T) {
	units := []UnitInfo{{Size: 4, Page: 1}, {Size: 4, Page: 1, Section: 1}, {Size: 4, Page: 2, Section: 2}, {Size: 4, Page: 3, Section: 3}}
	p := packAll(t, Bounds{Budget: 100, OfPage: 1}, units, []UnitHit{{0, 1000}, {1, 1000}, {2, 800}, {3, 799}})
	var got []uint32
	for _, c := range p.Candidates {
		got = append(got, c.Ordinal)
	}
	if want := []uint32{0, 2, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("got the units %v, want %v", got, want)
	}
}

// Between two units of a page, nothing small enough should be missing, unless it was
// tried.
func TestNoSmallHoleIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units, hits := drawUnits(t)
		limits := drawLimits(t)
		limits.Budget = min(limits.Budget, 100_000)
		limits.MaxHole = rapid.SampledFrom([]uint64{1, 20, MaxHole}).Draw(t, "largest hole")
		ofPage := rapid.SampledFrom([]int{5, 50}).Draw(t, "units of a page")
		for i := range units {
			units[i].Size++
			units[i].Page, units[i].Section = uint32(i/ofPage), uint32(i)
		}
		p := packAll(t, limits, units, hits)
		checkPacking(t, p, limits.Budget)
		verdicts, last := map[uint32]selection.Verdict{}, Score(math.MaxUint32)
		for _, c := range p.Candidates {
			if _, isTried := verdicts[c.Ordinal]; isTried {
				t.Errorf("%d was tried twice", c.Ordinal)
			}
			if limits.OfPage == 0 && c.Score > last {
				t.Errorf("%d has a score of %d and comes after %d", c.Ordinal, c.Score, last)
			}
			verdicts[c.Ordinal], last = c.Verdict, c.Score
		}
		before, tokens, isOpen := -1, uint64(0), false // the previous unit in the answer, and what is missing since then
		for ordinal, unit := range units {
			verdict, isTried := verdicts[uint32(ordinal)]
			switch {
			case !isTried:
				tokens += selection.TokensOf(unit.Size)
			case verdict != selection.Chosen:
				isOpen = false
			default:
				gap := ordinal - before
				if isOpen && gap > 1 && units[before].Page == unit.Page && tokens <= min(limits.MaxHole, limits.Budget-p.TokensUsed) {
					t.Errorf("%d tokens between %d and %d are missing", tokens, before, ordinal)
				}
				before, tokens, isOpen = ordinal, 0, true
			}
		}
	})
}

// checkPacking fails the test unless a packing is within its budget and contains no
// duplicates.
func checkPacking(t *rapid.T, p Packing, budget uint64) {
	used, said := uint64(0), map[uint64]Candidate{}
	chosen := p.Chosen()
	for _, c := range chosen {
		used += selection.TokensOf(c.Size)
		before, isSaid := said[c.Digest]
		if c.Verdict != selection.Chosen || c.Digest != 0 && isSaid && before.Section != c.Section {
			t.Errorf("chosen was %+v", c)
		}
		said[c.Digest] = c
	}
	if used > budget || used != p.TokensUsed {
		t.Errorf("got %d tokens used, and TokensUsed says %d, of a budget of %d", used, p.TokensUsed, budget)
	}
	// Pages must come in the order of their best units, and the units of a page in its
	// order.
	var pages []uint32
	for _, c := range p.Candidates {
		if c.Verdict == selection.Chosen && !slices.Contains(pages, c.Page) {
			pages = append(pages, c.Page)
		}
	}
	var want []uint32
	for _, page := range pages {
		var ordinals []uint32
		for _, c := range p.Candidates {
			if c.Verdict == selection.Chosen && c.Page == page {
				ordinals = append(ordinals, c.Ordinal)
			}
		}
		want = append(want, slices.Sorted(slices.Values(ordinals))...)
	}
	var got []uint32
	for _, c := range chosen {
		got = append(got, c.Ordinal)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got the order %v, want %v", got, want)
	}
}

// Hits beyond the first firstRanked are only put in order once they are needed.
func TestPackKeepsTheOrderOfMany(t *testing.T) {
	random := rand.NewPCG(1, 2)
	units := make([]UnitInfo, 3000)
	hits := make([]UnitHit, len(units))
	for i := range units {
		units[i] = UnitInfo{Size: int(random.Uint64() % 9), Digest: random.Uint64() % 2000, Page: uint32(i / 4), Section: uint32(i / 2)}
		hits[i] = UnitHit{uint32(i), Score(1 + random.Uint64()%500)}
	}
	for _, budget := range []uint64{0, 500, 2000, math.MaxUint64} {
		got, err := Pack(context.Background(), Hits(hits), Bounds{Budget: budget}, table{func(ordinal uint32) (UnitInfo, error) { return units[ordinal], nil }})
		if diff := gocmp.Diff(packSlowly(hits, Bounds{Budget: budget}, units), got); diff != "" || err != nil {
			t.Errorf("%d: %v (-want +got):\n%s", budget, err, diff)
		}
	}
}

func TestPackGivesUpWhenManyDoNotFit(t *testing.T) {
	for large, want := range map[int]int{63: 64, 64: 64, 100: 64} {
		var hits []UnitHit
		for ordinal := range large + 1 {
			hits = append(hits, UnitHit{uint32(ordinal), Score(1000 - ordinal)})
		}
		p, err := Pack(context.Background(), Hits(hits), Bounds{Budget: 10}, table{func(ordinal uint32) (UnitInfo, error) {
			if int(ordinal) < large {
				return UnitInfo{Size: 100, Page: ordinal}, nil
			}
			return UnitInfo{Size: 4, Page: ordinal}, nil
		}})
		if got := len(p.Candidates); err != nil || got != want || len(p.Chosen()) != max(0, 64-large) {
			t.Errorf("%d units that are too large: got %d candidates and %d chosen, %v, want %d", large, got, len(p.Chosen()), err, want)
		}
	}
}

func TestPackFailsAsTheLookDoes(t *testing.T) {
	want := errors.New("nowhere")
	p, err := Pack(context.Background(), Hits{{0, 1}}, Bounds{Budget: 10}, table{func(uint32) (UnitInfo, error) { return UnitInfo{}, want }})
	if !errors.Is(err, want) || len(p.Candidates) > 0 {
		t.Errorf("got %v, %v, want %v", p, err, want)
	}
}
