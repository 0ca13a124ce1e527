package words

// This file tells most words apart by their first bytes: the head of a word
// goes in, and whether the word is a term, may be one or is none comes out.

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A head is what can be seen of a word at a glance, the same in upper case and
// in lower case. It is one of
//
//	the bytes of a word of up to seven, and how many they are in the top byte
//	the first eight bytes of a longer word, with the top bit set
//	the first code point, if these bytes are not all ASCII, with bit 62 set
//
// No head is 0 or crowded.
type head uint64

// headLen is how many bytes a head has at most.
const headLen = 8

// headOf returns the head of the word of n bytes that text begins with. With more
// text after the word, it can load eight bytes at once.
func headOf(text []byte, n int) head {
	first := firstEight(text)
	mark := uint64(1) << 63
	if n < headLen {
		first &= 1<<(8*n) - 1
		mark = uint64(n) << 56
	}
	if first&highs != 0 {
		return runeHead(text)
	}
	return head(LowerEight(first) | mark)
}

// runeHead is the head of a word that is seen by its first code point alone,
// because lower-casing may change the length of what is not ASCII.
func runeHead(word []byte) head {
	r, _ := utf8.DecodeRune(word)
	return 1<<62 | head(lowerRune(r))
}

// isWord reports whether a head is all there is of a word.
func (h head) isWord() bool { return h>>56 < headLen }

// firstEight returns the first eight bytes of text, the first of them lowest
// and zeros for those that are not there.
func firstEight(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.LittleEndian.Uint64(text)
	}
	var padded [8]byte
	copy(padded[:], text)
	return binary.LittleEndian.Uint64(padded[:])
}

// A number times ones is that number in each of eight bytes.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// LowerEight returns eight ASCII bytes in lower case. A sum sets the top bit of a byte that is
// large enough and never carries into the next byte.
func LowerEight(ascii uint64) uint64 {
	fromA := ascii + (0x80-'A')*ones
	afterZ := ascii + (0x80-'Z'-1)*ones
	return ascii | fromA&^afterZ&highs>>2
}

// A headTable holds the heads of a set's terms, each in its own slot or, where
// several heads share a slot, none of them.
type headTable struct {
	slots []head
	shift int // from a hash to its slot
}

const crowded head = 1<<64 - 1

// newHeadTable returns a table with room for so many terms that at least half
// of its slots, or nearly, stay empty.
func newHeadTable(terms int) headTable {
	size := max(8, bits.Len(uint(2*terms)))
	return headTable{slots: make([]head, 1<<size), shift: 64 - size}
}

// slot returns where h belongs, by Fibonacci hashing.
func (t *headTable) slot(h head) *head {
	return &t.slots[uint64(h)*0x9E3779B97F4A7C15>>(t.shift&63)]
}

// add adds both heads that a term can have in a text: its own, and that of its
// first code point, for KELVIN SIGN is a k.
func (t *headTable) add(term []byte) {
	for _, h := range [...]head{headOf(term, len(term)), runeHead(term)} {
		switch slot := t.slot(h); *slot {
		case 0, h:
			*slot = h
		default:
			*slot = crowded
		}
	}
}

// An answer says whether a word is a term as far as its head can tell.
type answer int

const (
	no answer = iota
	maybe
	yes
)

// find says whether a word with the head h is a term.
func (t *headTable) find(h head) answer {
	switch found := *t.slot(h); {
	case found == h && h.isWord():
		return yes
	case found == h, found == crowded:
		return maybe
	}
	return no
}
