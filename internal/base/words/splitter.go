package words

import (
	"math/bits"
	"unicode/utf8"
)

// stride is the number of bytes of a block. A mask contains a bit for each of them, with
// the lowest bit for the first.
const stride = 64

// A Splitter finds the words of a text like [Split] does. It reads blocks of 64 bytes,
// without branches as long as they are ASCII.
type Splitter struct {
	text    []byte
	at      int    // start of the next block
	spilled uint64 // bytes of the next block belonging to white space from this block

	// The word continuing in the next block.
	start  int
	inWord uint64 // 1 if there is such a word
	isOdd  bool   // whether its bytes so far are odd

	room [stride/2 + 1]Word
}

// A Word is a word of a text.
type Word struct {
	Start, End int // bytes of the text

	// IsOdd reports whether the word contains a byte beyond ASCII or an upper-case letter.
	// All other words are in lower case.
	IsOdd bool
}

// NewSplitter returns a Splitter of text, which must not be changed.
func NewSplitter(text []byte) Splitter { return Splitter{text: text} }

// Next returns the words ending in the next block, if any. They are valid until the next call.
// After the last block, more is false. The end of the text counts as white space, so the last word
// ends in a block, too.
func (s *Splitter) Next() (ended []Word, more bool) {
	if s.at > len(s.text) {
		return nil, false
	}
	text := s.text[s.at:]
	m := masksOf(text)
	spaces := m.spaces | s.spilled
	s.spilled = 0
	for places := m.wideSpaces; places != 0; places &= places - 1 {
		i := bits.TrailingZeros64(places)
		if r, size := utf8.DecodeRune(text[i:]); IsSpace(r) {
			run := uint64(1)<<size - 1
			spaces |= run << i
			s.spilled |= run >> (stride - i)
		}
	}
	s.at += stride
	return s.ended(s.at-stride, spaces, m.odd), true
}

func (s *Splitter) ended(at int, spaces, odd uint64) []Word {
	n := 0
	edges := ^spaces ^ (^spaces<<1 | s.inWord) // where words begin or end
	begin := 0                                 // of the word, in the block
	for ; edges != 0; edges &= edges - 1 {
		i := bits.TrailingZeros64(edges)
		if s.inWord == 0 {
			s.start, s.inWord, begin = at+i, 1, i
			continue
		}
		isOdd := s.isOdd || odd>>begin<<(stride-i+begin) != 0
		s.room[n] = Word{s.start, at + i, isOdd}
		s.inWord, s.isOdd = 0, false
		n++
	}
	if s.inWord != 0 {
		s.isOdd = s.isOdd || odd>>begin != 0
	}
	return s.room[:n]
}

// Flags of bytes, eight bits apart. Therefore, the flags of eight bytes in a row, each shifted by
// its position, combine into a mask of eight bits per flag.
const (
	isSpace     uint32 = 1 << 0  // ASCII white space
	startsSpace uint32 = 1 << 8  // first byte of other white space
	goesOnSpace uint32 = 1 << 16 // second byte of other white space
	isOdd       uint32 = 1 << 24 // upper-case letter or beyond ASCII
)

var byteFlags = func() (flags [256]uint32) {
	for b := range flags {
		if b >= utf8.RuneSelf || 'A' <= b && b <= 'Z' {
			flags[b] |= isOdd
		}
	}
	for r := range rune(0x3001) {
		if !IsSpace(r) {
			continue
		}
		if r < utf8.RuneSelf {
			flags[r] |= isSpace
			continue
		}
		encoded := string(r)
		flags[encoded[0]] |= startsSpace
		flags[encoded[1]] |= goesOnSpace
	}
	return flags
}()

// masks contain a bit for each byte of a block.
type masks struct {
	spaces     uint64 // ASCII white space
	wideSpaces uint64 // possible first bytes of other white space
	odd        uint64
}

// masksOf returns the masks of the block at the beginning of text. White space follows the
// end of the text.
func masksOf(text []byte) (m masks) {
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
	t := &byteFlags
	for i := 0; i < stride; i += 8 {
		b := block[i : i+8 : i+8]
		flags := t[b[0]] | t[b[1]]<<1 | t[b[2]]<<2 | t[b[3]]<<3 |
			t[b[4]]<<4 | t[b[5]]<<5 | t[b[6]]<<6 | t[b[7]]<<7
		m.spaces = m.spaces>>8 | uint64(flags)<<56
		wideStarts = wideStarts>>8 | uint64(flags>>8)<<56
		wideSeconds = wideSeconds>>8 | uint64(flags>>16)<<56
		m.odd = m.odd>>8 | uint64(flags>>24)<<56
	}
	// The byte after the block isn't known here.
	m.wideSpaces = wideStarts & (wideSeconds>>1 | 1<<(stride-1))
	return m
}
