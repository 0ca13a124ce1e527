// Package analysis turns text into the terms counted by selection 1. It is pure.
//
//	text → words → identifiers in parts → lower case, no accents → English stems
//
// UAX #29 splits text into words. Words that contain hyphens, dots, underscores or capitals
// are identifiers: max_tokens, maxTokens, max-tokens and max.tokens all become the parts
// "max" and "token" and the whole "maxtoken". Hangul, and scripts without spaces between
// words such as Chinese and Japanese, become bigrams: pairs of neighbouring characters. See
// docs/selection.md for the rules.
//
// # Determinism
//
// The terms of a text are part of selection 1 and never change. Therefore the tables are in
// this package and in package words instead of Go's library, and tests pin the results of
// libraries.
package analysis

import (
	"math"

	"github.com/blevesearch/snowballstem"
)

// MaxTerm is the most bytes of a term before stemming. Longer texts aren't words, but keys,
// images or checksums.
const MaxTerm = 64

// maxParts is the maximum number of parts for an identifier to become a term as a whole, too. With
// more parts, it is a path or a version.
const maxParts = 4

// An Analyzer finds the terms of texts. It caches stems, which only saves time. It is not
// safe for concurrent use.
type Analyzer struct {
	runs  wordCache
	chars *characters // once a text isn't ASCII
	stems wordCache
	env   *snowballstem.Env

	identifiers identifierCache

	name     []byte // the current identifier, in lower case and without joiners
	parts    []identifierPart
	capitals int    // how many capitals begin the current part
	lower    []byte // scratch space
}

// An identifierPart begins at the end of the previous part.
type identifierPart struct {
	end      int  // in the name
	isPlain  bool // it contains only the letters a to z
	isPlural bool // it is an abbreviation followed by s, such as GPUs
}

// New returns an Analyzer. It takes about 2 MiB.
func New() *Analyzer {
	return &Analyzer{env: snowballstem.NewEnv("")}
}

// Append appends the terms of text to dst in order. Invalid UTF-8 separates words.
func (a *Analyzer) Append(dst *Terms, text []byte) { a.AppendSome(dst, text, math.MaxInt) }

// AppendSome is like Append, but stops when dst contains n terms or more, and returns the
// rest of the text.
func (a *Analyzer) AppendSome(dst *Terms, text []byte, n int) (rest []byte) {
	for len(text) > 0 && dst.Len() < n {
		start, end, next := firstRun(text)
		switch size := end - start; {
		case size == 0:
		case size <= longestCached:
			a.appendShort(dst, text[start:], size)
		case size <= longestIdentifier:
			a.appendIdentifier(dst, text[start:end])
		default:
			a.appendRun(dst, text[start:end])
		}
		text = text[next:]
	}
	return text
}

// firstRun returns where the first run of a text begins, and where it ends without and with
// joiners.
func firstRun(text []byte) (start, end, next int) {
	for start < len(text) && classes[text[start]] <= joiner {
		start++
	}
	next, end = start, start
	for ; next < len(text) && classes[text[next]] != outside; next++ {
		if classes[text[next]] != joiner {
			end = next + 1
		}
	}
	return start, end, next
}

// appendShort appends the terms of the run of size bytes at the beginning of text. Because
// most runs become a single term, it looks for them in a cache.
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

// appendIdentifier appends the terms of a run of at most longestIdentifier bytes. It looks
// into the cache for runs with several terms.
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

// appendRun appends the terms of a run, which contains no separators in ASCII. Its terms don't
// depend on the text around it.
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

// word appends the word at text[i] or, if it isn't plain, the identifier. It returns where
// it ends.
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

// emit appends the stem of a part or a whole, unless it is empty or too long.
func (a *Analyzer) emit(dst *Terms, word []byte, isPlain bool, kind TermKind) {
	switch {
	case len(word) == 0 || len(word) > MaxTerm:
	case isPlain && len(word) <= longestCached:
		dst.addEntry(a.stem(word), kind)
	case isPlain:
		dst.add(a.stemOf(word), kind)
	default:
		dst.add(word, kind)
	}
}
