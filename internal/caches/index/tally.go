package index

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"github.com/contextcompiler/context/internal/base/words"
)

// A tally counts at most tallyTerms different terms of a document. Unlike a term table,
// it fits into the caches of a processor. On average, it counts a term about three times
// before the table must be touched.
type tally struct {
	slots [2 * tallyTerms]uint16 // a hash table: position in taken plus 1; 0 if free
	taken []tallyEntry
	rests []byte // of terms longer than their prefix
}

const tallyTerms = 1 << 10

type tallyEntry struct {
	termKey
	rest  uint32 // offset in rests
	count uint32
}

// A termKey identifies a term that is not longer than its prefix, and most other terms.
type termKey struct {
	hash   uint64
	prefix uint64 // see prefixOf
	length uint32 // of the term
}

// The seeds differ from process to process. No output depends on them.
var (
	keySeed    = maphash.MakeSeed()
	shortSeed  = maphash.String(keySeed, "short")
	lengthSeed = maphash.String(keySeed, "length")
)

// shortKey returns the key of a term of at most prefixLen bytes.
func shortKey(prefix uint64, length int) termKey {
	high, low := bits.Mul64(prefix^shortSeed, uint64(length)^lengthSeed)
	return termKey{high ^ low, prefix, uint32(length)}
}

func keyOf(term []byte) termKey {
	if len(term) <= prefixLen {
		return shortKey(prefixOf(term), len(term))
	}
	return longKey(term, words.Hash(term))
}

func longKey(term []byte, hash uint64) termKey {
	return termKey{hash, binary.BigEndian.Uint64(term), uint32(len(term))}
}

func restOf(term []byte) []byte { return term[min(prefixLen, len(term)):] }

func (t *tally) count(k *termKey, rest []byte, times uint32) {
	const mask = uint64(len(t.slots) - 1)
	for i := k.hash & mask; ; i = (i + 1) & mask {
		n := t.slots[i]
		if n == 0 {
			t.slots[i] = uint16(len(t.taken) + 1)
			t.taken = append(t.taken, tallyEntry{*k, uint32(len(t.rests)), times})
			t.rests = append(t.rests, rest...)
			return
		}
		found := &t.taken[n-1]
		if found.prefix == k.prefix && found.length == k.length && bytes.Equal(t.restOf(found), rest) {
			found.count += times
			return
		}
	}
}

func (t *tally) restOf(e *tallyEntry) []byte {
	if e.length <= prefixLen {
		return nil
	}
	return t.rests[e.rest:][:e.length-prefixLen]
}

// hasRoom reports whether the tally has room for another word.
func (t *tally) hasRoom() bool { return len(t.taken) < tallyTerms }

func (t *tally) clear() {
	clear(t.slots[:])
	t.taken, t.rests = t.taken[:0], t.rests[:0]
}
