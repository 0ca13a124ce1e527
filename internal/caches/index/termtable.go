package index

import (
	"bytes"
	"encoding/binary"
	"math"
)

// A termTable numbers terms in the order of their first use. It is a hash table with open
// addressing, because a map would need two lookups to count a term, and a string for
// each.
type termTable struct {
	slots []slot // a power of two; at most 2/3 are taken
	terms []termEntry
	rests arena // of terms longer than their prefix
}

// A slot consists of the upper half of a term's hash and, below it, the term's number
// plus 1. A free slot is 0.
type slot uint64

// A termEntry contains the last document of a term, and refers to a chain of the
// documents before.
type termEntry struct {
	prefix   uint64 // see prefixOf
	place    uint64 // address of the rest, and length of the term in the lowest bits
	document uint32 // ordinal of the last document
	count    uint32 // in the last document
	coded    uint32 // last ordinal of the chain
	chain    uint32 // number of the chain plus 1; 0 without a chain
}

const lengthBits = 8 // of maxTerm

func (t *termEntry) length() int { return int(t.place & maxTerm) }

func (s slot) hasHash(hash uint64) bool { return uint64(s)>>32 == hash>>32 }

// home returns the first slot to look at for a term with a hash.
func (v *termTable) home(hash uint64) slot {
	if len(v.slots) == 0 {
		return 0
	}
	return v.slots[hash>>32&uint64(len(v.slots)-1)]
}

// number returns the number of a term, and whether the term is new.
func (v *termTable) number(k *termKey, rest []byte) (number uint32, isNew bool) {
	if 3*len(v.terms) >= 2*len(v.slots) {
		v.grow()
	}
	mask := uint64(len(v.slots) - 1)
	for i := k.hash >> 32 & mask; ; i = (i + 1) & mask {
		switch s := v.slots[i]; {
		case s == 0:
			v.slots[i] = slot(k.hash&^math.MaxUint32 | uint64(len(v.terms)+1))
			return v.add(k, rest), true
		case s.hasHash(k.hash):
			if n := uint32(s) - 1; v.is(n, k, rest) {
				return n, false
			}
		}
	}
}

func (v *termTable) is(number uint32, k *termKey, rest []byte) bool {
	t := &v.terms[number]
	if t.prefix != k.prefix || t.length() != int(k.length) {
		return false
	}
	return len(rest) == 0 || bytes.Equal(v.restOf(t), rest)
}

func (v *termTable) add(k *termKey, rest []byte) uint32 {
	place := uint64(k.length)
	if len(rest) > 0 {
		address, room := v.rests.take(len(rest))
		copy(room, rest)
		place |= address << lengthBits
	}
	v.terms = append(v.terms, termEntry{prefix: k.prefix, place: place})
	return uint32(len(v.terms) - 1)
}

// restOf returns the bytes of a term after its prefix. The caller must not change them.
func (v *termTable) restOf(t *termEntry) []byte {
	length := t.length() - prefixLen
	if length <= 0 {
		return nil
	}
	return v.rests.at(t.place >> lengthBits)[:length:length]
}

func (v *termTable) appendText(dst []byte, t *termEntry) []byte {
	var prefix [prefixLen]byte
	binary.BigEndian.PutUint64(prefix[:], t.prefix)
	dst = append(dst, prefix[:min(t.length(), prefixLen)]...)
	return append(dst, v.restOf(t)...)
}

func compareTerms(v *termTable, t *termEntry, w *termTable, u *termEntry) int {
	switch {
	case t.prefix != u.prefix:
		if t.prefix < u.prefix {
			return -1
		}
		return 1
	case t.length() <= prefixLen || u.length() <= prefixLen:
		return t.length() - u.length() // a term is a prefix of the other
	}
	return bytes.Compare(v.restOf(t), w.restOf(u))
}

// reset drops all terms, but keeps the memory for reuse.
func (v *termTable) reset() {
	clear(v.slots)
	v.terms = v.terms[:0]
	v.rests.reset()
}

func (v *termTable) grow() {
	old := v.slots
	v.slots = make([]slot, max(1<<10, 2*len(old)))
	mask := uint64(len(v.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := uint64(s) >> 32 & mask
		for v.slots[i] != 0 {
			i = (i + 1) & mask
		}
		v.slots[i] = s
	}
}

// prefixLen is the number of bytes of a term in its prefix.
const prefixLen = 8

// prefixOf returns the first bytes of text as a number, which sorts like text. Texts with
// the same prefix may differ after it or, because of zeros at the end, in length.
func prefixOf(text []byte) uint64 {
	if cap(text) >= prefixLen { // most texts are parts of longer texts
		behind := max(0, prefixLen-len(text))
		return binary.BigEndian.Uint64(text[:prefixLen]) >> (8 * behind) << (8 * behind)
	}
	var prefix [prefixLen]byte
	copy(prefix[:], text)
	return binary.BigEndian.Uint64(prefix[:])
}
