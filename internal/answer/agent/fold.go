package agent

import (
	"unicode"
	"unicode/utf8"
)

// A foldedText finds a text in any case, as a regular expression with (?i) does. It uses the
// algorithm of Knuth, Morris and Pratt, so its time is always linear in the searched text. It is
// safe for concurrent use.
type foldedText struct {
	runes    []rune // folded
	fallback []int  // by the number of matching runes: how many still match if the next rune differs
}

// foldText returns the foldedText for a non-empty text.
func foldText(text []rune) foldedText {
	f := foldedText{make([]rune, len(text)), make([]int, len(text)+1)}
	for i, r := range text {
		f.runes[i] = fold(r)
	}
	for i, n := 1, 0; i < len(text); i++ {
		n = f.next(n, f.runes[i])
		f.fallback[i+1] = n
	}
	return f
}

// next returns how many runes match after another folded rune, if n runes matched before.
func (f foldedText) next(n int, r rune) int {
	if n == len(f.runes) {
		n = f.fallback[n]
	}
	for n > 0 && f.runes[n] != r {
		n = f.fallback[n]
	}
	if f.runes[n] == r {
		n++
	}
	return n
}

// find returns where the first match in content begins and ends, or -1 and -1.
func (f foldedText) find(content []byte) (start, end int) {
	n := 0
	for end < len(content) {
		r, size := rune(content[end]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(content[end:])
		}
		end += size
		if n = f.next(n, fold(r)); n < len(f.runes) {
			continue
		}
		for start = end; n > 0; n-- {
			_, size := utf8.DecodeLastRune(content[:start])
			start -= size
		}
		return start, end
	}
	return -1, -1
}

// fold returns the same rune for all cases of a letter, which is the lowest of these runes.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		return asciiFolds[r]
	}
	return lowestCase(r)
}

func lowestCase(r rune) rune {
	lowest := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		lowest = min(lowest, other)
	}
	return lowest
}

var asciiFolds = func() (folds [utf8.RuneSelf]rune) {
	for r := range rune(utf8.RuneSelf) {
		folds[r] = lowestCase(r)
	}
	return folds
}()
