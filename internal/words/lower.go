package words

// This file takes text and returns it lower-cased. What a code point becomes
// by itself is in the tables; the two rules that need more are here.

import "unicode/utf8"

const (
	capitalSigma = 'Σ' // becomes σ, but ς at the end of a word
	finalSigma   = 'ς'
	dottedI      = 'İ' // becomes i and then dotAbove
	dotAbove     = '\u0307'
)

// Lower returns s lower-cased, and s itself if that is what it is already.
// Bytes of s that are not valid UTF-8 are kept as they are.
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

// AppendLower appends src, lower-cased as by [Lower], to dst. The two must not
// overlap: some code points are longer in lower case.
func AppendLower(dst, src []byte) []byte {
	kept := 0 // src[kept:i] stays as it is and is still to be copied
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

// endsWord reports whether a sigma between before and after is a final one: a
// letter with case comes before it and none after it, where what stands within
// words, such as apostrophes and accents, does not count.
//
// White space is neither cased nor ignorable, so what is beyond the word of a
// sigma never matters. Nor is a sigma ignorable, so all the sigmas of a text
// together look at each byte of it twice at most.
func endsWord(before, after []byte) bool {
	return lastIsCased(before) && !firstIsCased(after)
}

// lastIsCased asks for the last character of text that counts.
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

// firstIsCased asks for the first character of text that counts.
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
