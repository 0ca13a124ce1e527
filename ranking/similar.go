package ranking

import "slices"

// This file finds near-duplicates: copies of a section for another version or on
// another page, with a word here and there changed. They are told by the Jaccard
// similarity of their shingles (Broder, On the resemblance and containment of
// documents, 1997).

// Constants of likeness.
const (
	shingleSize  = 3  // words that follow each other
	minShingles  = 20 // of fewer, nothing can be told
	likeShare    = 4  // passages are alike that have likeShare of ofLikeShares of all
	ofLikeShares = 5  // their shingles in common
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

// areAlike reports whether two passages say nearly the same: whether as many of
// the shingles that either has are in both.
func areAlike(a, b shingles) bool {
	if len(a) < minShingles || len(b) < minShingles {
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
