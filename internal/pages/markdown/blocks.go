package markdown

import (
	"bytes"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blockParsers read the blocks of CommonMark in order of precedence. Inline markup is
// parsed only in headings (see titles), because nothing else needs it and goldmark takes
// quadratic time for some of it. An extension could change titles, which are stored, so
// adding one changes the format.
var blockParsers = []parser.BlockParser{
	parser.NewSetextHeadingParser(),
	parser.NewThematicBreakParser(),
	shallow{parser.NewListParser()},
	parser.NewListItemParser(),
	parser.NewATXHeadingParser(),
	parser.NewFencedCodeBlockParser(),
	shallow{parser.NewBlockquoteParser()},
	parser.NewHTMLBlockParser(),
	parser.NewCodeBlockParser(),
	parser.NewParagraphParser(),
}

// openers are block parsers by the first character of their blocks.
type openers [256][]parser.BlockParser

// MDX supports neither HTML blocks nor indented code.
var (
	openersMarkdown = openersOf(blockParsers...)
	openersMDX      = openersOf(append(slices.Clip(blockParsers[:len(blockParsers)-3]), tagParser{}, parser.NewParagraphParser())...)
)

// tagParser reads lines consisting of masked tags.
type tagParser struct{}

func (tagParser) Trigger() []byte { return []byte("<") }

func (tagParser) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	if len(bytes.Trim(line, "< \t\r\n")) > 0 {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return ast.NewHTMLBlock(ast.HTMLBlockType7), parser.NoChildren
}

func (tagParser) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }
func (tagParser) Close(ast.Node, text.Reader, parser.Context)                 {}
func (tagParser) CanInterruptParagraph() bool                                 { return true }
func (tagParser) CanAcceptIndentedLine() bool                                 { return true }

func openersOf(parsers ...parser.BlockParser) (all openers) {
	for c := range all {
		for _, p := range parsers {
			if triggers := p.Trigger(); triggers == nil || bytes.IndexByte(triggers, byte(c)) >= 0 {
				all[c] = append(all[c], p)
			}
		}
	}
	return all
}

// at returns the parsers for blocks starting at an offset of a line. If the line ends before the
// offset, only code or a paragraph can begin there.
func (o *openers) at(line []byte, offset int) []parser.BlockParser {
	if offset < len(line) {
		return o[line[offset]]
	}
	return o[' ']
}

// maxNesting is the most lists and quotations around a block. Deeper blocks are read as
// text, because the time of the parser grows with the square of the depth. Headings in
// lists and quotations don't begin a section anyway.
const maxNesting = 100

// shallow wraps a block parser to keep it from opening blocks below maxNesting.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for node := parent; node != nil; node = node.Parent() {
		if depth++; depth > maxNesting {
			return nil, parser.NoChildren
		}
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// maxDefinitions is the maximum number of lines of a paragraph with link definitions. A longer
// paragraph is text, because the time of the parser grows with the square of the lines.
const maxDefinitions = 1000

// A Block is a heading, an item of a list, or another leaf or container block of
// CommonMark. It ends where the next block begins. Headings in lists and quotations are
// parts of blocks.
type Block struct {
	Level      int    // of a heading, 1 to 6; 0 for any other block
	Title      string // the heading as plain text
	Anchor     string // fragment of a link to the heading; "" if there can't be a link
	Start, End int    // bytes of the content
}

// blocksOf cuts a whole body into blocks. start is the offset of the body in the content.
// Any text before the first block of the parser becomes a block, too, and a body without
// blocks becomes a single block, which may be empty.
func blocksOf(c *cutter, start int) []Block {
	c.readBlocks()
	return c.finish(start)
}

// A cutter is the context of a parse and collects blocks. Until finish, their offsets are
// relative to the body.
type cutter struct {
	parser.Context
	body     []byte
	reader   text.Reader     // of the body
	document ast.Node        // the part of the tree that isn't cut yet
	labels   map[string]bool // of the link definitions so far
	blocks   []Block
	headings []heading // in any order
	openers  *openers

	mask     *mask // of a page of MDX, otherwise nil
	start    int   // offset of the body in the page of MDX
	base     int   // indentation of the open block of MDX in columns
	stripped int   // columns of the line's indentation already skipped

	line      int      // offset of the current line
	isFraming bool     // collects frames instead of blocks
	frames    []Frame  // in order
	closed    ast.Node // the last code block closed by a fence
}

func newCutter(body []byte) *cutter {
	return &cutter{
		Context:  parser.NewContext(),
		body:     body,
		reader:   text.NewReader(body),
		document: ast.NewDocument(),
		labels:   map[string]bool{},
		openers:  &openersMarkdown,
		blocks:   make([]Block, 0, 4+len(body)/bytesOfBlock),
	}
}

// bytesOfBlock is an estimate of the size of a block, from which most pages get enough
// room.
const bytesOfBlock = 256

