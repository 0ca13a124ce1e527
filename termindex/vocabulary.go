package termindex

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
)

// A vocabulary numbers terms in the order in which they are first seen. It is a
// hash table with open addressing: a map would have to be asked twice for a
// term that is to be counted, and would hold a string for each.
type vocabulary struct {
	slots []slot // a power of two of them, at most 2/3 taken
	terms []term
	text  arena
}

// A slot holds the upper half of a term's hash above its number plus 1. 0 is a
// free one.
type slot uint64

// A term is what a collector holds for one: where it is written, the document
// that has it and was added last, and where the others are.
type term struct {
	prefix   uint64 // of the text, which is all of most terms: see prefixOf
	place    uint64 // address in the text, and length in the lowest bits
	document uint32 // ordinal of the last document
	count    uint32 // in the last document
	coded    uint32 // ordinal of the document before it, if the chain has any
	chain    uint32 // number of the chain plus 1; 0 as long as there is one document
}

// lengthBits is enough for the longest term: lower-casing makes a word up to
// half as long again.
const (
	lengthBits = 26
	maxLength  = 1<<lengthBits - 1
)

// hashSeed differs from run to run. Nothing that is written depends on it.
var hashSeed = maphash.MakeSeed()

// number returns the number of a term, and whether it is a new one.
func (v *vocabulary) number(text []byte) (number uint32, isNew bool) {
	if 3*len(v.terms) >= 2*len(v.slots) {
		v.grow()
	}
	hash := maphash.Bytes(hashSeed, text) &^ math.MaxUint32
	prefix := prefixOf(text)
	mask := uint64(len(v.slots) - 1)
	for i := hash >> 32 & mask; ; i = (i + 1) & mask {
		switch s := uint64(v.slots[i]); {
		case s == 0:
			v.slots[i] = slot(hash | uint64(len(v.terms)+1))
			return v.add(prefix, text), true
		case s&^math.MaxUint32 == hash:
			if n := uint32(s) - 1; v.is(n, prefix, text) {
				return n, false
			}
		}
	}
}

// is reports whether a term is text. It looks for a term elsewhere only if that
// is longer than its prefix.
func (v *vocabulary) is(number uint32, prefix uint64, text []byte) bool {
	t := &v.terms[number]
	if t.prefix != prefix || t.place&maxLength != uint64(len(text)) {
		return false
	}
	return len(text) <= prefixLen || bytes.Equal(v.textOf(number)[prefixLen:], text[prefixLen:])
}

// add appends a term.
func (v *vocabulary) add(prefix uint64, text []byte) uint32 {
	address, room := v.text.take(len(text))
	copy(room, text)
	v.terms = append(v.terms, term{prefix: prefix, place: address<<lengthBits | uint64(len(text))})
	return uint32(len(v.terms) - 1)
}

// textOf returns the term with a number. It must not be changed.
func (v *vocabulary) textOf(number uint32) []byte {
	place := v.terms[number].place
	length := place & maxLength
	return v.text.at(place >> lengthBits)[:length:length]
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
