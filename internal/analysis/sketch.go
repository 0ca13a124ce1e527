package analysis

import "slices"

// A look is what a digest and a sketch of words need of a term.
type look struct {
	sketch   byte
	hasDigit bool
}

func lookOf(term []byte) look {
	isDigit := func(b byte) bool { return '0' <= b && b <= '9' }
	return look{SketchOf(term), slices.ContainsFunc(term, isDigit)}
}

// SketchOf returns the byte that stands for a word: the four bytes of its 32-bit
// FNV-1a hash, combined by exclusive or. Two words that follow each other are told
// from other two by 16 bits, so that one section in a few hundred seems to have a
// phrase that it has not.
func SketchOf(word []byte) byte {
	const offset, prime = 2166136261, 16777619
	hash := uint32(offset)
	for _, b := range word {
		hash = (hash ^ uint32(b)) * prime
	}
	return byte(hash ^ hash>>8 ^ hash>>16 ^ hash>>24)
}
