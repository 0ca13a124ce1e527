package index

import (
	"bytes"
	"encoding/binary"
	"math"
)

// A vocabulary numbers terms in the order in which they are first seen. It is a
// hash table with open addressing: a map would have to be asked twice for a
// term that is to be counted, and would hold a string for each.
type vocabulary struct {
	slots []slot // a power of two of them, at most 2/3 taken
	terms []term
	rests arena // of the terms that are longer than their prefix
}

// A slot holds the upper half of a term's hash above its number plus 1. 0 is a
// free one.
type slot uint64

// A term is what a collector holds for one: where it is written, the document
// that has it and was added last, and where the others are.
type term struct {
	prefix   uint64 // of the text, which is all of most terms: see prefixOf
	place    uint64 // address of the rest, and length of the term in the lowest bits
	document uint32 // ordinal of the last document
	count    uint32 // in the last document
	coded    uint32 // ordinal of the document before it, if the chain has any
	chain    uint32 // number of the chain plus 1; 0 as long as there is one document
}

const lengthBits = 8 // of maxTerm

func (t *term) length() int { return int(t.place & maxTerm) }

func (s slot) hasHash(hash uint64) bool { return uint64(s)>>32 == hash>>32 }

// home returns the slot that a term with a hash is in if there was room.
func (v *vocabulary) home(hash uint64) slot {
	if len(v.slots) == 0 {
		return 0
	}
	return v.slots[hash>>32&uint64(len(v.slots)-1)]
}

// number returns the number of a term, and whether it is a new one.
func (v *vocabulary) number(k *key, rest []byte) (number uint32, isNew bool) {
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

// is reports whether a term is the one with that key and rest.
func (v *vocabulary) is(number uint32, k *key, rest []byte) bool {
	t := &v.terms[number]
	if t.prefix != k.prefix || t.length() != int(k.length) {
		return false
	}
	return len(rest) == 0 || bytes.Equal(v.restOf(t), rest)
}

// add appends a term.
func (v *vocabulary) add(k *key, rest []byte) uint32 {
	place := uint64(k.length)
	if len(rest) > 0 {
		address, room := v.rests.take(len(rest))
		copy(room, rest)
		place |= address << lengthBits
	}
	v.terms = append(v.terms, term{prefix: k.prefix, place: place})
	return uint32(len(v.terms) - 1)
}

// restOf returns what of a term is behind its prefix. It must not be changed.
func (v *vocabulary) restOf(t *term) []byte {
	length := t.length() - prefixLen
	if length <= 0 {
		return nil
	}
	return v.rests.at(t.place >> lengthBits)[:length:length]
}

// appendText appends a term to dst.
func (v *vocabulary) appendText(dst []byte, t *term) []byte {
	var prefix [prefixLen]byte
	binary.BigEndian.PutUint64(prefix[:], t.prefix)
	dst = append(dst, prefix[:min(t.length(), prefixLen)]...)
	return append(dst, v.restOf(t)...)
}

// compareTerms compares terms of two vocabularies, or of one.
func compareTerms(v *vocabulary, t *term, w *vocabulary, u *term) int {
	switch {
	case t.prefix != u.prefix:
		if t.prefix < u.prefix {
			return -1
		}
		return 1
	case t.length() <= prefixLen || u.length() <= prefixLen:
		return t.length() - u.length() // one is what the other begins with
	}
	return bytes.Compare(v.restOf(t), w.restOf(u))
}

// grow doubles the table.
func (v *vocabulary) grow() {
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

// prefixLen is how many bytes of a term stand in its prefix.
const prefixLen = 8

// prefixOf returns the first bytes of text as a number that is ordered as they
// are. Texts of one prefix may still differ, in what follows it or, because of
// zeros at the end, in their lengths.
func prefixOf(text []byte) uint64 {
	if len(text) >= prefixLen {
		return binary.BigEndian.Uint64(text)
	}
	prefix := uint64(0)
	for i, b := range text {
		prefix |= uint64(b) << (56 - 8*i)
	}
	return prefix
}
