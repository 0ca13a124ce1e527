package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/words"
)

// A lineMatcher finds the lines that match an expression. It is safe for concurrent use.
type lineMatcher struct {
	regexp    *regexp.Regexp
	hints     [][]byte // folded unless isLiteral; every matching line contains at least one of these; nil if unknown
	isLiteral bool     // whether each line with the only hint matches
}

// Bounds on patterns, so searching a line never takes long.
const (
	longestPattern   = 1000 // bytes
	mostInstructions = 2000 // of a compiled expression
)

func matcherOf(request GrepRequest) (m lineMatcher, err error) {
	pattern := request.Pattern
	switch {
	case pattern == "":
		return m, argumentErrorf("the pattern is empty: give a text to search for")
	case len(pattern) > longestPattern:
		return m, argumentErrorf("the pattern takes %d bytes: expected at most %d", len(pattern), longestPattern)
	case !utf8.ValidString(pattern):
		return m, argumentErrorf("the pattern is not UTF-8")
	case strings.ContainsAny(pattern, "\r\n"):
		return m, argumentErrorf("the pattern contains a line break: search for text within a line")
	}
	if !request.IsRegexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	flags := syntax.Perl
	if request.IgnoreCase {
		flags |= syntax.FoldCase
	}
	parsed, err := syntax.Parse(pattern, flags)
	if wrong, ok := errors.AsType[*syntax.Error](err); ok {
		return m, argumentErrorf("the pattern is not a regular expression (RE2): %s: `%s`. Search for it as literal text instead, or put \\ before characters that must match literally",
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
	if m.isLiteral = !request.IsRegexp && !request.IgnoreCase; m.isLiteral {
		m.hints = [][]byte{[]byte(request.Pattern)}
	} else {
		m.hints = hintsOf(parsed)
	}
	m.regexp, err = regexp.Compile(parsed.String())
	return m, err
}

// hintsOf returns folded texts for a quick check: every match of an expression contains at least
// one of them. It returns nil if it doesn't know such texts.
func hintsOf(re *syntax.Regexp) (best [][]byte) {
	switch re.Op {
	case syntax.OpLiteral:
		return [][]byte{foldCase([]byte(string(re.Rune)))}
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

// foldCase replaces each letter by the lowest of its cases, as (?i) in an expression compares them.
func foldCase(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return asciiFolds[r]
		}
		return lowestCase(r)
	}, text)
}

func lowestCase(r rune) rune {
	lowest := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		lowest = min(lowest, other)
	}
	return lowest
}

var asciiFolds = func() (folds [utf8.RuneSelf]rune) {
	for r := range rune(utf8.RuneSelf) {
		folds[r] = lowestCase(r)
	}
	return folds
}()

// mayMatch reports whether the hints allow a match in a text.
func (m lineMatcher) mayMatch(text []byte) bool {
	return m.hints == nil || slices.ContainsFunc(m.hints, func(hint []byte) bool { return bytes.Contains(text, hint) })
}

// A lineMatch is a matching line. Its offsets are relative to the page.
type lineMatch struct {
	start, end  int // of the line, without its line end
	first, last int // of the first match
}

// lines yields the matching lines of a page in order, until ctx ends. Lines end with LF or CRLF.
func (m lineMatcher) lines(ctx context.Context, content []byte) iter.Seq[lineMatch] {
	return func(yield func(lineMatch) bool) {
		text := content // for the hints, with the same lines
		if m.hints != nil && !m.isLiteral {
			text = foldCase(content)
		}
		if !m.mayMatch(text) {
			return
		}
		for start := 0; start < len(content) && ctx.Err() == nil; {
			end, textEnd := lineEnd(content, start), lineEnd(text, 0)
			line := lineMatch{start: start, end: start + len(bytes.TrimSuffix(content[start:end], []byte("\r")))}
			mayMatch := m.mayMatch(text[:textEnd])
			start, text = end+1, text[min(textEnd+1, len(text)):]
			if mayMatch && line.find(ctx, m, content) && !yield(line) {
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

// longLine is the size in bytes above which the search of a line checks the context.
const longLine = 4 << 10

// find finds the first match in the line, unless ctx ends earlier.
func (l *lineMatch) find(ctx context.Context, m lineMatcher, content []byte) (isFound bool) {
	text := content[l.start:l.end]
	var at []int
	switch {
	case m.isLiteral:
		first := bytes.Index(text, m.hints[0])
		at = []int{first, first + len(m.hints[0])}
	case len(text) <= longLine:
		at = m.regexp.FindIndex(text)
	default:
		at = m.regexp.FindReaderIndex(&untilEnd{ctx, bytes.NewReader(text)})
	}
	if at == nil || ctx.Err() != nil { // if ctx has ended, the reader may have stopped early
		return false
	}
	l.first, l.last = l.start+at[0], l.start+at[1]
	return true
}

// An untilEnd reads the runes of a text until its context ends. Package regexp cannot be
// interrupted, and may need microseconds per rune, so this is how the search of a long line can
// end early.
type untilEnd struct {
	ctx context.Context
	*bytes.Reader
}

// ReadRune implements [io.RuneReader].
func (u *untilEnd) ReadRune() (r rune, size int, err error) {
	const often = 1 << 10
	if u.Len()%often < utf8.UTFMax && u.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	return u.Reader.ReadRune()
}
