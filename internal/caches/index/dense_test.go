package index

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawFrequent draws the postings of a term in many of some ordinals.
func drawFrequent(t *rapid.T) (postings []Posting, ordinals int) {
	ordinals = rapid.IntRange(leastDense, 3000).Draw(t, "ordinals")
	every := rapid.IntRange(1, 2*denseShare).Draw(t, "every")
	step := rapid.IntRange(1, every)
	count := rapid.OneOf(rapid.Uint32Range(1, 3), rapid.Uint32Range(1, largeCount+2), rapid.Uint32Range(1, highestCount))
	for ordinal := step.Draw(t, "first") - 1; ordinal < ordinals; ordinal += step.Draw(t, "step") {
		postings = append(postings, Posting{uint32(ordinal), count.Draw(t, "count")})
	}
	return postings, ordinals
}

func TestDenseListsContainTheirPostings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		postings, ordinals := drawFrequent(t)
		encoded := appendPostings(nil, postings, int64(ordinals))
		decoded, err := decodePostings(nil, encoded, int64(len(postings)), int64(ordinals))
		if err != nil || !slices.Equal(decoded, postings) {
			t.Fatalf("got %v, %v, want %v", decoded, err, postings)
		}
		l := ListOf(postings, ordinals)
		if l.Len != len(postings) || (l.Dense != nil) != (len(postings) >= max(leastDense, ordinals/denseShare)) {
			t.Fatalf("got %d postings, dense: %t, want %d of %d", l.Len, l.Dense != nil, len(postings), ordinals)
		}
		sum, most, next := uint64(0), uint32(0), 0
		for ordinal := range uint32(ordinals) {
			want := uint32(0)
			if next < len(postings) && postings[next].Ordinal == ordinal {
				want = postings[next].Count
				next++
			}
			sum, most = sum+uint64(want), max(most, want)
			if l.Dense != nil && (l.Dense.Count(ordinal) != want || l.Dense.Contains(ordinal) != (want > 0)) {
				t.Fatalf("%d: got %d, want %d", ordinal, l.Dense.Count(ordinal), want)
			}
		}
		if l.Sum != sum || l.Most != most {
			t.Fatalf("got a sum of %d and at most %d, want %d and %d", l.Sum, l.Most, sum, most)
		}
	})
}

// A list has one encoding. Otherwise, bytes that are not written by a build could look
// undamaged, for example a highest count that is too low and hides the best sections.
func FuzzPostings(f *testing.F) {
	every := make([]Posting, leastDense)
	for i := range every {
		every[i] = Posting{uint32(i), uint32(i%3 + 1)}
	}
	every[5].Count = 1000
	for _, ordinals := range []int{leastDense, 10 * leastDense, 100 * leastDense} {
		f.Add(appendPostings(nil, every, int64(ordinals)), uint16(len(every)), uint16(ordinals))
	}
	f.Fuzz(func(t *testing.T, b []byte, n, ordinals uint16) {
		postings, err := decodePostings(nil, b, int64(n), int64(ordinals))
		if err != nil {
			if l, err := decodeDense(b, int64(n), int64(ordinals)); err == nil { // only its sum or its highest count is wrong
				l.Dense.Each(0, l.Dense.Words(), func(ordinal, _ uint32) { l.Dense.Count(ordinal) })
			}
			return
		}
		if again := appendPostings(nil, postings, int64(ordinals)); !bytes.Equal(again, b) {
			t.Errorf("got %x, want %x", again, b)
		}
	})
}

func TestALyingSumOfADenseListIsFound(t *testing.T) {
	postings := make([]Posting, leastDense)
	for i := range postings {
		postings[i] = Posting{uint32(i), 1}
	}
	b := appendPostings(nil, postings, leastDense)
	for _, at := range []int{0, 2} { // the sum takes two bytes
		lie := bytes.Clone(b)
		lie[at]++
		if _, err := decodePostings(nil, lie, leastDense, leastDense); err == nil {
			t.Errorf("byte %d: got no error", at)
		}
	}
}
