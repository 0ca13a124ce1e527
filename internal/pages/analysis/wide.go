package analysis

import (
	"bytes"
	"unicode/utf8"

	uax29 "github.com/clipperhouse/uax29/v2/words"

	"github.com/contextcompiler/context/internal/base/words"
)

// wide appends the terms of a run from text[i] on, where its last identifier starts, and returns
// where the run ends. The run contains characters beyond ASCII and ends at an ASCII separator. UAX
// #29 splits it into words.
func (a *Analyzer) wide(dst *Terms, text []byte, i int) int {
	end := i
	for end < len(text) && classes[text[end]] != outside {
		end++
	}
	run := text[i:end]
	a.chars = allCharacters()
	var pairs bigrammer
	segments := uax29.FromBytes(run)
	for segments.Next() {
		segment := segments.Value()
		start := segments.Start()
		a.segment(dst, run, start, start+len(segment), &pairs)
	}
	pairs.close(dst, run)
	return end
}

// apostrophe splits words like the ASCII apostrophe does: "don" and "t" are stop words.
const apostrophe = '’'

// segment appends the terms of run[start:end], except for characters which may still form a pair
// with the next character.
func (a *Analyzer) segment(dst *Terms, run []byte, start, end int, pairs *bigrammer) {
	from := start // start of the text without bigrams
	for i := start; i < end; {
		r, size := utf8.DecodeRune(run[i:end])
		switch {
		case r < utf8.RuneSelf:
		case r == apostrophe:
			a.identifierAmong(dst, run, from, i, pairs)
			from = i + size
		case a.chars.isUnspaced(r):
			a.identifierAmong(dst, run, from, i, pairs)
			pairs.add(dst, run, i, i+size)
			from = i + size
		}
		i += size
	}
	a.identifierAmong(dst, run, from, end, pairs)
}

// identifierAmong appends the identifier run[start:end], and before it the previous character if
// this has no neighbour.
func (a *Analyzer) identifierAmong(dst *Terms, run []byte, start, end int, pairs *bigrammer) {
	a.name, a.parts = a.name[:0], a.parts[:0]
	a.fold(run[start:end])
	if len(a.parts) > 0 {
		pairs.close(dst, run)
	}
	a.emitParts(dst)
}

// fold makes a word the current identifier, in lower case and without accents and joiners.
func (a *Analyzer) fold(word []byte) {
	if len(word) == 0 {
		return
	}
	word = narrowed(word)
	a.lower = words.AppendLower(a.lower[:0], word)
	for a.capitals < len(word) && classes[word[a.capitals]] == upper {
		a.capitals++
	}
	isPlain := true
	for rest := a.lower; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		invalid := r == utf8.RuneError && size == 1
		letter := rest[:size]
		rest = rest[size:]
		switch {
		case r < utf8.RuneSelf && classes[r] <= joiner:
			a.endPart(isPlain)
			isPlain = true
		case r < utf8.RuneSelf:
			a.name = append(a.name, byte(r))
			isPlain = isPlain && classes[r] == lower
		case invalid || a.chars.ignored.Has(r) || !a.chars.letters.Has(r):
		default:
			folded, isFolded := foldedOf(r, letter)
			a.name = append(a.name, folded...)
			if !isFolded {
				a.name, isPlain = utf8.AppendRune(a.name, r), false
			}
		}
	}
	a.endPart(isPlain)
}

// The full-width forms of ASCII.
const (
	firstFullWidth = '！'
	lastFullWidth  = '～'
	fullWidthDelta = firstFullWidth - '!'

	firstByteOfFullWidth = 0xEF // also of a few other characters
)

// narrowed returns a word with ASCII instead of full-width forms.
func narrowed(word []byte) []byte {
	if bytes.IndexByte(word, firstByteOfFullWidth) < 0 {
		return word
	}
	return bytes.Map(func(r rune) rune {
		if firstFullWidth <= r && r <= lastFullWidth {
			return r - fullWidthDelta
		}
		return r
	}, word)
}

// A bigrammer makes bigrams, which are terms of two neighbouring characters.
type bigrammer struct {
	last, end int // of the previous character, in the run; end is 0 without a previous character
	isPaired  bool
}

func (b *bigrammer) add(dst *Terms, run []byte, start, end int) {
	if b.end != start {
		b.close(dst, run)
	} else if b.end > 0 {
		dst.add(run[b.last:end], 0)
		b.isPaired = true
	}
	b.last, b.end = start, end
}

// close appends the previous character if it has no neighbour.
func (b *bigrammer) close(dst *Terms, run []byte) {
	if b.end > 0 && !b.isPaired {
		dst.add(run[b.last:b.end], 0)
	}
	*b = bigrammer{}
}
