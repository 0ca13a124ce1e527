package words

import (
	"slices"
	"unicode/utf8"
)

//go:generate go run ./gen

// A lowerRange holds the code points from first to last, every other one if stride is
// 2. Their lower case is themselves plus delta.
type lowerRange struct{ first, last, stride, delta rune }

// lowerRune returns the first code point of r in lower case. Only İ has a second one,
// and only for Σ there is another rule.
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

// uppers yields every code point that is not in lower case, with lowerRune of it.
func uppers(yield func(upper, lower rune) bool) {
	for _, c := range lowerRanges {
		for r := c.first; r <= c.last; r += c.stride {
			if !yield(r, r+c.delta) {
				return
			}
		}
	}
}

// lowerPages holds, per page of pageSize code points, the position in lowerRanges of
// the first range that does not end before it. A page of letters has few ranges.
var lowerPages = func() (pages []uint8) {
	for place, c := range lowerRanges {
		for len(pages) <= int(c.last/pageSize) {
			pages = append(pages, uint8(place))
		}
	}
	return pages
}()

const pageSize = 64

// startsUpper holds the first bytes of code points that are not in lower case.
var startsUpper = func() (starts [256]bool) {
	for upper := range uppers {
		starts[firstByte(upper)] = true
	}
	return starts
}()

// firstByte returns the byte that r begins with in UTF-8.
func firstByte(r rune) byte {
	var encoded [utf8.UTFMax]byte
	utf8.EncodeRune(encoded[:], r)
	return encoded[0]
}

// A runeRange holds the code points from first to last.
type runeRange struct{ first, last rune }

// holds reports whether one of ranges holds r.
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
