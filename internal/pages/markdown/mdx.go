package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/lazy"
)

// This file finds the code in MDX: imports and exports, expressions in braces, and JSX tags. For
// pages that compile, it follows the rules of MDX 3. An opening mark that is never closed is text.

// A Label is text inside a tag but visible to readers, such as a title.
type Label struct {
	Start int // offset in the page
	Text  []byte
}

// labels are the attributes whose values are labels. They count also as properties of
// objects inside attributes, because tables of parameters are often written like this.
var labels = []string{"title", "label", "name", "description", "summary", "caption", "tooltip", "alt", "text"}

// longestKey is the maximum number of bytes before a value to search for the name of its attribute.
const longestKey = 64

// A mask is a copy of a page of MDX with spaces instead of code, so offsets stay the same. If code
// forms a separate block, the mask contains a "<" there, unless no text comes before it.
type mask struct {
	page   []byte
	text   []byte
	code   []document.Range // in order
	labels []Label

	at       int  // everything before it is done
	isInside bool // the previous line belongs to a paragraph and the next line may continue it
	hasText  bool // a line wasn't masked completely
	stop     int  // the latest result of paragraphEnd
	spare    int  // how many more bytes can be read without finding an end
	depth    int  // of nested templates
}

// If a mark is never closed, the search for its end reads the rest of the page, for each such mark
// separately. These limits bound the time, since real pages contain few of them.
const (
	sparePerByte = 8
	deepestNest  = 32 // templates inside each other
)

// maskMDX masks the code in a page from an offset on.
func maskMDX(page []byte, start int) *mask {
	m := &mask{page: page, text: bytes.Clone(page), at: start, spare: sparePerByte * len(page)}
	var fence Fence
	isQuoted := false // the code block, or the line outside of code
	for m.at < len(page) {
		line := page[m.at:m.lineEnd()]
		body := afterMarkers(line)
		if isQuoted && !isQuotation(line) {
			fence = nil // code ends with the quotation around it
		}
		if !fence.IsOpen() {
			isQuoted = isQuotation(line)
		}
		switch {
		case fence.Read(body):
			m.isInside, m.hasText = false, true
			m.at += len(line)
		case !m.isInside && moduleCode().Match(line):
			at := m.at
			if m.blankTo(m.moduleEnd()); m.hasText {
				m.text[at] = '<'
			}
		default:
			from := m.at
			m.line(m.at + len(line) - len(body))
			m.isInside = !endsParagraph(m.text[from:m.at])
			m.hasText = m.hasText || !isBlank(m.text[from:m.at])
		}
	}
	return m
}

func isQuotation(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte(">")) }

// endsParagraph reports whether a line of masked text is blank, a heading, a break, or
// contains only tags.
func endsParagraph(line []byte) bool {
	text := afterMarkers(line)
	return len(bytes.Trim(text, "< \t\r\n")) == 0 || strings.IndexByte("#=|", text[0]) >= 0
}

// moduleCode matches the beginning of an import or export.
var moduleCode = lazy.Regexp(`^(?:import|export)[ \t]*(?:[ \t{*"'])`)

// line masks the code of a line and of the lines on which the code continues. flow is where the
// text of the line begins: only code starting there may contain blank lines.
func (m *mask) line(flow int) {
	isMarked := !isBlank(m.page[m.at:flow]) // as a list item or a quotation
	for end := m.lineEnd(); m.at < end; {
		next := bytes.IndexAny(m.page[m.at:end], "`\\{<")
		if next < 0 {
			m.at = end
			return
		}
		m.at += next
		switch at := m.at; m.page[at] {
		case '\\':
			m.at = min(at+2, end)
		case '`':
			m.at = max(m.try(m.paragraphEnd(), (*mask).spanEnd), at+runOf(m.page[at:end]))
		default:
			if isFlow := isBlank(m.page[flow:at]); m.maskCode(isFlow, isMarked) && isFlow {
				flow = m.at
			}
		}
		if m.at > end {
			end = m.lineEnd()
		}
	}
}

// maskCode masks the expression or tag at m.at. If it doesn't end, its first byte is text.
func (m *mask) maskCode(isFlow, isMarked bool) (isCode bool) {
	limit, find := len(m.page), (*mask).codeEnd
	if !isFlow {
		limit = m.paragraphEnd()
	}
	if m.page[m.at] == '<' {
		find = (*mask).tagEnd
	}
	at, found := m.at, len(m.labels)
	end := m.try(limit, find)
	if end < 0 {
		m.at++
		return false
	}
	m.blankTo(end)
	code := m.page[at:end]
	if isFlow && (m.hasText || isMarked || len(m.labels) > found || isTag(code)) {
		m.text[at] = '<'
	}
	if m.goesOn(end) && (isFlow || bytes.IndexByte(code, '\n') >= 0) {
		m.standIn(end)
	}
	return true
}

