// Package markdown finds the parts of a Markdown file: its front matter, its
// headings and its blocks. It is pure.
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
	FrontMatter []byte  // YAML with its opening fence; nil if there is none
	Err         error   // about the fences of the front matter
	Blocks      []Block // in order, at least one; all text after the front matter
}

// byteOrderMark hides a fence or a heading behind it from the parser.
var byteOrderMark = []byte("\ufeff")

// Parse cuts a page into its parts. Front matter without an end is text. Parse panics
// only if the parser has a bug.
func Parse(content []byte) Page {
	start := 0
	if bytes.HasPrefix(content, byteOrderMark) {
		start = len(byteOrderMark)
	}
	yaml, size, err := splitFrontMatter(content[start:])
	return Page{yaml, err, blocksOf(content, start+size)}
}

// splitFrontMatter returns the YAML at the start of body, and its size with the
// closing fence. The YAML begins with the opening fence, which is YAML's own mark of a
// beginning: so line numbers in its errors are line numbers of the file. Without an
// opening fence, yaml is nil and size 0.
//
// The opening fence is a line of three hyphens, the closing fence a line of three
// hyphens or three dots; spaces may follow. A lone CR does not end a line, here and in
// the Markdown parser.
func splitFrontMatter(body []byte) (yaml []byte, size int, err error) {
	first, rest := cutLine(body)
	if !isFence(first, "---") {
		return nil, 0, nil
	}
	for at := rest; len(at) > 0; {
		line, next := cutLine(at)
		if isFence(line, "---") || isFence(line, "...") {
			return body[:len(body)-len(at)], len(body) - len(next), nil
		}
		at = next
	}
	return nil, 0, errors.New("the line of three hyphens that ends it is missing")
}

// cutLine returns the first line of s without its line feed, and the rest.
func cutLine(s []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(s, []byte("\n"))
	return line, rest
}

func isFence(line []byte, fence string) bool {
	return string(bytes.TrimRight(line, " \t\r")) == fence
}
