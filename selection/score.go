package selection

import (
	"math"
	"strconv"
	"strings"
)

// A Score is the share of a document's words that match: a float32 in [0,1],
// held as its bits. Bits of floats that are not negative are ordered as the
// floats are, so scores are compared as integers.
type Score uint32

// Score returns the share of matching words. It is 0 without words.
func (m Match) Score() Score {
	if m.TotalWords == 0 {
		return 0
	}
	return Score(math.Float32bits(float32(m.TermMatches) / float32(m.TotalWords)))
}

// String returns the shortest decimal that reads back as the same float32:
// with a fraction always, and with an exponent from 1e-7 down, as in
// "0.0", "0.33333334", "0.00001" and "1e-7".
func (s Score) String() string {
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
