package ranking

import "math"

// LikenessKeys is the number of keys that [KeysOf] returns.
const LikenessKeys = 6

// seeds choose different orders of the shingles.
var seeds = [2 * LikenessKeys]uint32{
	0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1, 0xd3a2646d, 0xfd7046c5,
	0xb55a4f09, 0x9e3779b1, 0x7feb352d, 0x846ca68b, 0x68e31da5, 0xb5297a4d,
}

// KeysOf returns keys of a sketch, of which two near-duplicates share at least one with a
// probability of 99.7% or more (MinHash). isLong is false if the section is too short to have
// near-duplicates.
func KeysOf(sketch []byte) (keys [LikenessKeys]uint64, isLong bool) {
	all := shinglesOf(sketch)
	var least [2 * LikenessKeys]uint32
	for i, seed := range seeds {
		least[i] = math.MaxUint32
		for _, s := range all {
			least[i] = min(least[i], scattered(s, seed))
		}
	}
	for i := range keys {
		keys[i] = uint64(least[2*i])<<32 | uint64(least[2*i+1])
	}
	return keys, len(all) >= minShingles
}

func scattered(shingle, seed uint32) uint32 {
	shingle ^= shingle >> 15
	shingle *= seed
	return shingle ^ shingle>>13
}

// AreAlike reports whether sections with these sketches are near-duplicates.
func AreAlike(a, b []byte) bool { return areAlike(shinglesOf(a), shinglesOf(b)) }
