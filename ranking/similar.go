package ranking

import "slices"

// This file tells passages that say nearly the same: copies of a section for
// another version or on another page, with a word here and there changed.

// Constants of likeness.
const (
	shingleSize  = 3  // words that follow each other
	fewShingles  = 20 // of so few, nothing can be told
	likeShare    = 4  // passages are alike that have likeShare of likeShares of their
	ofLikeShares = 5  // shingles in common
)

// shingles are all runs of shingleSize words of a passage, by their sketch:
// sorted, none twice.
type shingles []uint32

func shinglesOf(sketch []byte) shingles {
	if len(sketch) < shingleSize {
		return nil
	}
	all := make(shingles, 0, len(sketch)-shingleSize+1)
	for i := range len(sketch) - shingleSize + 1 {
		all = append(all, uint32(sketch[i])<<16|uint32(sketch[i+1])<<8|uint32(sketch[i+2]))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// areAlike reports whether two passages say nearly the same.
func areAlike(a, b shingles) bool {
	if len(a) < fewShingles || len(b) < fewShingles {
		return false
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common++
			i++
			j++
		}
	}
	return ofLikeShares*common >= likeShare*(len(a)+len(b)-common)
}