// A heading is kept until the end of the page, because its title can contain links that are
// defined later, and its anchor depends on all headings before it.
type heading struct {
	offset int
	text   []byte
	named  string // explicit anchor of the heading in MDX, or ""
	block  int    // position of the block it begins, or none
}

// none is the block of a heading in a list or a quotation, which begins no block. Such headings
// still take anchors, so no other heading gets the same anchor.
const none = -1

// AddReference keeps only the label of a link definition, because titles need no more.
func (c *cutter) AddReference(definition parser.Reference) {
	c.labels[util.ToLinkReference(definition.Label())] = true
}

func (c *cutter) Reference(label string) (parser.Reference, bool) {
	return parser.NewReference([]byte(label), nil, nil), c.labels[label]
}

// cutUntil cuts and removes the top-level nodes before end. If end is nil, it cuts all of
// them.
func (c *cutter) cutUntil(end ast.Node) {
	for node := c.document.FirstChild(); node != end; node = c.document.FirstChild() {
		c.cut(node)
		c.document.RemoveChild(c.document, node)
	}
}

func (c *cutter) cut(node ast.Node) {
	switch node := node.(type) {
	case *ast.Heading:
		c.beginHeading(node)
	case *ast.List:
		c.takeHeadings(node)
		for item := node.FirstChild(); item != nil; item = item.NextSibling() {
			c.begin(item.Pos(), Block{})
		}
	case *ast.Paragraph:
		c.begin(node.BaseBlock.Pos(), Block{}) // including the definitions before it
	default:
		c.takeHeadings(node)
		c.begin(node.Pos(), Block{})
	}
}

func (c *cutter) beginHeading(node *ast.Heading) {
	block := len(c.blocks)
	if c.begin(node.Pos(), Block{Level: node.Level}); block == len(c.blocks) {
		block = none
	}
	c.takeHeading(node, block)
}

func (c *cutter) takeHeading(node *ast.Heading, block int) {
	if !c.isFraming && len(c.headings) < maxBlocks {
		text, named := c.headingText(node.Lines())
		c.headings = append(c.headings, heading{node.Pos(), text, named, block})
	}
}

// headingText returns the text of a heading. In MDX, it removes the code and also returns the
// heading's explicit anchor.
func (c *cutter) headingText(lines *text.Segments) (content []byte, named string) {
	if c.mask == nil {
		return lines.Value(c.body), ""
	}
	for _, line := range lines.Sliced(0, lines.Len()) {
		var text []byte
		text, named = c.mask.headingText(c.start+line.Start, c.start+line.Stop)
		content = append(content, text...)
	}
	return bytes.TrimSpace(content), named
}

// takeHeadings takes the headings inside a list or a quotation.
func (c *cutter) takeHeadings(container ast.Node) {
	ast.Walk(container, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if heading, ok := node.(*ast.Heading); ok && entering {
			c.takeHeading(heading, none)
		}
		return ast.WalkContinue, nil
	})
}

// maxBlocks is the most blocks, and the most headings, of a page. The rest of the page
// belongs to the last block. Otherwise, a page of tiny blocks could take gigabytes of
// memory.
const maxBlocks = 1 << 20

// begin begins a block in the line of an offset. If another block already begins in the
// same line, the new one is a part of it.
func (c *cutter) begin(offset int, b Block) {
	if offset < 0 || c.isFraming || len(c.blocks) >= maxBlocks {
		return
	}
	b.Start = lineStart(c.body, offset)
	if n := len(c.blocks); n > 0 && b.Start <= c.blocks[n-1].Start {
		return
	}
	c.blocks = append(c.blocks, b)
}

// finish cuts the rest of the tree, reads the headings and returns the blocks. start is the
// offset of the body in the content.
func (c *cutter) finish(start int) []Block {
	c.cutUntil(nil)
	c.readHeadings()
	if len(c.blocks) == 0 || c.blocks[0].Start > 0 {
		c.blocks = slices.Insert(c.blocks, 0, Block{})
	}
	end := start + len(c.body)
	for i := len(c.blocks) - 1; i >= 0; i-- {
		b := &c.blocks[i]
		b.Start, b.End = start+b.Start, end
		end = b.Start
	}
	return c.blocks
}

func (c *cutter) readHeadings() {
	slices.SortFunc(c.headings, func(a, b heading) int { return a.offset - b.offset })
	all := anchors{}
	for _, h := range c.headings {
		title, linked := titleOf(h.text, c)
		if h.named != "" {
			linked = "{#" + h.named + "}"
		}
		anchor, ok := commentedName(h.text)
		if ok {
			anchor = all.unique(anchor)
		} else {
			anchor = all.next(linked)
		}
		if h.block != none {
			c.blocks[h.block].Title, c.blocks[h.block].Anchor = title, anchor
		}
	}
}
