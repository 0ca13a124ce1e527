// Package markdown reads Markdown and MDX for all other packages: front matter, headings,
// blocks, text without markup, sentences, tables and code. It is pure.
//
// Documents and sections are made from its results, so changing them changes the format
// (docs/format.md).
package markdown

// A Page is a Markdown file split into its parts.
type Page struct {
	FrontMatter []byte // as [SplitFrontMatter] returns it; nil without front matter
	Err         error  // about the lines around the front matter, which is ignored then
	Body
}

// A Body is the text of a page, cut into blocks.
type Body struct {
	Text   []byte  // of the whole page; in MDX, spaces replace code
	Blocks []Block // in order, never empty; together they cover all text after the front matter
	Labels []Label // of tags in MDX, in order
	IsMDX  bool
}

// Parse splits a page into its parts. It panics only if the parser contains a bug.
func Parse(content []byte) Page {
	fields, end, err := SplitFrontMatter(content)
	return Page{fields, err, Body{Text: content, Blocks: blocksOf(newCutter(content[end:]), end)}}
}

// ParseMDX is like [Parse] for MDX: imports, exports, expressions in braces and JSX tags
// are code, and indented text isn't.
func ParseMDX(content []byte) Page {
	fields, end, err := SplitFrontMatter(content)
	m := maskMDX(content, end)
	c := newCutter(m.text[end:])
	c.openers, c.mask, c.start = &openersMDX, m, end
	return Page{fields, err, Body{m.text, blocksOf(c, end), m.labels, true}}
}
