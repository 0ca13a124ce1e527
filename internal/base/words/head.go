package words

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A wordHead is the beginning of a word, identical for upper and lower case. Most words can
// be told apart by it. It is either
//
//	the bytes of a word of up to seven, and their number in the top byte
//	the first eight bytes of a longer word, with the top bit set
//	the first code point, if these bytes are not all ASCII, with bit 62 set
//
// A head is never 0 or crowded.
type wordHead uint64

// headLen is the most bytes of a word in its head.
const headLen = 8

// headOf returns the head of the word of n bytes at the beginning of text. If more text
// follows, it can load eight bytes at once.
func headOf(text []byte, n int) wordHead {
	first := firstEight(text)
	mark := uint64(1) << 63
	if n < headLen {
		first &= 1<<(8*n) - 1
		mark = uint64(n) << 56
	}
	if first&highs != 0 {
		return runeHead(text)
	}
	return wordHead(LowerEight(first) | mark)
}

// runeHead returns the head with the first code point of a word. Beyond ASCII, code points
// can change their length in lower case, so further bytes cannot be compared.
func runeHead(word []byte) wordHead {
	r, _ := utf8.DecodeRune(word)
	return 1<<62 | wordHead(lowerRune(r))
}

// isWord reports whether a head contains its whole word.
func (h wordHead) isWord() bool { return h>>56 < headLen }

// firstEight returns the first eight bytes of text as a little-endian number, padded with
// zeros.
func firstEight(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.LittleEndian.Uint64(text)
	}
	var padded [8]byte
	copy(padded[:], text)
	return binary.LittleEndian.Uint64(padded[:])
}

// Multiplied by ones, a number is repeated in each of eight bytes.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// LowerEight returns eight ASCII bytes in lower case. Each addition sets the top bit of
// sufficiently large bytes, and can never carry into the next byte.
func LowerEight(ascii uint64) uint64 {
	fromA := ascii + (0x80-'A')*ones
	afterZ := ascii + (0x80-'Z'-1)*ones
	return ascii | fromA&^afterZ&highs>>2
}

// A headTable contains the heads of a set's terms. A slot shared by several heads is crowded.
type headTable struct {
	slots []wordHead
	shift int // from a hash to its slot
}

const crowded wordHead = 1<<64 - 1

// newHeadTable returns a table for a number of terms. About half of its slots stay empty.
func newHeadTable(terms int) headTable {
	size := max(8, bits.Len(uint(2*terms)))
	return headTable{slots: make([]wordHead, 1<<size), shift: 64 - size}
}

// slot returns the slot of h by Fibonacci hashing.
func (t *headTable) slot(h wordHead) *wordHead {
	return &t.slots[uint64(h)*0x9E3779B97F4A7C15>>(t.shift&63)]
}

// add adds both possible heads of a term in a text: its own head, and the head of its first code
// point. For example, KELVIN SIGN becomes k in lower case.
func (t *headTable) add(term []byte) {
	for _, h := range [...]wordHead{headOf(term, len(term)), runeHead(term)} {
		switch slot := t.slot(h); *slot {
		case 0, h:
			*slot = h
		default:
			*slot = crowded
		}
	}
}

type certainty int

const (
	no certainty = iota
	maybe
	yes
)

// find reports whether a word with the head h is a term.
func (t *headTable) find(h wordHead) certainty {
	switch found := *t.slot(h); {
	case found == h && h.isWord():
		return yes
	case found == h, found == crowded:
		return maybe
	}
	return no
}
