// Package words splits text into words and lower-cases them, in the same way for queries
// and documents. Start reading at [Of].
//
// Words are separated by the White_Space of Unicode 17. Lower-casing is full: İ becomes two
// code points, and Σ becomes ς at the end of a word. Punctuation and accents stay.
//
// Because scores depend on all this, it never changes. Therefore, the tables are in this package:
// the tables of package unicode change with the Go toolchain.
//
// Text may be invalid UTF-8. Bytes that aren't code points belong to words and stay as they
// are.
package words

import "strings"

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

func Split(s string) []string { return strings.FieldsFunc(s, IsSpace) }
