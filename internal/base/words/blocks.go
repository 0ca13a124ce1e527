package words

import (
	"math/bits"
	"unicode/utf8"
)

// stride is the number of bytes of a block. A mask contains a bit for each of them, with
// the lowest bit for the first.
const stride = 64

// blocks finds the white space of a text, block by block.
type blocks struct {
	bytes   *byteTable
	text    []byte
	at      int    // start of the next block
	spilled uint64 // bytes of the next block belonging to white space from this block
}

// next returns the masks of white space and of marked bytes of the next block. The end of the text
// counts as white space, so the last word ends in a block, too.
func (b *blocks) next() (spaces, marked uint64, more bool) {
	if b.at > len(b.text) {
		return 0, 0, false
	}
	text := b.text[b.at:]
	m := b.bytes.masksOf(text)
	spaces = m.spaces | b.spilled
	b.spilled = 0
	for places := m.wideSpaces; places != 0; places &= places - 1 {
		i := bits.TrailingZeros64(places)
		if r, size := utf8.DecodeRune(text[i:]); IsSpace(r) {
			run := uint64(1)<<size - 1
			spaces |= run << i
			b.spilled |= run >> (stride - i)
		}
	}
	b.at += stride
	return spaces, m.marked, true
}

// A byteTable contains flags for every byte, eight bits apart. Therefore, the flags of
// eight bytes in a row, each shifted by its position, combine into a mask of eight bits per
// flag.
type byteTable [256]uint32

const (
	isSpace     uint32 = 1 << 0  // ASCII white space
	startsSpace uint32 = 1 << 8  // first byte of other white space
	goesOnSpace uint32 = 1 << 16 // second byte of other white space
	isMarked    uint32 = 1 << 24 // by the user of the table
)

var spaceBytes = func() (table byteTable) {
	for r := range rune(0x3001) {
		if !IsSpace(r) {
			continue
		}
		if r < utf8.RuneSelf {
			table[r] |= isSpace
			continue
		}
		encoded := string(r)
		table[encoded[0]] |= startsSpace
		table[encoded[1]] |= goesOnSpace
	}
	return table
}()

// masks contain a bit for each byte of a block.
type masks struct {
	spaces     uint64 // ASCII white space
	wideSpaces uint64 // possible first bytes of other white space
	marked     uint64
}

// masksOf returns the masks of the block at the beginning of text. White space follows the
// end of the text.
func (t *byteTable) masksOf(text []byte) (m masks) {
	if len(text) < stride {
		var padded [stride]byte
		for i := copy(padded[:], text); i < stride; i++ {
			padded[i] = ' '
		}
		text = padded[:]
	}
	block := (*[stride]byte)(text)
	var wideStarts, wideSeconds uint64
	// Eight bits at a time enter each mask at the top and move down.
	for i := 0; i < stride; i += 8 {
		b := block[i : i+8 : i+8]
		flags := t[b[0]] | t[b[1]]<<1 | t[b[2]]<<2 | t[b[3]]<<3 |
			t[b[4]]<<4 | t[b[5]]<<5 | t[b[6]]<<6 | t[b[7]]<<7
		m.spaces = m.spaces>>8 | uint64(flags)<<56
		wideStarts = wideStarts>>8 | uint64(flags>>8)<<56
		wideSeconds = wideSeconds>>8 | uint64(flags>>16)<<56
		m.marked = m.marked>>8 | uint64(flags>>24)<<56
	}
	// The byte after the block isn't known here.
	m.wideSpaces = wideStarts & (wideSeconds>>1 | 1<<(stride-1))
	return m
}
