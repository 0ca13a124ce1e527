package words

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// A RuneSet contains code points, as bits.
type RuneSet []uint64

func (s RuneSet) Has(r rune) bool {
	i := int(uint32(r) / 64)
	return i < len(s) && s[i]>>(r%64)&1 != 0
}

// Add adds the code points from first to last.
func (s *RuneSet) Add(first, last rune) {
	if more := int(last/64) + 1 - len(*s); more > 0 {
		*s = append(*s, make([]uint64, more)...)
	}
	for at := first / 64; at <= last/64; at++ {
		bits := ^uint64(0)
		if at == first/64 {
			bits <<= first % 64
		}
		if at == last/64 {
			bits &= ^uint64(0) >> (63 - last%64)
		}
		(*s)[at] |= bits
	}
}

// Rows calls row for each line of a table. A line contains a code point or a range, in hexadecimal,
// and a value after a tab. A line that begins with # is a comment.
func Rows(table string, row func(first, last rune, value string)) {
	for line := range strings.Lines(table) {
		if line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		first, last, isRange := strings.Cut(key, "..")
		from := ParseRune(first)
		to := from
		if isRange {
			to = ParseRune(last)
		}
		row(from, to, value)
	}
}

func ParseRune(hex string) rune {
	r, err := strconv.ParseUint(hex, 16, 21)
	if err != nil {
		panic("words: " + err.Error())
	}
	return rune(r)
}

//go:embed lowercase.tsv
var lowercase string

// A lowerTable contains the lower case of capital letters by pages of 64 code points. Pages
// without capital letters are nil, and all other code points are 0.
type lowerTable []*[64]rune

// lowers is read on first use, because most texts are ASCII. If a code point becomes several in
// lower case, it contains only the first. İ is the only such code point.
var lowers = sync.OnceValue(func() (t lowerTable) {
	Rows(lowercase, func(r, _ rune, value string) {
		for len(t) <= int(r/64) {
			t = append(t, nil)
		}
		if t[r/64] == nil {
			t[r/64] = new([64]rune)
		}
		first, _, _ := strings.Cut(value, " ")
		t[r/64][r%64] = ParseRune(first)
	})
	return t
})

// of returns the first code point of r in lower case.
func (t lowerTable) of(r rune) rune {
	if i := int(uint32(r) / 64); i < len(t) && t[i] != nil && t[i][r%64] != 0 {
		return t[i][r%64]
	}
	return r
}

//go:embed final_sigma.tsv
var finalSigmaTable string

// A sigmaContext contains the code points that decide how a sigma next to them is written.
type sigmaContext struct {
	cased     RuneSet // letters that have case, unless they are ignorable
	ignorable RuneSet
}

var besideSigma = sync.OnceValue(func() (c sigmaContext) {
	Rows(finalSigmaTable, func(first, last rune, class string) {
		if class == "C" {
			c.cased.Add(first, last)
		} else {
			c.ignorable.Add(first, last)
		}
	})
	return c
})

// endsWord reports whether a sigma between before and after is final: the nearest character before
// it must be cased, and the nearest character after it must not be. Ignorable characters, for
// example apostrophes and accents, are skipped.
//
// White space is neither cased nor ignorable, so other words can't affect the result. A
// sigma isn't ignorable either, so all sigmas of a text together read each byte at most
// twice.
func (c sigmaContext) endsWord(before, after []byte) bool {
	r, size := utf8.DecodeLastRune(before)
	for ; c.ignorable.Has(r); r, size = utf8.DecodeLastRune(before) {
		before = before[:len(before)-size]
	}
	if !c.cased.Has(r) {
		return false
	}
	r, size = utf8.DecodeRune(after)
	for ; c.ignorable.Has(r); r, size = utf8.DecodeRune(after) {
		after = after[size:]
	}
	return !c.cased.Has(r)
}
