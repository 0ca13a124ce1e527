package convert

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// An inliner writes the text of a paragraph. It folds white space, moves marks from spaces to
// words, and escapes text that could be read as Markdown.
type inliner struct {
	text  []byte
	space bool         // before the next word
	marks []inlineMark // open ones, outermost first
	plain int          // elements that admit no marks, such as headings
}

// An inlineMark is Markdown around words, such as ** or a link.
type inlineMark struct {
	open, close string
	written     bool // open is in text
}

func (w *inliner) isEmpty() bool { return len(w.text) == 0 }

// word writes pending spaces and marks before a word.
func (w *inliner) word() {
	if w.space && len(w.text) > 0 && w.text[len(w.text)-1] != '\n' {
		w.text = append(w.text, ' ')
	}
	w.space = false
	for i := range w.marks {
		if m := &w.marks[i]; !m.written {
			if m.open == "[" && len(w.text) > 0 && w.text[len(w.text)-1] == '!' {
				w.text = append(w.text[:len(w.text)-1], `\!`...)
			}
			w.text = append(w.text, m.open...)
			m.written = true
		}
	}
}

// open begins a mark at the next word.
func (w *inliner) open(open, end string) {
	w.marks = append(w.marks, inlineMark{open: open, close: end})
}

// close ends the last mark after the last word.
func (w *inliner) close() {
	m := w.marks[len(w.marks)-1]
	w.marks = w.marks[:len(w.marks)-1]
	if m.written {
		w.text = append(w.text, m.close...)
	}
}

// wrap writes text between marks.
func (w *inliner) wrap(open, text, end string) {
	w.open(open, end)
	w.write(text)
	w.close()
}

func (w *inliner) hasMark(open string) bool {
	for _, m := range w.marks {
		if m.open == open {
			return true
		}
	}
	return false
}

// take returns the text so far. It closes all open marks, which open again in the next text.
func (w *inliner) take() []byte {
	for i := len(w.marks) - 1; i >= 0; i-- {
		if m := &w.marks[i]; m.written {
			w.text = append(w.text, m.close...)
			m.written = false
		}
	}
	text := w.text
	w.text, w.space = nil, false
	return trimRight(text)
}

func trimRight(text []byte) []byte {
	for len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == ' ') {
		text = text[:len(text)-1]
	}
	return text
}

// raw writes Markdown.
func (w *inliner) raw(markdown string) {
	if markdown != "" {
		w.word()
		w.text = append(w.text, markdown...)
	}
}

// write writes text, which is escaped.
func (w *inliner) write(text string) {
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return isBlank(r) || isInvisible(r) })
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			w.word()
			w.text = appendEscaped(w.text, text[:end])
			text = text[end:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		w.space = w.space || isBlank(r)
		text = text[size:]
	}
}

// isBlank reports whether a character is white space or a control character.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r < ' ' || r == 0x7f }

// isInvisible reports whether a character takes no space. Soft hyphens, for example, would
// keep a search from finding a word.
func isInvisible(r rune) bool { return r == 0xAD || r == 0x200B || r == 0x2060 || r == 0xFEFF }

// appendEscaped appends a word, and escapes the characters that would be Markdown there. For
// example, the underscores of snake_case need no escape.
func appendEscaped(text []byte, word string) []byte {
	for i := range len(word) {
		c := word[i]
		next := byte(0)
		if i+1 < len(word) {
			next = word[i+1]
		}
		var last byte
		if len(text) > 0 {
			last = text[len(text)-1]
		}
		if needsEscape(last, c, next) || c == '&' && isEntity(word[i+1:]) {
			text = append(text, '\\')
		}
		text = append(text, c)
	}
	return text
}

func needsEscape(last, c, next byte) bool {
	switch c {
	case '\\':
		return next == 0 || isPunctuation(next)
	case '`', '*':
		return true
	case '_':
		return !isWordByte(last) || !isWordByte(next)
	case '<':
		return isLetter(next) || next == '/' || next == '!' || next == '?' || next == 0
	case '(', '[', ':':
		return last == ']'
	}
	return false
}

func isPunctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

func isWordByte(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

// isEntity reports whether "&" and a text are read as a character.
func isEntity(text string) bool {
	n := 0
	for n < len(text) && n < 32 && (isLetter(text[n]) || '0' <= text[n] && text[n] <= '9' || text[n] == '#') {
		n++
	}
	return n > 0 && n < len(text) && text[n] == ';'
}

func (w *inliner) code(text string) { w.raw(codeOf(text)) }

func dropInvisible(r rune) rune {
	if isInvisible(r) {
		return -1
	}
	return r
}

// codeSpan returns a text as a code span. Its fence must be longer than any run of backticks in it.
func codeSpan(text string) string {
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if text[0] == '`' || text[len(text)-1] == '`' {
		text = " " + text + " "
	}
	return fence + text + fence
}

func longestRun(text string, c byte) (longest int) {
	run := 0
	for i := range len(text) {
		if text[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// blockStart matches a line that would start a block, a rule, or the header of a table. It captures
// the number before the character to escape.
var blockStart = lazy.Regexp(`^(?:(?:[>=]|~~~|#{1,6}(?: |$)|[-+](?: |$)|[-|:][-|: ]*$)|([0-9]{1,10})[.)](?: |$))`)

// escapeLine escapes the beginning of a line if it would start a block.
func escapeLine(line string) string {
	if line == "" || strings.IndexByte(">=~#-+|:0123456789", line[0]) < 0 {
		return line
	}
	found := blockStart().FindStringSubmatch(line)
	if found == nil {
		return line
	}
	number := found[1]
	return number + `\` + line[len(number):]
}
