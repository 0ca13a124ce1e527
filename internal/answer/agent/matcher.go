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
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/words"
)

// A lineMatcher finds lines that contain a literal text or match an expression. It is safe for
// concurrent use.
type lineMatcher struct {
	literal []byte         // for a literal text; otherwise nil
	folded  *foldedText    // for a literal text in any case; otherwise nil
	regexp  *regexp.Regexp // for an expression; otherwise nil
	hints   []foldedText   // every matching page contains at least one of these; nil if unknown
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
	case !request.IsRegexp && !request.IgnoreCase:
		return lineMatcher{literal: []byte(pattern)}, nil
	case !request.IsRegexp:
		folded := foldText([]rune(pattern))
		return lineMatcher{folded: &folded}, nil
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
	m.hints = hintsOf(parsed)
	m.regexp, err = regexp.Compile(parsed.String())
	return m, err
}

// hintsOf returns texts for a quick check: every match of an expression contains at least one of
// them, in upper or lower case. It returns nil if it doesn't know such texts.
func hintsOf(re *syntax.Regexp) (best []foldedText) {
	switch re.Op {
	case syntax.OpLiteral:
		return []foldedText{foldText(re.Rune)}
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

func shortest(hints []foldedText) int {
	if hints == nil {
		return 0
	}
	return len(slices.MinFunc(hints, func(a, b foldedText) int { return cmp.Compare(len(a.runes), len(b.runes)) }).runes)
}

// mayMatch reports whether the hints allow a match in a page. If ctx ends early, it returns true.
func (m lineMatcher) mayMatch(ctx context.Context, content []byte) bool {
	return m.hints == nil || slices.ContainsFunc(m.hints, func(hint foldedText) bool {
		start, _ := hint.find(content)
		return start >= 0 || ctx.Err() != nil
	})
}

// next returns where the first match of a literal text in content begins and ends. For an
// expression, it returns an offset before the end of the next line that may match. Without a
// match, both results are -1.
func (m lineMatcher) next(content []byte) (first, last int) {
	switch {
	case m.literal != nil:
		first = bytes.Index(content, m.literal)
		return first, first + len(m.literal)
	case m.folded != nil:
		return m.folded.find(content)
	case len(m.hints) == 1:
		return m.hints[0].find(content)
	}
	return 0, 0
}

// A lineMatch is a matching line. Its offsets are relative to the page.
type lineMatch struct {
	start, end  int // of the line, without its line end
	first, last int // of the first match
}

// lines yields the matching lines of a page in order, until ctx ends. Lines end with LF or CRLF.
func (m lineMatcher) lines(ctx context.Context, content []byte) iter.Seq[lineMatch] {
	return func(yield func(lineMatch) bool) {
		if !m.mayMatch(ctx, content) {
			return
		}
		for from := 0; from < len(content) && ctx.Err() == nil; {
			first, last := m.next(content[from:])
			if first < 0 {
				return
			}
			first, last = from+first, from+last
			start, next := from+1+bytes.LastIndexByte(content[from:first], '\n'), lineEnd(content, first)
			line := lineMatch{start, start + len(bytes.TrimSuffix(content[start:next], []byte("\r"))), first, last}
			from = next + 1
			if (m.regexp == nil || line.find(ctx, m.regexp, content)) && !yield(line) {
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

// find finds the first match of an expression in the line, unless ctx ends earlier.
func (l *lineMatch) find(ctx context.Context, re *regexp.Regexp, content []byte) (isFound bool) {
	text := content[l.start:l.end]
	var at []int
	if len(text) <= longLine {
		at = re.FindIndex(text)
	} else {
		at = re.FindReaderIndex(&untilEnd{ctx: ctx, text: text})
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
	ctx  context.Context
	text []byte
	at   int // offset of the next rune
	next int // offset at which to check the context again
}

// ReadRune implements [io.RuneReader].
func (u *untilEnd) ReadRune() (r rune, size int, err error) {
	const often = 1 << 10
	if u.at >= u.next {
		u.next = u.at + often
		if u.ctx.Err() != nil {
			u.text = nil
		}
	}
	if u.at >= len(u.text) {
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRune(u.text[u.at:])
	u.at += size
	return r, size, nil
}
