package words

import (
	"math/bits"
	"unicode/utf8"
)

// A Splitter finds the words of a text like [Split] does. It reads blocks of 64 bytes,
// without branches as long as they are ASCII.
type Splitter struct {
	blocks blocks

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
func NewSplitter(text []byte) Splitter { return Splitter{blocks: blocks{bytes: &oddBytes, text: text}} }

// Next returns the words ending in the next block, if any. They are valid until the next call.
// After the last block, more is false.
func (s *Splitter) Next() (ended []Word, more bool) {
	spaces, odd, more := s.blocks.next()
	if !more {
		return nil, false
	}
	return s.ended(s.blocks.at-stride, spaces, odd), true
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

// oddBytes marks upper-case letters and bytes beyond ASCII.
var oddBytes = func() byteTable {
	table := spaceBytes
	for b := range table {
		if b >= utf8.RuneSelf || 'A' <= b && b <= 'Z' {
			table[b] |= isMarked
		}
	}
	return table
}()
