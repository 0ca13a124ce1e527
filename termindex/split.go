package termindex

import (
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/words"
)

// This file splits text into words as [words.Split] does. Almost every byte is
// told by a comparison or two; only those that white space beyond ASCII may
// begin with are decoded.

// nextWord returns the first word of text and what comes after it. The word is
// empty if there is none.
func nextWord(text []byte) (word, rest []byte) {
	start := 0
	for start < len(text) {
		n := spaceAt(text[start:])
		if n == 0 {
			break
		}
		start += n
	}
	end := start
	for end < len(text) {
		if b := text[end]; b > ' ' && b < utf8.RuneSelf || spaceAt(text[end:]) == 0 {
			end++
			continue
		}
		break
	}
	return text[start:end], text[end:]
}

// spaceAt returns the length of the white space that text begins with, 0 if it
// begins with something else. Text is not empty.
func spaceAt(text []byte) int {
	switch b := text[0]; {
	case b == ' ', '\t' <= b && b <= '\r':
		return 1
	case b == 0xC2, b == 0xE1, b == 0xE2, b == 0xE3:
		if r, size := utf8.DecodeRune(text); words.IsSpace(r) {
			return size
		}
	}
	return 0
}
