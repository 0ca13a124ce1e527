package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// Figures of different machines can only be compared if they measured the same pages. Go's
// generators of random numbers never change, so this hash only changes with the text.
func TestPagesAreTheSameOnEveryMachine(t *testing.T) {
	sum := sha256.New()
	for page := range 2_000 {
		sum.Write([]byte(Page(page) + Question(page)))
	}
	if got, want := hex.EncodeToString(sum.Sum(nil)), "43c14dfc7f28b6334cb46f027c97c131985cb871408890679821f7ea56c3dbb5"; got != want {
		t.Errorf("got pages with the hash %s, want %s", got, want)
	}
}

func TestNoTwoWordsAreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfDistinct(rapid.Uint64Range(0, largestWord), rapid.ID[uint64]).Draw(t, "words")
		texts := map[string]bool{}
		for _, w := range words {
			texts[word(w).String()] = true
		}
		if len(texts) != len(words) {
			t.Errorf("%d words have the texts %q", len(words), slices.Sorted(maps.Keys(texts)))
		}
	})
}

// A text of four times the size of another contains 2.2 to 2.7 times its distinct words:
// 2.4 times in the documentation that docs/performance.md compares with, and fewer in
// generated text with a vocabulary of a fixed size.
func TestTheVocabularyGrowsWithThePages(t *testing.T) {
	distinct := map[string]bool{}
	counts := map[int]int{}
	for page := range 2_000 {
		counts[page] = len(distinct)
		for _, w := range strings.FieldsFunc(Page(page), func(r rune) bool { return !unicode.IsLetter(r) }) {
			distinct[w] = true
		}
	}
	if ratio := float64(len(distinct)) / float64(counts[500]); ratio < 2.2 || ratio > 2.7 {
		t.Errorf("500 pages contain %d distinct words and 2,000 pages %d: %.2f times as many", counts[500], len(distinct), ratio)
	}
}
