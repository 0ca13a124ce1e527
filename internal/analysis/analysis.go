// Package analysis turns text into the terms that selection 1 counts. It is
// pure.
//
//	text → words → identifiers in parts → lower case, no accents → English stems
//
// UAX #29 cuts text into words. Words with hyphens, dots, underscores or capitals
// inside are identifiers: max_tokens, maxTokens, max-tokens and max.tokens all become
// the parts "max" and "token" and the whole "maxtoken". Scripts without spaces between
// words, such as Chinese and Japanese, and Hangul become bigrams: pairs of neighbouring
// characters. docs/selection.md has the rules.
//
// # Determinism
//
// The terms of a text are a part of selection 1 and never change. The tables are in
// this package and in package words, not in Go's library. Tests pin the results of the
// two libraries.
package analysis

import "github.com/blevesearch/snowballstem"

// MaxTerm is the most bytes of a term before it is stemmed. A longer text is not a
// word but a key, an image or a checksum.
const MaxTerm = 64

// maxParts is the most parts of an identifier that is a term as a whole, too. With
// more parts it is a path or a version.
const maxParts = 4

// An Analyzer finds the terms of texts. It keeps stems, which only saves time. It is
// not safe for concurrent use.
type Analyzer struct {
	stems stems
	name  []byte // the current identifier, in lower case and without joiners
	parts []part
	lower []byte // scratch space
}

// A part of an identifier begins where the one before it ends.
type part struct {
	end     int  // in the name
	isPlain bool // it has only the letters a to z
}

// New returns an Analyzer, which takes some 300 KiB.
func New() *Analyzer {
	return &Analyzer{stems: stems{env: snowballstem.NewEnv("")}}
}

// Append appends the terms of text to dst in their order. Bytes that are not
// valid UTF-8 are between words.
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

// word appends the word that starts at text[i] or, if it is not plain, the identifier.
// It returns its end.
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

// emit appends the stem of a part or of a whole, unless it is empty or too long.
func (a *Analyzer) emit(dst *Terms, word []byte, isPlain bool, kind TermKind) {
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
