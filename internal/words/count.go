package words

import (
	"math/bits"
	"unicode/utf8"
)

// Count returns how many words text has, and how many of them are in the set
// in lower case. It allocates nothing unless a word that may be in the set has
// more than 512 bytes.
func (s *TermSet) Count(text []byte) (matches, total int) {
	var room [512]byte
	lower := room[:0]
	afterSpace, all := uint64(1), blocks{bytes: &s.bytes, text: text}
	for spaces, marked, more := all.next(); more; spaces, marked, more = all.next() {
		starts := ^spaces & (spaces<<1 | afterSpace) // no space after one
		afterSpace = spaces >> (stride - 1)
		total += bits.OnesCount64(starts)
		for starts &= marked; starts != 0; starts &= starts - 1 {
			i := bits.TrailingZeros64(starts)
			rest, spaces := text[all.at-stride+i:], spaces>>i
			switch s.heads.find(headOf(rest, wordLen(rest, spaces, headLen))) {
			case yes:
				matches++
			case maybe:
				// A word in lower case has at least a third of its bytes,
				// so a term fits in this many.
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

// wordLen returns the length of the word that text begins with, or a smaller
// length that is enough. spaces is the mask of white space in the rest of the
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
