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
		if lowerRune(r) != r {
			return false
		}
	}
	return true
}

// AppendLower is like [Lower] for bytes, and appends to dst. dst and src must not overlap,
// because some code points are longer in lower case.
func AppendLower(dst, src []byte) []byte {
	kept := 0 // src[kept:i] doesn't change, and isn't in dst yet
	for i := 0; i < len(src); {
		if !startsUpper[src[i]] {
			i++
			continue
		}
		if c := src[i]; c < utf8.RuneSelf {
			dst = append(append(dst, src[kept:i]...), c+'a'-'A')
			i++
			kept = i
			continue
		}
		r, size := utf8.DecodeRune(src[i:])
		if lower := lowerRune(r); lower != r {
			if r == capitalSigma && endsWord(src[:i], src[i+size:]) {
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

// endsWord reports whether a sigma between before and after is final: the nearest character before
// it must be cased, and the nearest character after it must not be. Ignorable characters, for
// example apostrophes and accents, are skipped.
//
// White space is neither cased nor ignorable, so other words can't affect the result. A
// sigma isn't ignorable either, so all sigmas of a text together read each byte at most
// twice.
func endsWord(before, after []byte) bool {
	return lastIsCased(before) && !firstIsCased(after)
}

// lastIsCased reports whether the last character of text is cased, not counting ignorable
// characters.
func lastIsCased(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeLastRune(text)
		if !holds(ignorableRanges[:], r) {
			return holds(casedRanges[:], r)
		}
		text = text[:len(text)-size]
	}
	return false
}

// firstIsCased is like lastIsCased for the first character.
func firstIsCased(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if !holds(ignorableRanges[:], r) {
			return holds(casedRanges[:], r)
		}
		text = text[size:]
	}
	return false
}
