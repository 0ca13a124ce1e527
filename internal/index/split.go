package index

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/words"
)

// This file splits text into words as [words.Split] does, and lower-cases them
// as [words.Lower] does. It looks at a block of 64 bytes at a time, without
// branches as long as they are ASCII.

// stride is the number of bytes that are looked at together: one for each bit of a
// mask, the first for the lowest bit.
const stride = 64

// A splitter yields the words of a text, those together that end in one block.
type splitter struct {
	text []byte
	at   int // where the next block begins

	// The word that the last block ended in.
	start  int
	inWord uint64 // 1 if there is one
	isOdd  bool   // what is there of it

	spilled uint64 // bytes of the next block that belong to white space
	room    [stride/2 + 1]span
}

// A span is where in a text a word is. An odd one may have to be lower-cased:
// it has a byte that is an upper-case letter or no ASCII.
type span struct {
	start, end int
	isOdd      bool
}

// next returns the words that end in the next block, of which there may be
// none, and whether there was a block. They are good until the next call.
func (s *splitter) next() (ended []span, more bool) {
	if s.at >= len(s.text)+1 { // white space comes after the last byte
		return nil, false
	}
	m := masksOf(s.text[s.at:])
	spaces := m.spaces | s.spilled
	s.spilled = 0
	if m.beyond != 0 {
		wide, spilled := wideSpaces(s.text[s.at:], m.beyond)
		spaces |= wide
		s.spilled = spilled
	}
	ended = s.spans(spaces, m.odd)
	s.at += stride
	return ended, true
}

// spans returns the words that end in the block at hand.
func (s *splitter) spans(spaces, odd uint64) []span {
	n := 0
	edges := ^spaces ^ (^spaces<<1 | s.inWord) // where words begin or end
	begin := 0                                 // of the word, in the block
	for ; edges != 0; edges &= edges - 1 {
		i := bits.TrailingZeros64(edges)
		if s.inWord == 0 {
			s.start, s.inWord, begin = s.at+i, 1, i
			continue
		}
		isOdd := s.isOdd || odd>>begin<<(stride-i+begin) != 0
		s.room[n] = span{s.start, s.at + i, isOdd}
		s.inWord, s.isOdd = 0, false
		n++
	}
	if s.inWord != 0 {
		s.isOdd = s.isOdd || odd>>begin != 0
	}
	return s.room[:n]
}

// masks says which bytes of a block are what.
type masks struct {
	spaces uint64 // ASCII white space
	beyond uint64 // no ASCII
	odd    uint64 // no ASCII, or an upper-case letter
}

// Eight bytes of one value.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// masksOf looks at the bytes of the block that text begins with. A block that
// is not full ends in white space.
func masksOf(text []byte) (m masks) {
	if len(text) < stride {
		var padded [stride]byte
		for i := copy(padded[:], text); i < stride; i++ {
			padded[i] = ' '
		}
		text = padded[:]
	}
	block := (*[stride]byte)(text)
	for i := 0; i < stride; i += 8 {
		x := binary.LittleEndian.Uint64(block[i:])
		low := x &^ highs
		isSpace := within(low, '\t', '\r') | within(low, ' ', ' ')
		m.spaces |= gather(isSpace&^x) << i
		m.beyond |= gather(x&highs) << i
		m.odd |= gather(x&highs|within(low, 'A', 'Z')) << i
	}
	return m
}

// within sets the high bit of each byte of x, all of which are ASCII, that is
// from low to high.
func within(x uint64, low, high byte) uint64 {
	return (x + uint64(0x80-low)*ones) &^ (x + uint64(0x7F-high)*ones) & highs
}

// gather returns the high bits of eight bytes, the lowest byte's lowest. The
// other bits are 0.
func gather(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }

// wideSpaces returns the mask of the bytes that are part of white space beyond
// ASCII, which begins at some of the places, and that of those that spill into
// the next block.
func wideSpaces(text []byte, places uint64) (spaces, spilled uint64) {
	for ; places != 0; places &= places - 1 {
		i := bits.TrailingZeros64(places)
		switch text[i] {
		case 0xC2, 0xE1, 0xE2, 0xE3:
			if r, size := utf8.DecodeRune(text[i:]); words.IsSpace(r) {
				run := uint64(1)<<size - 1
				spaces |= run << i
				spilled |= run >> (stride - i)
			}
		}
	}
	return spaces, spilled
}

// lowered returns a word in lower case, in buf, which grows to what it has to
// be.
func lowered(buf, word []byte) []byte {
	buf = buf[:0]
	for _, b := range word {
		if b >= utf8.RuneSelf {
			// The bytes before it count, too: a sigma looks back.
			return words.AppendLower(buf[:0], word)
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		buf = append(buf, b)
	}
	return buf
}
