package describe

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// A syntax describes the comments and strings of a language.
type syntax struct {
	comment string   // begins a comment that ends with its line
	blocks  bool     // whether there are comments between /* and */
	nested  bool     // whether these nest
	lines   []string // quotes of strings that end with their line
	texts   []string // quotes of strings that may have many lines
	rust    bool     // whether there are raw strings and 'lifetimes
	regexps bool     // whether a slash may begin a regular expression
}

// blank returns text with spaces in the place of comments and strings. Lines and
// offsets stay.
func (s syntax) blank(text string) string {
	code := []byte(text)
	before := byte('\n') // the last byte of code that is not white space
	for at := 0; at < len(text); {
		end := s.end(text, at, before)
		if end == at {
			if c := text[at]; c != ' ' && c != '\t' && c != '\n' {
				before = c
			}
			at++
			continue
		}
		for ; at < end; at++ {
			if code[at] != '\n' {
				code[at] = ' '
			}
		}
	}
	return string(code)
}

// statements returns the parts of code that begin a line with a letter or an
// underscore, and where they begin. The next one ends a part.
func statements(code string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for start := nextStatement(code, 0); start < len(code); {
			end := nextStatement(code, start+1)
			if !yield(start, code[start:end]) {
				return
			}
			start = end
		}
	}
}

func nextStatement(code string, from int) int {
	for at := from; at < len(code); at++ {
		if at > 0 && code[at-1] != '\n' {
			end := lineEnd(code[at:])
			at += end
			continue
		}
		if isASCIILetter(code[at]) || code[at] == '_' {
			return at
		}
	}
	return len(code)
}

// end returns where the comment or string ends that begins at an offset, which it
// returns if none begins there. before is the last byte of code before it.
func (s syntax) end(text string, at int, before byte) int {
	rest := text[at:]
	switch c := rest[0]; {
	case c|0x20 >= 'a' && c|0x20 <= 'z' && !(s.rust && c == 'r'), c == ' ', c == '\n':
		return at // most bytes
	case strings.HasPrefix(rest, s.comment):
		return at + lineEnd(rest)
	case s.blocks && strings.HasPrefix(rest, "/*"):
		return at + s.blockEnd(rest)
	case s.regexps && c == '/' && strings.IndexByte("(,=:[!&|?{};+-*%~^<>\n", before) >= 0:
		return at + regexpEnd(rest)
	case s.rust && c == 'r':
		return at + rawEnd(rest)
	case s.rust && c == '\'':
		return at + charEnd(rest)
	}
	for _, quote := range s.texts {
		if body, ok := strings.CutPrefix(rest, quote); ok {
			return at + len(quote) + stringEnd(body, quote, false)
		}
	}
	for _, quote := range s.lines {
		if body, ok := strings.CutPrefix(rest, quote); ok {
			return at + len(quote) + stringEnd(body, quote, true)
		}
	}
	return at
}

func lineEnd(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// blockEnd returns the length of the comment that text begins with.
func (s syntax) blockEnd(text string) int {
	depth := 0
	for at := 0; at+1 < len(text); at++ {
		switch {
		case text[at] == '/' && text[at+1] == '*' && (depth == 0 || s.nested):
			depth++
			at++
		case text[at] == '*' && text[at+1] == '/':
			if depth--; depth == 0 {
				return at + 2
			}
			at++
		}
	}
	return len(text)
}

// stringEnd returns where the string ends that body is in, behind its quote. A
// string that does not end takes the rest of its line, or of all lines.
func stringEnd(body, quote string, ofLine bool) int {
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] == '\\':
			i++
		case strings.HasPrefix(body[i:], quote):
			return i + len(quote)
		case ofLine && body[i] == '\n':
			return i
		}
	}
	return len(body)
}

// regexpEnd returns the length of a regular expression. One that does not end
// takes the rest of its line.
func regexpEnd(text string) int {
	class := false
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	return lineEnd(text)
}

// rawEnd returns the length of a raw string, r#"..."#, or 0 if there is none.
func rawEnd(text string) int {
	hashes := len(text) - len(strings.TrimLeft(text[1:], "#")) - 1
	if !strings.HasPrefix(text[1+hashes:], `"`) {
		return 0
	}
	body := text[2+hashes:]
	closing := `"` + text[1:1+hashes]
	if end := strings.Index(body, closing); end >= 0 {
		return len(text) - len(body) + end + len(closing)
	}
	return len(text)
}

// charEnd returns the length of a character in quotes, or 0 if text begins with a
// lifetime.
func charEnd(text string) int {
	if strings.HasPrefix(text, `'\`) {
		return 1 + stringEnd(text[1:], "'", true)
	}
	_, size := utf8.DecodeRuneInString(text[1:])
	if strings.HasPrefix(text[1+size:], "'") {
		return size + 2
	}
	return 0
}
