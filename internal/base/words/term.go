package words

import "hash/maphash"

// A TermWeight is a term with its weight in a text.
type TermWeight struct {
	Text   []byte
	Hash   uint64 // from Hash
	Weight uint32
	Field  uint8 // of a section, where the term was found (see package sections); 0 elsewhere
}

func WeightOf(term []byte, weight uint32) TermWeight {
	return TermWeight{Text: term, Hash: Hash(term), Weight: weight}
}

var hashSeed = maphash.MakeSeed()

// Hash returns the hash of a text. Since hashes differ between processes, output can't depend on
// them, and attackers cannot prepare texts with equal hashes.
func Hash(text []byte) uint64 { return maphash.Bytes(hashSeed, text) }
