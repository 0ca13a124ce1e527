package words

// This file takes a text and counts its words and those that are terms. Every
// byte is looked up once in a table, many at a time and without branches; only
// words that begin like a term are looked at by themselves.

import (
	"math/bits"
	"unicode/utf8"
)

// blockSize is how many bytes are looked at together: one for each bit of a
// mask, the first for the lowest bit.
const blockSize = 64

// Count returns how many words text has, and how many of them are in the set
// once they are lower-cased. It allocates nothing unless a word that may be in
// the set has more than 512 bytes.
func (s *Set) Count(text []byte) (matches, total int) {
	var room [512]byte
	word := room[:0]
	afterSpace, spilled := uint64(1), uint64(0)
	for at := 0; at < len(text); at += blockSize {
		m := s.bytes.masksOf(text[at:])
		wide, spill := wideSpaces(text[at:], m.wideSpaces)
		spaces := m.spaces | wide | spilled
		starts := ^spaces & (spaces<<1 | afterSpace) // no space after one
		afterSpace, spilled = spaces>>(blockSize-1), spill

		total += bits.OnesCount64(starts)
		for starts &= m.terms; starts != 0; starts &= starts - 1 {
			i := bits.TrailingZeros64(starts)
			rest, spaces := text[at+i:], spaces>>i
			switch s.heads.find(headOf(rest, s.wordLen(rest, spaces, headLen))) {
			case yes:
				matches++
			case maybe:
				// In lower case a word keeps at least a third of its bytes,
				// so one that is cut here is too long for a term even so.
				n := s.wordLen(rest, spaces, 3*s.longest+1)
				word = AppendLower(word[:0], rest[:n])
				if _, ok := s.terms[string(word)]; ok {
					matches++
				}
			}
		}
	}
	return matches, total
}

// masks says of a block where there may be what.
type masks struct {
	spaces     uint64 // ASCII white space
	wideSpaces uint64 // perhaps the first byte of other white space
	terms      uint64 // perhaps the first byte of a term
}

// masksOf looks up the bytes of the block that text begins with. A block that
// is not full ends in white space.
func (t *byteTable) masksOf(text []byte) (m masks) {
	if len(text) < blockSize {
		var padded [blockSize]byte
		for i := copy(padded[:], text); i < blockSize; i++ {
			padded[i] = ' '
		}
		text = padded[:]
	}
	block := (*[blockSize]byte)(text)
	var wideStarts, wideSeconds uint64
	// Eight bits at a time come in at the top of each mask and move down.
	for i := 0; i < blockSize; i += 8 {
		b := block[i : i+8 : i+8]
		flags := t[b[0]] | t[b[1]]<<1 | t[b[2]]<<2 | t[b[3]]<<3 |
			t[b[4]]<<4 | t[b[5]]<<5 | t[b[6]]<<6 | t[b[7]]<<7
		m.spaces = m.spaces>>8 | uint64(flags)<<56
		wideStarts = wideStarts>>8 | uint64(flags>>8)<<56
		wideSeconds = wideSeconds>>8 | uint64(flags>>16)<<56
		m.terms = m.terms>>8 | uint64(flags>>24)<<56
	}
	// What follows the last byte is not known here.
	m.wideSpaces = wideStarts & (wideSeconds>>1 | 1<<(blockSize-1))
	return m
}

// wideSpaces returns the mask of the bytes that are part of white space beyond
// ASCII, of the places where there may be some, and a mask of those that spill
// into the next block.
func wideSpaces(text []byte, places uint64) (spaces, spill uint64) {
	for ; places != 0; places &= places - 1 {
		i := bits.TrailingZeros64(places)
		if r, size := utf8.DecodeRune(text[i:]); IsSpace(r) {
			run := uint64(1)<<size - 1
			spaces |= run << i
			spill |= run >> (blockSize - i)
		}
	}
	return spaces, spill
}

// wordLen returns the length of the word that text begins with, where spaces
// is the mask of white space from there to the end of the block. Beyond the
// block it looks only until the word is long enough, and returns that.
func (s *Set) wordLen(text []byte, spaces uint64, enough int) int {
	if spaces != 0 {
		return bits.TrailingZeros64(spaces)
	}
	enough = min(enough, len(text))
	for i, b := range text[:enough] {
		flags := s.bytes[b]
		if flags&isSpace != 0 {
			return i
		}
		if flags&startsSpace != 0 {
			if r, _ := utf8.DecodeRune(text[i:]); IsSpace(r) {
				return i
			}
		}
	}
	return enough
}
