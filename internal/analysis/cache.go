package analysis

import (
	"encoding/binary"

	"github.com/contextcompiler/context/internal/words"
)

// longestCached is the most bytes of a word in a cache; few words have more.
const longestCached = 16

// cacheBits is the binary logarithm of the number of words in a cache. It takes some 400
// KiB, which fit the second cache of a core.
const cacheBits = 13

// A wordCache keeps words with their terms. Each word has one slot, and replaces the word
// there.
type wordCache [1 << cacheBits]wordEntry

// A wordEntry is a word with its term.
type wordEntry struct {
	word wordKey
	term [longestCached]byte
	hash uint64 // of the term
	size uint8  // of the term; 0 if there is none
	kind TermKind
	look look
}

// A wordKey has the bytes of a word, and zeros behind them.
type wordKey struct{ low, high uint64 }

// keyOf returns the key of the word of size bytes that text begins with: 1 to
// longestCached.
func keyOf(text []byte, size int) (key wordKey) {
	if len(text) < longestCached {
		var padded [longestCached]byte
		copy(padded[:], text[:size])
		return wordKey{binary.LittleEndian.Uint64(padded[:]), binary.LittleEndian.Uint64(padded[8:])}
	}
	low, high := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])
	if size <= 8 {
		return wordKey{low << (64 - 8*size) >> (64 - 8*size), 0}
	}
	return wordKey{low, high << (128 - 8*size) >> (128 - 8*size)}
}

// slot returns the slot of a word.
func (c *wordCache) slot(word wordKey) *wordEntry {
	mixed := (word.low ^ word.high*0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93
	return &c[mixed>>(64-cacheBits)]
}

// set makes e the entry of a word with a term of at most longestCached bytes.
func (e *wordEntry) set(word wordKey, term []byte, kind TermKind) {
	*e = wordEntry{word: word, kind: kind}
	e.size = uint8(copy(e.term[:], term))
	e.hash, e.look = words.Hash(e.term[:e.size]), lookOf(e.term[:e.size])
}
