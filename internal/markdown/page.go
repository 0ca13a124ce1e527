// Package markdown finds the parts of a Markdown file, or of one of MDX: its front
// matter, its headings and its blocks. It is pure.
//
// Documents and sections are made from its results, so a change of these is a change
// of the format (docs/format.md).
package markdown

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
