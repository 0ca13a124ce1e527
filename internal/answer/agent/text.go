package agent

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip returns at most the first n bytes of s. If it cuts s, which it does between
// characters, it adds an ellipsis.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRightFunc(s[:n], unicode.IsSpace) + "…"
}

// clipMiddle returns at most n bytes from the beginning and the end of s. If it cuts s, it
// puts an ellipsis in the middle. The end gets more room.
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

// grouped groups values by a key, in the order in which the keys occur.
func grouped[T any, K comparable](values []T, key func(T) K) (groups [][]T) {
	places := map[K]int{} // in groups
	for _, v := range values {
		at, isKnown := places[key(v)]
		if !isKnown {
			at = len(groups)
			places[key(v)] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], v)
	}
	return groups
}

// few joins up to n texts with commas, and says how many more there are.
func few(texts []string, n int, noun string) string {
	if more := len(texts) - n; more > 0 {
		texts = append(slices.Clip(texts[:n]), count(more, noun))
	}
	return strings.Join(texts, ", ")
}

// thousands formats a number with commas, such as "12,345".
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count formats a number with its noun: "1 page", "2 pages".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return thousands(n) + " " + noun
}
