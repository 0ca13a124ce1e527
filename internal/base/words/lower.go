package words

import "unicode/utf8"

const (
	capitalSigma = 'Σ' // becomes σ, but ς at the end of a word
	finalSigma   = 'ς'
	dottedI      = 'İ' // becomes i and then dotAbove
	dotAbove     = '\u0307'
)

// Lower returns s in lower case. Invalid UTF-8 stays as it is.
func Lower(s string) string {
	if isLower(s) {
		return s
	}
	return string(AppendLower(make([]byte, 0, len(s)), []byte(s)))
}

func isLower(s string) bool {
	for _, r := range s {
		if 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf && lowers().of(r) != r {
			return false
		}
	}
	return true
}

// AppendLower is like [Lower] for bytes, and appends to dst. dst and src must not overlap,
// because some code points are longer in lower case.
func AppendLower(dst, src []byte) []byte {
	var table lowerTable
	kept := 0 // src[kept:i] doesn't change, and isn't in dst yet
	for i := 0; i < len(src); {
		c := src[i]
		if !mayBeCapital[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(append(dst, src[kept:i]...), c+'a'-'A')
			i++
			kept = i
			continue
		}
		if table == nil {
			table = lowers()
		}
		r, size := utf8.DecodeRune(src[i:])
		if lower := table.of(r); lower != r {
			if r == capitalSigma && besideSigma().endsWord(src[:i], src[i+size:]) {
				lower = finalSigma
			}
			dst = append(dst, src[kept:i]...)
			dst = utf8.AppendRune(dst, lower)
			if r == dottedI {
				dst = utf8.AppendRune(dst, dotAbove)
			}
			kept = i + size
		}
		i += size
	}
	return append(dst, src[kept:]...)
}

// mayBeCapital marks the first bytes of capital letters, and of some other code points. There are
// no capitals between U+3000 and U+9FFF, where most Chinese and Japanese characters are.
var mayBeCapital = func() (may [256]bool) {
	for b := range may {
		may[b] = 'A' <= b && b <= 'Z' || 0xC3 <= b && b < 0xE3 || 0xEA <= b
	}
	return may
}()

// Multiplied by ones, a number is repeated in each of eight bytes.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// LowerEight returns eight ASCII bytes in lower case. Each addition sets the top bit of
// sufficiently large bytes, and can never carry into the next byte.
func LowerEight(ascii uint64) uint64 {
	fromA := ascii + (0x80-'A')*ones
	afterZ := ascii + (0x80-'Z'-1)*ones
	return ascii | fromA&^afterZ&highs>>2
}
