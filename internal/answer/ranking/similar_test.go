package ranking

import (
	"math/rand/v2"
	"testing"
)

// Among many chosen units, the sketchbook must find the same near-duplicate as comparing
// a unit with each of them.
func TestAUnitIsLikeTheFirstThatHasFourFifthsOfTheShingles(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	var book sketchbook
	var all []*saidUnit
	counts := map[bool]int{}
	for ordinal := range uint32(600) {
		mine := &saidUnit{ordinal: ordinal, shingles: shinglesOf(someSketch(random)), section: uint32(random.IntN(4))}
		of, isLike := book.like(mine)
		wantOf, wantLike := likeByEach(all, mine.section, mine.shingles)
		if isLike != wantLike || of != wantOf {
			t.Fatalf("unit %d is like %d: %t, want %d: %t", ordinal, of, isLike, wantOf, wantLike)
		}
		counts[isLike]++
		if !isLike || random.IntN(2) == 0 { // add some near-duplicates as well, so there can be several to find
			book.add(mine)
			all = append(all, mine)
		}
	}
	if counts[true] < 100 || counts[false] < 100 {
		t.Errorf("%d units are like others and %d are not, want many of both", counts[true], counts[false])
	}
}

// someSketch returns a sketch of one of a few texts, with some words changed.
func someSketch(random *rand.Rand) []byte {
	text := rand.New(rand.NewPCG(random.Uint64N(40), 0))
	sketch := make([]byte, 15+text.IntN(200))
	for i := range sketch {
		sketch[i] = byte(text.IntN(1 + text.IntN(64)))
	}
	for range random.IntN(2 + len(sketch)/16) {
		sketch[random.IntN(len(sketch))] = byte(random.IntN(256))
	}
	return sketch
}

// likeByEach follows the documentation literally: it compares all units, without ordering
// their shingles.
func likeByEach(units []*saidUnit, section uint32, mine shingles) (ordinal uint32, found bool) {
	for _, unit := range units {
		have := map[uint32]bool{}
		for _, shingle := range unit.shingles {
			have[shingle] = true
		}
		common := 0
		for _, shingle := range mine {
			if have[shingle] {
				common++
			}
		}
		union := len(mine) + len(unit.shingles) - common
		if min(len(mine), len(unit.shingles)) >= 20 && 5*common >= 4*union && unit.section != section {
			return unit.ordinal, true
		}
	}
	return 0, false
}

// sketchFrom returns a sketch of n words that don't repeat.
func sketchFrom(first, n int) (sketch []byte) {
	for i := range n {
		sketch = append(sketch, byte(2+first+i))
	}
	return sketch
}

func TestSectionsAreAlikeFromLimitsOn(t *testing.T) {
	for _, tc := range []struct {
		name        string
		a, b        []byte
		alike, akin bool
	}{
		{"20 shingles", sketchFrom(0, 22), sketchFrom(0, 22), true, true},
		{"19 shingles", sketchFrom(0, 21), sketchFrom(0, 21), false, false},
		{"20 of 25 shingles", sketchFrom(0, 27), sketchFrom(5, 22), true, true},
		{"20 of 26 shingles", sketchFrom(0, 28), sketchFrom(6, 22), false, true},
		{"10 of 30 shingles", sketchFrom(0, 22), sketchFrom(10, 22), false, true},
		{"9 of 31 shingles", sketchFrom(0, 22), sketchFrom(11, 22), false, false},
	} {
		a, b := shinglesOf(tc.a), shinglesOf(tc.b)
		if got := areAlike(a, b); got != tc.alike {
			t.Errorf("%s: alike: got %t, want %t", tc.name, got, tc.alike)
		}
		if got := haveInCommon(a, b, counterpartShare, ofCounterpartShares); got != tc.akin {
			t.Errorf("%s: counterparts: got %t, want %t", tc.name, got, tc.akin)
		}
	}
}

// The lowest fifth of a unit's shingles can be exactly those that a near-duplicate lacks.
func TestANearDuplicateMayLackTheFirstFifth(t *testing.T) {
	shingles := make(shingles, 25)
	for i := range shingles {
		shingles[i] = uint32(i)
	}
	var book sketchbook
	book.add(&saidUnit{ordinal: 7, section: 7, shingles: shingles})
	if of, isLike := book.like(&saidUnit{section: 8, shingles: shingles[5:]}); !isLike || of != 7 {
		t.Errorf("got %d: %t, want 7: true", of, isLike)
	}
}
