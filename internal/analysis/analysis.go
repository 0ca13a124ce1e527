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

import (
	"math"

	"github.com/blevesearch/snowballstem"
)

// MaxTerm is the most bytes of a term before it is stemmed. A longer text is not a
// word but a key, an image or a checksum.
const MaxTerm = 64

// maxParts is the most parts of an identifier that is a term as a whole, too. With
// more parts it is a path or a version.
const maxParts = 4

// An Analyzer finds the terms of texts. It keeps stems, which only saves time. It is
// not safe for concurrent use.
type Analyzer struct {
	runs  wordCache
	stems stems

	identifiers identifierCache

	name     []byte // the current identifier, in lower case and without joiners
	parts    []identifierPart
	capitals int    // how many the current part begins with
	lower    []byte // scratch space
}

// An identifierPart begins where the one before it ends.
type identifierPart struct {
	end      int  // in the name
	isPlain  bool // it has only the letters a to z
	isPlural bool // it is an abbreviation and an s, such as GPUs
}

// New returns an Analyzer, which takes some 1.2 MiB.
func New() *Analyzer {
	return &Analyzer{stems: stems{env: snowballstem.NewEnv("")}}
}

// Append appends the terms of text to dst in their order. Bytes that are not
// valid UTF-8 are between words.
func (a *Analyzer) Append(dst *Terms, text []byte) { a.AppendSome(dst, text, math.MaxInt) }

// AppendSome is Append for the beginning of text: it stops when dst has n terms or more,
// and returns the rest.
func (a *Analyzer) AppendSome(dst *Terms, text []byte, n int) (rest []byte) {
	i := 0
	for i < len(text) && dst.Len() < n {
		if classes[text[i]] <= joiner {
			i++
			continue
		}
		start, end := i, i // end of the run without the joiners at its end
		for ; i < len(text) && classes[text[i]] != outside; i++ {
			if classes[text[i]] != joiner {
				end = i + 1
			}
		}
		switch size := end - start; {
		case size <= longestCached:
			a.appendShort(dst, text[start:], size)
		case size <= longestIdentifier:
			a.appendIdentifier(dst, text[start:end])
		default:
			a.appendRun(dst, text[start:end])
		}
	}
	return text[i:]
}

// appendShort appends the terms of the run of size bytes that text begins with. It looks
// into the cache for runs with one term, which are most.
func (a *Analyzer) appendShort(dst *Terms, text []byte, size int) {
	key := keyOf(text, size)
	e := a.runs.slot(key)
	if e.word == key && e.size > 0 {
		dst.addEntry(e, 0)
		return
	}
	n := dst.Len()
	a.appendIdentifier(dst, text[:size])
	if dst.Len() == n+1 {
		if term, kind := dst.At(n); len(term) <= longestCached {
			e.set(key, term, kind)
		}
	}
}

// appendIdentifier appends the terms of a run of at most longestIdentifier bytes. It
// looks into the cache for runs with several terms.
func (a *Analyzer) appendIdentifier(dst *Terms, run []byte) {
	e := a.identifiers.slot(run)
	if e.isOf(run) {
		dst.addIdentifier(e)
		return
	}
	n := dst.Len()
	a.appendRun(dst, run)
	if dst.Len() > n+1 {
		e.set(run, dst, n)
	}
}

// appendRun appends the terms of a run: a text without ASCII characters between words.
// What stands around a run does not change its terms.
func (a *Analyzer) appendRun(dst *Terms, run []byte) {
	for i := 0; i < len(run); {
		switch classes[run[i]] {
		case lower:
			i = a.word(dst, run, i)
		case upper, digit:
			i = a.identifier(dst, run, i)
		case beyond:
			i = a.wide(dst, run, i)
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

// stemOf returns the stem of a plain word.
func (a *Analyzer) stemOf(word []byte) string {
	if len(word) <= longestCached {
		e := a.stems.lookup(word)
		return string(e.term[:e.size])
	}
	return a.stems.stemOf(word)
}

// emit appends the stem of a part or of a whole, unless it is empty or too long.
func (a *Analyzer) emit(dst *Terms, word []byte, isPlain bool, kind TermKind) {
	switch {
	case len(word) == 0 || len(word) > MaxTerm:
	case isPlain && len(word) <= longestCached:
		dst.addEntry(a.stems.lookup(word), kind)
	case isPlain:
		dst.add([]byte(a.stems.stemOf(word)), kind)
	default:
		dst.add(word, kind)
	}
}
