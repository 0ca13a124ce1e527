package contextfile

import (
	"strconv"
	"unicode/utf16"
)

// Two escapes of double quotes are JSON's and YAML 1.2's but not the library's:
// \/, and \u with half of a surrogate pair. Their backslash is masked by a rune
// of its own, t.backslash, and they are read when the scalar is. In scalars of
// other styles the rune is a backslash again.

// needsMask reports whether the backslash before rest begins such an escape.
func needsMask(rest []rune) bool {
	return len(rest) > 0 && (rest[0] == '/' || utf16.IsSurrogate(unitOf(rest)))
}

// unitOf returns the UTF-16 unit that rest is the escape of, without its
// backslash, or 0.
func unitOf(rest []rune) rune {
	if len(rest) < 5 || rest[0] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(rest[1:5]), 16, 16)
	return rune(n)
}

// maskEscapes masks the backslashes that need it. Elsewhere than in double
// quotes a pair of backslashes is none, but there it does not matter.
func (t *text) maskEscapes(free func() rune) {
	for i := 0; i < len(t.runes); i++ {
		if t.runes[i] != '\\' {
			continue
		}
		if needsMask(t.runes[i+1:]) {
			if t.backslash == none {
				t.backslash = free()
			}
			t.runes[i] = t.backslash
		}
		i++ // the rune after it is escaped
	}
}

// unescape reads the masked escape that rest begins with, and returns how many
// runes it takes. Half of a pair that lacks the other half is U+FFFD.
func (t *text) unescape(rest []rune) (rune, int) {
	const unit = len(`\uD83D`)
	high := unitOf(rest[1:])
	if high == 0 {
		return rest[1], 2
	}
	if len(rest) > unit && rest[unit] == t.backslash {
		if r := utf16.DecodeRune(high, unitOf(rest[unit+1:])); r != '\uFFFD' {
			return r, 2 * unit
		}
	}
	return '\uFFFD', unit
}
