// Package words splits text into words and lower-cases them, in the same way for a
// query and for a document. Start reading at [Splitter].
//
// Words are separated by the White_Space of Unicode 17. Lower-casing is full: İ
// becomes two code points, and Σ at the end of a word becomes ς. Punctuation and
// accents stay.
//
// Scores depend on all this, so it never changes. The tables are in this package;
// the tables of package unicode change with the Go toolchain.
//
// Text may be invalid UTF-8: a byte without a code point is part of a word and does
// not change.
package words

import "strings"

// IsSpace reports whether r separates words.
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

// Split returns the words of s.
func Split(s string) []string { return strings.FieldsFunc(s, IsSpace) }
