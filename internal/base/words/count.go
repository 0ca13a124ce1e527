package words

import (
	"math/bits"
	"unicode/utf8"
)

// Count returns how many words text contains, and how many of these are in the set in lower
// case. It doesn't allocate, except for words of more than 512 bytes that could be in the
// set.
func (s *TermSet) Count(text []byte) (matches, total int) {
	var room [512]byte
	lower := room[:0]
	afterSpace, all := uint64(1), blocks{bytes: &s.bytes, text: text}
	for spaces, marked, more := all.next(); more; spaces, marked, more = all.next() {
		starts := ^spaces & (spaces<<1 | afterSpace) // no space after a space
		afterSpace = spaces >> (stride - 1)
		total += bits.OnesCount64(starts)
		for starts &= marked; starts != 0; starts &= starts - 1 {
			i := bits.TrailingZeros64(starts)
			rest, spaces := text[all.at-stride+i:], spaces>>i
			switch s.heads.find(headOf(rest, wordLen(rest, spaces, headLen))) {
			case yes:
				matches++
			case maybe:
				// A lower-case word takes at least a third of the bytes of the original, so
				// a term fits into this many.
				n := wordLen(rest, spaces, 3*s.longest+1)
				lower = AppendLower(lower[:0], rest[:n])
				if _, ok := s.terms[string(lower)]; ok {
					matches++
				}
			}
		}
	}
	return matches, total
}

// wordLen returns the length of the word at the beginning of text, or any length of at
// least enough if the word is longer. spaces is the mask of white space in the rest of the
// block.
func wordLen(text []byte, spaces uint64, enough int) int {
	if spaces != 0 {
		return bits.TrailingZeros64(spaces)
	}
	ahead := blocks{bytes: &spaceBytes, text: text[:min(len(text), enough+utf8.UTFMax)]}
	for spaces == 0 {
		spaces, _, _ = ahead.next()
	}
	return min(enough, ahead.at-stride+bits.TrailingZeros64(spaces))
}
