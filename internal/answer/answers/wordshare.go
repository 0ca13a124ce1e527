package answers

import (
	"math"
	"strconv"
	"strings"
)

// A wordShare is the share of a document's words that match: the bits of a float32 in
// [0,1]. Since the bits of non-negative floats sort like the floats, scores can be
// compared as integers.
type wordShare uint32

// A wordMatch says how much of a content matches a query.
type wordMatch struct {
	TermMatches int // words that equal a term
	TotalWords  int // white-space separated words
}

// share returns the share of matching words. It is 0 without words.
func (m wordMatch) share() wordShare {
	if m.TotalWords == 0 {
		return 0
	}
	return wordShare(math.Float32bits(float32(m.TermMatches) / float32(m.TotalWords)))
}

// String returns the shortest decimal that parses to the same float32. It always contains
// a fraction, unless it uses an exponent, as it does from 1e-7 down: "0.0", "0.33333334",
// "0.00001" and "1e-7".
func (s wordShare) String() string {
	const leastPlain = 1e-6
	f := math.Float32frombits(uint32(s))
	if f != 0 && f < leastPlain {
		text := strconv.FormatFloat(float64(f), 'e', -1, 32)
		return strings.Replace(text, "e-0", "e-", 1)
	}
	text := strconv.FormatFloat(float64(f), 'f', -1, 32)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