func (m *mask) goesOn(at int) bool {
	for at < len(m.page) && (m.page[at] == ' ' || m.page[at] == '\t' || m.page[at] == '\r') {
		at++
	}
	return at < len(m.page) && m.page[at] != '\n'
}

// standIn puts a mark before text after code on the same line. Otherwise, the text would begin the
// line and could be read as a heading or a list item. A "<" followed by a space doesn't begin a
// tag.
func (m *mask) standIn(end int) {
	if m.text[end-2] == ' ' || m.text[end-2] == '<' {
		m.text[end-2] = '<'
	} else {
		m.text[end-1] = '}'
	}
}

// isTag reports whether code is a tag rather than an expression or a comment.
func isTag(code []byte) bool { return code[0] == '<' && code[1] != '!' }

func (m *mask) blankTo(end int) {
	m.code = appendRange(m.code, m.at, end)
	blank(m.text[m.at:end])
	m.at = end
}

// try returns where the code at m.at ends, or -1 if it doesn't end before limit.
func (m *mask) try(limit int, find func(m *mask, at, limit int) int) int {
	if m.spare < 0 {
		return -1
	}
	found := len(m.labels)
	end := find(m, m.at, limit)
	if end < 0 {
		m.labels = m.labels[:found]
		m.spare -= limit - m.at
	}
	return end
}

func (m *mask) lineEnd() int { return lineEnd(m.page, m.at) }

// paragraphEnd returns where the first blank line or code block after m.at begins.
func (m *mask) paragraphEnd() int {
	if m.at < m.stop {
		return m.stop
	}
	m.stop = paragraphEnd(m.page, m.at)
	return m.stop
}

// moduleEnd returns where imports and exports end: before the first blank line outside of brackets,
// or inside brackets without an end. They contain no labels.
func (m *mask) moduleEnd() int {
	found := len(m.labels)
	defer func() { m.labels = m.labels[:found] }()
	blank, depth, at := len(m.page), 0, m.at // blank is the first blank line
	for 0 <= at && at < len(m.page) {
		switch m.page[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '\n':
			if !isBlank(m.page[at+1 : lineEnd(m.page, at+1)]) {
				break
			}
			if blank = min(blank, at+1); depth <= 0 || m.spare < 0 {
				return at + 1
			}
		}
		at = m.next(at, len(m.page))
	}
	if at >= 0 && depth <= 0 {
		return len(m.page)
	}
	m.spare -= len(m.page) - m.at
	return blank
}

func (m *mask) spanEnd(at, limit int) int {
	if size := codeSpanSize(m.page[at:limit]); size > 0 {
		return at + size
	}
	return -1
}

// codeEnd returns where the expression in braces at an offset ends.
func (m *mask) codeEnd(at, limit int) int {
	depth := 0
	for at < limit {
		switch m.page[at] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
		if at = m.next(at, limit); at < 0 {
			break
		}
	}
	return -1
}

