package analysis

import "slices"

// A look is the information about a term for digests and sketches.
type look struct {
	sketch   byte
	hasDigit bool
}

func lookOf(term []byte) look {
	isDigit := func(b byte) bool { return '0' <= b && b <= '9' }
	return look{SketchOf(term), slices.ContainsFunc(term, isDigit)}
}

// The marks of a sketch. No word is sketched as any of them.
const (
	EndOfSentence   byte = iota // after the words of each sentence
	HeadingSentence             // before the words of a heading
	leastOfWords
)

// SketchOf returns the byte for a word: the exclusive or of the four bytes of its 32-bit FNV-1a
// hash, or 2 instead of 0 and 1. Two words in a row differ from others by almost 16 bits, so about
// a section in a few hundred wrongly seems to contain a phrase.
func SketchOf(word []byte) byte {
	const offset, prime = 2166136261, 16777619
	hash := uint32(offset)
	for _, b := range word {
		hash = (hash ^ uint32(b)) * prime
	}
	return max(leastOfWords, byte(hash^hash>>8^hash>>16^hash>>24))
}
