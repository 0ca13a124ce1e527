package describe

import (
	"iter"
	"regexp"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// A syntax describes the comments and strings of a language.
type syntax struct {
	begins  string // the first characters of spans
	spans   []delimiter
	char    func() *regexp.Regexp // a character in quotes, or nil
	pattern func() *regexp.Regexp // a regular expression between slashes, or nil
}

// A delimiter begins and ends a comment or a string. If the end is missing, the
// span includes all the rest.
type delimiter struct {
	open, close string
	escapes     bool // a backslash hides the next character
	line        bool // it must end on its line
	nests       bool
}

var (
	python = syntax{
		begins: `#"'`,
		spans:  []delimiter{{open: "#", close: "\n"}, quoted(`"""`), quoted(`'''`), quotedLine(`"`), quotedLine("'")},
	}
	rust = syntax{
		begins: `/"'r`,
		spans: []delimiter{
			{open: "//", close: "\n"},
			{open: "/*", close: "*/", nests: true},
			quoted(`"`),
			{open: `r"`, close: `"`},
			{open: `r#"`, close: `"#`},
			{open: `r##"`, close: `"##`},
		},
		char: lazy.Regexp(`^'(?:\\[^\n][^'\n]{0,10}|[^\\'\n])'`), // a lifetime has one quote
	}
	script = syntax{
		begins:  "/\"'`",
		spans:   []delimiter{{open: "//", close: "\n"}, {open: "/*", close: "*/"}, quoted("`"), quotedLine(`"`), quotedLine("'")},
		pattern: lazy.Regexp(`^/(?:\\.|\[(?:\\.|[^\]\\\n])*\]?|[^/\\\[\n])*/?`),
	}
)

func quoted(quote string) delimiter { return delimiter{open: quote, close: quote, escapes: true} }

func quotedLine(quote string) delimiter {
	return delimiter{open: quote, close: quote, escapes: true, line: true}
}

// size returns the length of the span at the beginning of text, or 0.
func (s syntax) size(text string) int {
	for _, p := range s.spans {
		if strings.HasPrefix(text, p.open) {
			return p.size(text)
		}
	}
	if s.char != nil {
		return len(s.char().FindString(text[:min(len(text), 20)]))
	}
	return 0
}

func (p delimiter) size(text string) int {
	depth := 1
	for i := len(p.open); i < len(text); i++ {
		switch {
		case p.escapes && text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], p.close):
			if depth--; depth == 0 {
				return i + len(p.close)
			}
			i += len(p.close) - 1
		case p.nests && strings.HasPrefix(text[i:], p.open):
			depth++
			i += len(p.open) - 1
		case p.line && text[i] == '\n':
			return i
		}
	}
	return len(text)
}

// blank returns text with spaces instead of comments and strings, so that lines and
// offsets stay the same.
func (s syntax) blank(text string) string {
	code := []byte(text)
	for start, at := 0, 0; ; {
		next := strings.IndexAny(text[at:], s.begins)
		if next < 0 {
			return string(code)
		}
		at += next
		size := s.size(text[at:])
		if size == 0 && s.pattern != nil && text[at] == '/' && endsNoOperand(text[start:at]) {
			size = len(s.pattern().FindString(text[at:]))
		}
		if size == 0 {
			at++
			continue
		}
		for i := range size {
			if code[at+i] != '\n' {
				code[at+i] = ' '
			}
		}
		at += size
		start = at
	}
}

// endsNoOperand reports whether a slash after code cannot be a division, because
// there is nothing to divide.
func endsNoOperand(code string) bool {
	before := strings.TrimRight(code, " \t\n")
	return before != "" && strings.IndexByte("(,=:[!&|?{};+-*%~^<>", before[len(before)-1]) >= 0
}

// statements returns the parts of code that begin a line with a letter or an
// underscore, and where they begin. A part ends where the next part begins.
func statements(code string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		start, at := -1, 0
		for line := range strings.SplitAfterSeq(code, "\n") {
			if line != "" && (isASCIILetter(line[0]) || line[0] == '_') {
				if start >= 0 && !yield(start, code[start:at]) {
					return
				}
				start = at
			}
			at += len(line)
		}
		if start >= 0 {
			yield(start, code[start:])
		}
	}
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
