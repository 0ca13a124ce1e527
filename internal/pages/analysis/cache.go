package analysis

import (
	"encoding/binary"

	"github.com/contextcompiler/context/internal/base/words"
)

// longestCached is the most bytes of a cached word. Few words are longer.
const longestCached = 16

// cacheBits is the binary logarithm of the number of words in a cache. A cache takes about
// 800 KiB. A larger one saves more stemming, but misses the second-level cache of a core.
const cacheBits = 14

// A wordCache maps words to their terms. Each word can be in a single slot, and replaces the
// previous word there.
type wordCache [1 << cacheBits]wordEntry

// A wordEntry is a word with its term.
type wordEntry struct {
	word wordKey
	term [longestCached]byte
	hash uint64 // of the term
	size uint8  // of the term; 0 without a term
	kind TermKind
	look look
}

// A wordKey contains the bytes of a word, padded with zeros.
type wordKey struct{ low, high uint64 }

// keyOf returns the key of the word of size bytes at the beginning of text. Its size must
// be from 1 to longestCached.
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

func (c *wordCache) slot(word wordKey) *wordEntry {
	mixed := (word.low ^ word.high*0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93
	return &c[mixed>>(64-cacheBits)]
}

// set stores a word and its term, which must not be longer than longestCached bytes.
func (e *wordEntry) set(word wordKey, term []byte, kind TermKind) {
	*e = wordEntry{word: word, kind: kind}
	e.size = uint8(copy(e.term[:], term))
	e.hash, e.look = words.Hash(e.term[:e.size]), lookOf(e.term[:e.size])
}
