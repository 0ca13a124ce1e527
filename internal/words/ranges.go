package words

// This file looks code points up in the tables, which are generated: a code
// point goes in, and what Unicode says of it comes out.

import (
	"slices"
	"unicode/utf8"
)

//go:generate go run ./gen

// A lowerRange holds the code points from first to last, or every other one of
// them if stride is 2, that lower-case to themselves plus delta.
type lowerRange struct{ first, last, stride, delta rune }

// lowerRune returns the first code point that r becomes in lower case. It is
// the only one except for İ, and depends on r alone except for Σ.
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

// uppers yields every code point that has another lower case, with the first
// code point of that.
func uppers(yield func(upper, lower rune) bool) {
	for _, c := range lowerRanges {
		for r := c.first; r <= c.last; r += c.stride {
			if !yield(r, r+c.delta) {
				return
			}
		}
	}
}

// lowerPages holds, for every pageSize code points, the place in lowerRanges
// of the first range that does not end before them. Most pages have no letter
// with case, and those of living scripts have few ranges.
var lowerPages = func() (pages []uint8) {
	for place, c := range lowerRanges {
		for len(pages) <= int(c.last/pageSize) {
			pages = append(pages, uint8(place))
		}
	}
	return pages
}()

const pageSize = 64

// startsUpper tells which bytes begin a code point that has another lower
// case. All others stay as they are in lower case, whatever they are part of.
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
