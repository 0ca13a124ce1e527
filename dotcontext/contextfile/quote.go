package contextfile

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	// prose is text that is readable without quotes and means itself to every
	// YAML reader but for the words of yaml11.
	prose = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./()+' ,;-]*$`)

	// yaml11 are the words that readers of YAML 1.1 take for something else.
	yaml11 = regexp.MustCompile(`^(?i:y|yes|n|no|on|off|true|false|null)$`)

	// token is text that may stand without quotes where such text stood before.
	token = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+:-]*$`)
)

// quoteIfNeeded writes s as a scalar of a block: plain if it is prose.
func quoteIfNeeded(s string) string {
	if isProse(s) {
		return s
	}
	return quoteDouble(s)
}

func isProse(s string) bool {
	return prose.MatchString(s) && !yaml11.MatchString(s) && !strings.HasSuffix(s, " ")
}

// isToken reports whether s without quotes is text to us.
func isToken(s string) bool {
	return token.MatchString(s) && !strings.HasSuffix(s, ":") && plainKind(s) == words
}

// escapes are the runes with escapes of their own.
var escapes = map[rune]string{
	'"': `\"`, '\\': `\\`, 0: `\0`, '\t': `\t`, '\n': `\n`, '\r': `\r`,
}

// quoteDouble writes s between double quotes, on one line.
func quoteDouble(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range toText(s) {
		if escape, ok := escapes[r]; ok {
			b.WriteString(escape)
		} else if isTrouble(r) {
			fmt.Fprintf(&b, `\u%04X`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// quoteSingle writes s between single quotes, or double ones if it has runes
// that need escapes.
func quoteSingle(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return isTrouble(r) || r < ' ' }) {
		return quoteDouble(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// toText returns s as it is when it has been written and read again: what is no
// UTF-8 is U+FFFD.
func toText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var runes []rune
	for rest := []byte(s); len(rest) > 0; {
		r, size := decodeRune(rest)
		runes = append(runes, r)
		rest = rest[size:]
	}
	return string(runes)
}
