package analysis

import (
	"bytes"
	"unicode/utf8"

	uax29 "github.com/clipperhouse/uax29/v2/words"

	"github.com/contextcompiler/context/internal/words"
)

// This file reads words that have characters beyond ASCII. They come in runs
// that end where ASCII has no part of a word; UAX #29 cuts these.

// wide appends the terms of the run that has text[i] in it, which is where its
// last identifier starts, and returns where the run ends.
func (a *Analyzer) wide(dst *Terms, text []byte, i int) int {
	end := i
	for end < len(text) && classes[text[end]] != outside {
		end++
	}
	run := text[i:end]
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

// apostrophe ends a word as the one of ASCII does, so that "don" and "t" are stop
// words however they are written.
const apostrophe = '’'

// segment appends the terms of run[start:end], except for characters that may
// still get a neighbour.
func (a *Analyzer) segment(dst *Terms, run []byte, start, end int, pairs *bigrammer) {
	from := start // of what makes no bigrams
	for i := start; i < end; {
		r, size := utf8.DecodeRune(run[i:end])
		switch {
		case r < utf8.RuneSelf:
		case r == apostrophe:
			a.identifierAmong(dst, run, from, i, pairs)
			from = i + size
		case unspaced.has(r) && inWords.has(r):
			a.identifierAmong(dst, run, from, i, pairs)
			pairs.add(dst, run, i, i+size)
			from = i + size
		}
		i += size
	}
	a.identifierAmong(dst, run, from, end, pairs)
}

// identifierAmong appends the identifier run[start:end], and before it the
// character that gets no neighbour because of it.
func (a *Analyzer) identifierAmong(dst *Terms, run []byte, start, end int, pairs *bigrammer) {
	a.name, a.parts = a.name[:0], a.parts[:0]
	a.fold(run[start:end])
	if len(a.parts) > 0 {
		pairs.close(dst, run)
	}
	a.emitParts(dst)
}

// fold makes a word the identifier at hand: in lower case, without accents, and
// with what joins its parts left out.
func (a *Analyzer) fold(word []byte) {
	if len(word) == 0 {
		return
	}
	a.lower = words.AppendLower(a.lower[:0], narrowed(word))
	isPlain := true
	for rest := a.lower; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		invalid := r == utf8.RuneError && size == 1
		rest = rest[size:]
		switch {
		case r < utf8.RuneSelf && classes[r] <= joiner:
			a.endPart(isPlain)
			isPlain = true
		case r < utf8.RuneSelf:
			a.name = append(a.name, byte(r))
			isPlain = isPlain && classes[r] == lower
		case invalid || ignored.has(r) || !inWords.has(r):
		default:
			folded, isFolded := folds[r]
			a.name = append(a.name, folded...)
			if !isFolded {
				a.name, isPlain = utf8.AppendRune(a.name, r), false
			}
		}
	}
	a.endPart(isPlain)
}

// The forms of ASCII that are as wide as Chinese characters.
const (
	firstFullWidth = '！'
	lastFullWidth  = '～'
	fullWidthDelta = firstFullWidth - '!'

	firstByteOfFullWidth = 0xEF // of these, and of few others
)

// narrowed returns word with its full-width forms as ASCII.
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

// A bigrammer makes terms of characters without spaces between words: of each two
// neighbours one, which is called a bigram.
type bigrammer struct {
	last, end int // where in the run the last of them is; nowhere if end is 0
	isPaired  bool
}

// add takes the character run[start:end].
func (b *bigrammer) add(dst *Terms, run []byte, start, end int) {
	if b.end != start {
		b.close(dst, run)
	} else if b.end > 0 {
		dst.add(run[b.last:end], 0)
		b.isPaired = true
	}
	b.last, b.end = start, end
}

// close appends a character that has no neighbour.
func (b *bigrammer) close(dst *Terms, run []byte) {
	if b.end > 0 && !b.isPaired {
		dst.add(run[b.last:b.end], 0)
	}
	*b = bigrammer{}
}
