package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/words"
)

// A matcher finds lines, by a literal text or by an expression. Safe for concurrent use.
type matcher struct {
	literal []byte         // nil for an expression
	regexp  *regexp.Regexp // nil for a literal text
	hints   [][]byte       // in lower case: each page that matches has one of them, in any case; nil if unknown
}

// Bounds on patterns. They keep the search of a line short.
const (
	longestPattern   = 1000 // bytes
	mostInstructions = 2000 // of a compiled expression
)

func matcherOf(request GrepRequest) (m matcher, err error) {
	pattern := request.Pattern
	switch {
	case pattern == "":
		return m, argumentErrorf("the pattern is empty: give a text to search for")
	case len(pattern) > longestPattern:
		return m, argumentErrorf("the pattern has %d bytes: want at most %d", len(pattern), longestPattern)
	case !utf8.ValidString(pattern):
		return m, argumentErrorf("the pattern is not UTF-8")
	case strings.ContainsAny(pattern, "\r\n"):
		return m, argumentErrorf("the pattern has a line break: search for a text of one line")
	case !request.IsRegexp && !request.IgnoreCase:
		return matcher{literal: []byte(pattern)}, nil
	case !request.IsRegexp:
		pattern = regexp.QuoteMeta(pattern)
	}
	flags := syntax.Perl
	if request.IgnoreCase {
		flags |= syntax.FoldCase
	}
	parsed, err := syntax.Parse(pattern, flags)
	if wrong, ok := errors.AsType[*syntax.Error](err); ok {
		return m, argumentErrorf("the pattern is not a regular expression of RE2: %s: `%s`. To search for it as it stands, search for a literal text; to keep it an expression, put \\ before the characters that stand for themselves",
			wrong.Code, words.Printable(wrong.Expr))
	}
	if err != nil {
		return m, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err == nil && len(program.Inst) > mostInstructions {
		return m, argumentErrorf("the pattern is too large: repeat less in it")
	}
	if err != nil {
		return m, err
	}
	m.hints = hintsOf(parsed)
	m.regexp, err = regexp.Compile(parsed.String())
	return m, err
}

// hintsOf returns texts in lower case. Each match of an expression has one of them, in any
// case of ASCII. It returns nil if it knows none.
func hintsOf(re *syntax.Regexp) (best [][]byte) {
	switch re.Op {
	case syntax.OpLiteral:
		if hint := hintOf(re); len(hint) > 0 {
			return [][]byte{hint}
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			hints := hintsOf(sub)
			if hints == nil {
				return nil
			}
			best = append(best, hints...)
		}
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			if hints := hintsOf(sub); shortest(hints) > shortest(best) {
				best = hints
			}
		}
	}
	return best
}

func shortest(hints [][]byte) int {
	if hints == nil {
		return 0
	}
	return len(slices.MinFunc(hints, func(a, b []byte) int { return cmp.Compare(len(a), len(b)) }))
}

// hintOf returns the longest part of a literal that has the same length in any case and
// that ASCII alone folds. The letters k and s match letters beyond ASCII too.
func hintOf(literal *syntax.Regexp) []byte {
	text := string(literal.Rune)
	if literal.Flags&syntax.FoldCase != 0 {
		parts := strings.FieldsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r) })
		text = ""
		for _, part := range parts {
			if len(part) > len(text) {
				text = part
			}
		}
	}
	hint := []byte(text)
	for i, b := range hint {
		hint[i] = lower(b)
	}
	return hint
}

// lower returns a letter of ASCII in lower case, and any other byte as it is.
func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + ('a' - 'A')
	}
	return b
}

// mayMatch reports whether the hints allow a match in a page.
func (m matcher) mayMatch(content []byte) bool {
	return m.hints == nil || slices.ContainsFunc(m.hints, func(hint []byte) bool { return indexFold(content, hint) >= 0 })
}

// skip returns the offset of a text of the next line that may match, -1 if there is none.
func (m matcher) skip(content []byte) int {
	switch {
	case m.literal != nil:
		return bytes.Index(content, m.literal)
	case len(m.hints) == 1:
		return indexFold(content, m.hints[0])
	}
	return 0
}

// indexFold returns the offset of the first hint in a text, in any case of ASCII, or -1.
func indexFold(text, hint []byte) int {
	for i := range len(text) - len(hint) + 1 {
		n := 0
		for n < len(hint) && lower(text[i+n]) == hint[n] {
			n++
		}
		if n == len(hint) {
			return i
		}
	}
	return -1
}

// A lineMatch is a line that matches. Its offsets are those of the page.
type lineMatch struct {
	start, end  int // of the line, without its end
	first, last int // of the first match
}

// lines yields the lines of a page that match, in order, until ctx ends. A line ends with
// LF or CRLF.
func (m matcher) lines(ctx context.Context, content []byte) iter.Seq[lineMatch] {
	return func(yield func(lineMatch) bool) {
		if !m.mayMatch(content) {
			return
		}
		for from := 0; from < len(content) && ctx.Err() == nil; {
			at := m.skip(content[from:])
			if at < 0 {
				return
			}
			first := from + at
			start, next := from+1+bytes.LastIndexByte(content[from:first], '\n'), lineEnd(content, first)
			line := lineMatch{start, start + len(bytes.TrimSuffix(content[start:next], []byte("\r"))), first, first + len(m.literal)}
			from = next + 1
			if (m.regexp == nil || line.find(m.regexp, content)) && !yield(line) {
				return
			}
		}
	}
}

// lineEnd returns the offset of the next LF, or the length of content.
func lineEnd(content []byte, offset int) int {
	if n := bytes.IndexByte(content[offset:], '\n'); n >= 0 {
		return offset + n
	}
	return len(content)
}

// find finds the first match of an expression in the line.
func (l *lineMatch) find(re *regexp.Regexp, content []byte) (isFound bool) {
	at := re.FindIndex(content[l.start:l.end])
	if at == nil {
		return false
	}
	l.first, l.last = l.start+at[0], l.start+at[1]
	return true
}
