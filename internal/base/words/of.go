package words

import (
	"iter"
	"unicode/utf8"
)

// A Word is a word of a text.
type Word struct {
	Start, End int // bytes of the text

	// IsOdd reports whether the word contains a byte beyond ASCII or an upper-case letter.
	// All other words are in lower case.
	IsOdd bool
}

// Of yields the words of a text, which are those that [Split] returns.
func Of(text []byte) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		for i := 0; i < len(text); {
			start, space := i, 0
			var flags byte
			for ; i < len(text); i++ {
				of := byteFlags[text[i]]
				if of&mayBeSpace != 0 {
					if space = spaceSize(text[i:]); space > 0 {
						break
					}
				}
				flags |= of
			}
			if start < i && !yield(Word{start, i, flags&isOdd != 0}) {
				return
			}
			i += space
		}
	}
}

// spaceSize returns the size of the white space that a text begins with, or 0.
func spaceSize(text []byte) int {
	if r, size := utf8.DecodeRune(text); IsSpace(r) {
		return size
	}
	return 0
}

// Flags of the bytes of words.
const (
	mayBeSpace = 1 << iota // the first byte of a white space
	isOdd
)

var byteFlags = func() (flags [256]byte) {
	for b := range flags {
		if b >= utf8.RuneSelf || 'A' <= b && b <= 'Z' {
			flags[b] |= isOdd
		}
	}
	for r := range rune(0x3001) {
		if IsSpace(r) {
			flags[string(r)[0]] |= mayBeSpace
		}
	}
	return flags
}()