// next returns the offset after the string, template, comment or other byte of code at an
// offset, or -1 if it doesn't end before limit. If the string is a label, next keeps it.
func (m *mask) next(at, limit int) (end int) {
	switch rest := m.page[at:limit]; {
	case rest[0] == '\\':
		return at + 2
	case rest[0] == '\'' && isLetter(m.page[at-1]):
		return at + 1 // an apostrophe in the text between tags
	case rest[0] == '"' || rest[0] == '\'':
		if end = m.stringEnd(at, limit); end < 0 {
			return at + 1
		}
	case rest[0] == '`':
		if end = m.templateEnd(at, limit); end < 0 {
			return -1
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		size := bytes.Index(rest[2:], []byte("*/"))
		if size < 0 {
			return -1
		}
		return at + size + len("/**/")
	case bytes.HasPrefix(rest, []byte("//")):
		if size := bytes.IndexByte(rest, '\n'); size >= 0 {
			return at + size
		}
		return limit
	default:
		return at + 1
	}
	m.takeLabel(at, end)
	return end
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// stringEnd returns where the quoted string at an offset ends. It must end on the same
// line.
func (m *mask) stringEnd(at, limit int) int {
	for i := at + 1; i < limit && m.page[i] != '\n'; i++ {
		switch m.page[i] {
		case '\\':
			i++
		case m.page[at]:
			return i + 1
		}
	}
	return -1
}

// templateEnd returns where the template literal at an offset ends.
func (m *mask) templateEnd(at, limit int) int {
	if m.depth == deepestNest {
		return -1
	}
	m.depth++
	defer func() { m.depth-- }()
	for i := at + 1; i < limit; i++ {
		switch b := m.page[i]; {
		case b == '\\':
			i++
		case b == '`':
			return i + 1
		case b == '{' && m.page[i-1] == '$':
			end := m.codeEnd(i, limit)
			if end < 0 {
				return -1
			}
			i = end - 1
		}
	}
	return -1
}

// tagEnd returns where the tag or HTML comment at an offset ends.
func (m *mask) tagEnd(at, limit int) int {
	if bytes.HasPrefix(m.page[at:limit], []byte("<!--")) {
		size := bytes.Index(m.page[at:limit], []byte("-->"))
		if size < 0 {
			return -1
		}
		return at + size + len("-->")
	}
	name := tagName().FindSubmatch(m.page[at:min(limit, at+longestName)])
	if name == nil {
		return -1
	}
	for i := at + len(name[1]) + len(name[2]); i < limit; {
		switch b := m.page[i]; {
		case b == '>':
			return m.elementEnd(at, i+1, limit)
		case b == '{':
			if i = m.codeEnd(i, limit); i < 0 {
				return -1
			}
		case b == '"' || b == '\'':
			size := bytes.IndexByte(m.page[i+1:limit], b)
			if size < 0 {
				return -1
			}
			m.takeLabel(i, i+size+2)
			i += size + 2
		case canBeInTag(b):
			i++
		default:
			return -1
		}
	}
	return -1
}

// elementEnd returns where the tag between two offsets ends, or where its element ends if browsers
// don't show the content.
func (m *mask) elementEnd(at, end, limit int) int {
	element := hiddenElement(m.page[at:end])
	if element < 0 || m.spare < 0 {
		return end
	}
	size := hiddenSize(m.page[end:limit], hidden[element])
	if size < 0 {
		m.spare -= limit - end
		return end
	}
	return end + size
}

// tagName matches the beginning of a tag up to the end of its name. Fragments have no name.
var tagName = lazy.Regexp(`^(?:(</?[A-Za-z_$][\w$.-]*(?::[\w$-]+)?)[>/{ \t\r\n]|(</?)>)`)

// longestName is the most bytes of a tag's name, including the bracket before it.
const longestName = 256

// canBeInTag reports whether a byte may stand between the strings and expressions of a tag.
func canBeInTag(b byte) bool {
	return isLetter(b) || isDigit(b) || strings.IndexByte("_$:-=/ \t\r\n", b) >= 0
}

// takeLabel keeps the quoted string between two offsets if it is a label.
func (m *mask) takeLabel(start, end int) {
	const space = " \t\r\n"
	before := bytes.TrimRight(m.page[max(0, start-longestKey):start], space)
	before = bytes.TrimRight(bytes.TrimSuffix(before, []byte("{")), space)
	if last := len(before) - 1; last < 0 || before[last] != '=' && before[last] != ':' {
		return
	}
	key := bytes.TrimRight(bytes.TrimRight(before[:len(before)-1], space), `"'`)
	name := key[bytes.LastIndexFunc(key, isNoName)+1:]
	if slices.Contains(labels, string(name)) {
		m.labels = append(m.labels, Label{start + 1, m.page[start+1 : end-1]})
	}
}

// isNoName reports whether a character cannot be part of an attribute's name.
func isNoName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_$-", r)
}

// headingText returns the text of a line of a heading without its code. named is the explicit
// anchor at its end, as in {#setup} or {/* #setup */}.
func (m *mask) headingText(start, end int) (text []byte, named string) {
	if found := anchorName().FindSubmatch(m.page[start:lineEnd(m.page, start)]); found != nil {
		named = string(slices.Concat(found[1], found[2]))
	}
	first, _ := slices.BinarySearchFunc(m.code, start+1, func(c document.Range, end int) int { return cmp.Compare(c.End, end) })
	for _, c := range m.code[first:] {
		if c.Start >= end {
			break
		}
		text = append(text, m.page[start:max(start, c.Start)]...)
		start = min(c.End, end)
	}
	return append(text, m.page[start:end]...), named
}

var anchorName = lazy.Regexp(`\{(?:#([\w.:-]+)|/\*[ \t]*#([\w.:-]+)[ \t]*\*/)\}\s*$`)
