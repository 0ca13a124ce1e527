package ranking

import (
	"strconv"
	"strings"
)

// A Score is a share of the highest score possible for a query, in units of 1/2^30.
type Score uint32

const scoreBits = 30

// Millionths returns the score in units of 1/1000000. It is rounded down, but only 0
// becomes 0.
func (s Score) Millionths() uint64 { return max(uint64(s)*1_000_000>>scoreBits, uint64(min(s, 1))) }

// String returns the score as a decimal in [0,1]. It is rounded down, but only 0 becomes 0.
func (s Score) String() string { return Decimal(s.Millionths()) }

// Decimal returns millionths as a decimal of at most 1, with one to six digits after the decimal point.
func Decimal(millionths uint64) string {
	if millionths >= 1_000_000 {
		return "1.0"
	}
	digits := strconv.FormatUint(1_000_000+millionths, 10)[1:]
	return "0." + digits[:1] + strings.TrimRight(digits[1:], "0")
}
