package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes text from a document or a file name safe to print on a single line,
// whether on a terminal, in a table or for a model. It escapes control and format
// characters like a Go string, because they could control the terminal or reorder the text.
func Printable(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !unicode.IsPrint(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// Few returns the first names of a list, followed by how many more there are.
func Few(names []string, most int) []string {
	more := len(names) - most
	if more <= 0 {
		return names
	}
	return append(slices.Clone(names[:most]), fmt.Sprintf("%d more", more))
}
