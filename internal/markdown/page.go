// Package markdown finds the parts of a Markdown file, or of one of MDX: its front
// matter, its headings and its blocks. It is pure.
//
// Documents and sections are made from its results, so a change of these is a change
// of the format (docs/format.md).
package markdown

import (
	"bytes"
	"errors"
)

// A Page is a Markdown file, cut into its parts.
type Page struct {
	FrontMatter []byte // YAML with its opening fence; nil if there is none
	Err         error  // about the fences of the front matter
	Body
}

// A Body is the text of a page, cut into blocks.
type Body struct {
	Text   []byte  // of the whole page; in MDX with spaces for what is code
	Blocks []Block // in order, at least one; all text after the front matter
	Labels []Label // of tags in MDX, in order
	IsMDX  bool
}

// byteOrderMark hides a fence or a heading behind it from the parser.
var byteOrderMark = []byte("\ufeff")

// Parse cuts a page into its parts. Front matter without an end is text. Parse panics
// only if the parser has a bug.
func Parse(content []byte) Page {
	yaml, end, err := SplitFrontMatter(content)
	return Page{yaml, err, Body{Text: content, Blocks: blocksOf(newCutter(content[end:]), end)}}
}

// ParseMDX is [Parse] for MDX: imports, exports, expressions in braces and JSX tags are
// code, and text may be indented without being code.
func ParseMDX(content []byte) Page {
	yaml, end, err := SplitFrontMatter(content)
	m := maskMDX(content, end)
	c := newCutter(m.text[end:])
	c.openers, c.mask, c.start = &openersMDX, m, end
	return Page{yaml, err, Body{m.text, blocksOf(c, end), m.labels, true}}
}

// SplitFrontMatter returns the YAML at the start of a page, and where the line of its
// closing fence ends. The YAML begins with the opening fence, which is YAML's own mark of a
// beginning: so line numbers in its errors are line numbers of the file. Without an
// opening fence, yaml is nil, and end is 0 or behind a byte order mark.
//
// The opening fence is a line of three hyphens, the closing fence a line of three
// hyphens or three dots; spaces may follow. A lone CR does not end a line, here and in
// the Markdown parser.
func SplitFrontMatter(content []byte) (yaml []byte, end int, err error) {
	body := bytes.TrimPrefix(content, byteOrderMark)
	start := len(content) - len(body)
	first, rest := cutLine(body)
	if !isFence(first, "---") {
		return nil, start, nil
	}
	for at := rest; len(at) > 0; {
		line, next := cutLine(at)
		if isFence(line, "---") || isFence(line, "...") {
			return body[:len(body)-len(at)], len(content) - len(next), nil
		}
		at = next
	}
	return nil, start, errors.New("the line of three hyphens that ends it is missing")
}

// cutLine returns the first line of s without its line feed, and the rest.
func cutLine(s []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(s, []byte("\n"))
	return line, rest
}

func isFence(line []byte, fence string) bool {
	return string(bytes.TrimRight(line, " \t\r")) == fence
}
