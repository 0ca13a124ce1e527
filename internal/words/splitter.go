package words

import (
	"math/bits"
	"unicode/utf8"
)

// A Splitter finds the words of a text as [Split] does. It looks at a block of
// 64 bytes at a time, without branches while they are ASCII.
type Splitter struct {
	blocks blocks

	// The word that goes on in the next block.
	start  int
	inWord uint64 // 1 if there is one
	isOdd  bool   // its bytes so far

	room [stride/2 + 1]Word
}

// A Word is a word of a text.
type Word struct {
	Start, End int // bytes of the text

	// IsOdd reports whether a byte is not ASCII or is an upper-case letter. Other
	// words are in lower case.
	IsOdd bool
}

// NewSplitter returns a Splitter of text, which must not change.
func NewSplitter(text []byte) Splitter { return Splitter{blocks: blocks{bytes: &oddBytes, text: text}} }

// Next returns the words that end in the next block, perhaps none. They are valid
// until the next call. more is false after the last block.
func (s *Splitter) Next() (ended []Word, more bool) {
	spaces, odd, more := s.blocks.next()
	if !more {
		return nil, false
	}
	return s.ended(s.blocks.at-stride, spaces, odd), true
}

// ended returns the words that end in the block at an offset.
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

// oddBytes marks the bytes that are not ASCII or are upper-case letters.
var oddBytes = func() byteTable {
	table := spaceBytes
	for b := range table {
		if b >= utf8.RuneSelf || 'A' <= b && b <= 'Z' {
			table[b] |= isMarked
		}
	}
	return table
}()
