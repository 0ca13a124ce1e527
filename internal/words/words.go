// Package words says what a word is: where text splits and how a word is
// lower-cased, so that a query and a document mean the same word alike.
//
// It is Unicode 17's White_Space and full lower-casing, with the two rules
// that a table of single code points cannot hold: İ becomes two code points,
// and Σ at the end of a word becomes ς. Nothing else is done to a word:
// punctuation stays on it and accents stay as they were written.
//
// The answers are part of what a cache and its scores mean, so they never
// change. The tables are our own and this package uses none of package
// unicode's, which move with the Go toolchain.
//
// Text that is not valid UTF-8 is never an error here: a byte that belongs to
// no code point is part of a word and stays as it is.
package words

import "strings"

// This file takes text and tells where its words are.

// IsSpace reports whether r separates words: whether it is White_Space.
func IsSpace(r rune) bool {
	switch {
	case '\t' <= r && r <= '\r', r == ' ', r == 0x85, r == 0xA0:
		return true
	case r < 0x1680:
		return false
	case r == 0x1680, 0x2000 <= r && r <= 0x200A, r == 0x2028, r == 0x2029:
		return true
	}
	return r == 0x202F || r == 0x205F || r == 0x3000
}

// Split returns the words of s as they are written there, in order.
func Split(s string) []string { return strings.FieldsFunc(s, IsSpace) }
