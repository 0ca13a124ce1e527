package words

import "hash/maphash"

// A TermWeight is a term and its weight in a text.
type TermWeight struct {
	Text   []byte
	Hash   uint64 // by Hash
	Weight uint32
}

// WeightOf returns a term with a weight.
func WeightOf(term []byte, weight uint32) TermWeight { return TermWeight{term, Hash(term), weight} }

var hashSeed = maphash.MakeSeed()

// Hash returns the hash of a text. Each process has its own hashes, so no output depends
// on them, and no text can be made to have one.
func Hash(text []byte) uint64 { return maphash.Bytes(hashSeed, text) }
