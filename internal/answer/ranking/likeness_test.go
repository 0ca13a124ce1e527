package ranking

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

func TestNearDuplicatesShareAKey(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() byte {
		for {
			if b := byte(random.IntN(256)); b != analysis.EndOfSentence && b != analysis.HeadingSentence {
				return b
			}
		}
	}
	alike, shared, others := 0, 0, 0
	for range 2000 {
		sketch := make([]byte, 60+random.IntN(100))
		for i := range sketch {
			sketch[i] = word()
		}
		changed := slices.Clone(sketch)
		for range 1 + random.IntN(4) {
			changed[random.IntN(len(changed))] = word()
		}
		a, _ := KeysOf(sketch)
		b, isLong := KeysOf(changed)
		haveKey := false
		for i := range a {
			haveKey = haveKey || a[i] == b[i]
		}
		switch {
		case !isLong:
			t.Fatal("expected long sections")
		case AreAlike(sketch, changed):
			alike++
			if haveKey {
				shared++
			}
		case haveKey:
			others++
		}
	}
	if alike < 1000 || shared < alike*997/1000 {
		t.Errorf("%d of %d near-duplicates share a key (and %d others)", shared, alike, others)
	}
	if _, isLong := KeysOf([]byte{5, 6, 7}); isLong {
		t.Error("three words are long")
	}
}
