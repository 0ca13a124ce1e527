package agent

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip returns the beginning of s that has at most n bytes, with an ellipsis if that is
// not all of it. It cuts between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRightFunc(s[:n], unicode.IsSpace) + "…"
}

// clipMiddle returns the beginning and the end of s, which have at most n bytes together,
// with an ellipsis between them if that is not all of it. Most of it is the end.
func clipMiddle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := len(s) - n*2/3
	for end < len(s) && !utf8.RuneStart(s[end]) {
		end++
	}
	return clip(s, n/3) + s[end:]
}

// few returns the first of some texts in a line, at most n, and how many more there are.
func few(texts []string, n int, noun string) string {
	if more := len(texts) - n; more > 0 {
		texts = append(slices.Clip(texts[:n]), count(more, noun))
	}
	return strings.Join(texts, ", ")
}

// thousands returns a number with commas, such as "12,345".
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count returns a number with the noun that goes with it: "1 page", "2 pages".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return thousands(n) + " " + noun
}
