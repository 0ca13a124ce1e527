package words

import (
	"slices"
	"unicode/utf8"
)

//go:generate go run ./gen

// A lowerRange contains the code points from first to last, or every other code point if stride is
// 2. In lower case, they become themselves plus delta.
type lowerRange struct{ first, last, stride, delta rune }

// lowerRune returns the first code point of r in lower case. Only İ becomes two code
// points, and only Σ follows another rule.
func lowerRune(r rune) rune {
	page := int(uint32(r) / pageSize)
	if page >= len(lowerPages) {
		return r
	}
	for _, c := range lowerRanges[lowerPages[page]:] {
		switch {
		case r < c.first:
			return r
		case r > c.last:
			continue
		case (r-c.first)&(c.stride-1) != 0:
			return r
		}
		return r + c.delta
	}
	return r
}

// uppers yields every code point not in lower case, and its lowerRune.
func uppers(yield func(upper, lower rune) bool) {
	for _, c := range lowerRanges {
		for r := c.first; r <= c.last; r += c.stride {
			if !yield(r, r+c.delta) {
				return
			}
		}
	}
}

// lowerPages contains, for each page of pageSize code points, the position in lowerRanges of the
// first range ending in or after the page. Since a page contains few ranges, lookups are fast.
var lowerPages = func() (pages []uint8) {
	for place, c := range lowerRanges {
		for len(pages) <= int(c.last/pageSize) {
			pages = append(pages, uint8(place))
		}
	}
	return pages
}()

const pageSize = 64

// startsUpper marks the first bytes of code points that aren't in lower case.
var startsUpper = func() (starts [256]bool) {
	for upper := range uppers {
		starts[firstByte(upper)] = true
	}
	return starts
}()

func firstByte(r rune) byte {
	var encoded [utf8.UTFMax]byte
	utf8.EncodeRune(encoded[:], r)
	return encoded[0]
}

// A runeRange contains the code points from first to last.
type runeRange struct{ first, last rune }

func holds(ranges []runeRange, r rune) bool {
	_, found := slices.BinarySearchFunc(ranges, r, func(c runeRange, r rune) int {
		switch {
		case c.last < r:
			return -1
		case c.first > r:
			return +1
		}
		return 0
	})
	return found
}
