// Package analysis turns text into the terms that selection 1 counts. It is
// pure.
//
//	text → words → identifiers in parts → lower case, no accents → English stems
//
// Words are those of UAX #29, and hyphens, dots, underscores and capitals within
// them make identifiers, as max_tokens, maxTokens, max-tokens and max.tokens,
// which are all the parts "max" and "token" and the whole "maxtoken". Scripts
// that put no spaces between words, as Chinese and Japanese, and Hangul, whose
// words have endings, become bigrams: pairs of neighbouring characters. docs/selection.md has the rules one by one.
//
// # Determinism
//
// What the terms of a text are is a part of selection 1 and never changes: the
// tables are in this package and in package words, not in Go's library, and
// tests hold fast what the two libraries make of text that stands for all.
package analysis

import "github.com/blevesearch/snowballstem"

// MaxTerm is the most bytes that a term may have before it is stemmed. What is longer is no word
// that anybody asks for: it is a key, an image or a checksum.
const MaxTerm = 64

// maxParts is the most parts that an identifier may have to be a term as a
// whole, too. What has more is a path or a version.
const maxParts = 4

// An Analyzer finds the terms of texts. It remembers stems, which changes how
// long it takes and nothing else. Not safe for concurrent use.
type Analyzer struct {
	stems stems
	name  []byte // the identifier at hand, in lower case, without what joins its parts
	parts []part
	lower []byte // memory for a word in lower case
}

// A part of an identifier begins where the one before it ends.
type part struct {
	end     int  // in the name
	isPlain bool // it has nothing but the letters a to z
}

// New returns an Analyzer, which takes some 300 KiB.
func New() *Analyzer {
	return &Analyzer{stems: stems{env: snowballstem.NewEnv("")}}
}

// Append appends the terms of text to dst in their order. Bytes that are not
// valid UTF-8 are no part of any word.
func (a *Analyzer) Append(dst *Terms, text []byte) {
	for i := 0; i < len(text); {
		switch classes[text[i]] {
		case lower:
			i = a.word(dst, text, i)
		case upper, digit:
			i = a.identifier(dst, text, i)
		case beyond:
			i = a.wide(dst, text, i)
		default:
			i++
		}
	}
}

// word appends the word that starts at text[i], if it is as plain as most, or
// else the identifier. It returns where that ends.
func (a *Analyzer) word(dst *Terms, text []byte, i int) int {
	end := i + 1
	for end < len(text) && classes[text[end]] == lower {
		end++
	}
	if end < len(text) && classes[text[end]] != outside {
		return a.identifier(dst, text, i)
	}
	a.emit(dst, text[i:end], true, 0)
	return end
}

// emit appends the stem of a part, or of a whole, of that kind if it has any bytes
// and not too many.
func (a *Analyzer) emit(dst *Terms, word []byte, isPlain bool, kind Kind) {
	switch {
	case len(word) == 0 || len(word) > MaxTerm:
	case isPlain && len(word) <= longestCached:
		e := a.stems.lookup(word)
		dst.text = append(dst.text, e.stem[:e.size]...)
		dst.close(kind | e.kind)
	case isPlain:
		dst.text = append(dst.text, a.stems.stemOf(word)...)
		dst.close(kind)
	default:
		dst.add(word, kind)
	}
}
