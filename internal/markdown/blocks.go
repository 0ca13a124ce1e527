package markdown

import (
	"bytes"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blocks reads the blocks of CommonMark. What is inline is not looked at,
// except in headings, which are read by titles: no title needs the rest, and
// the parser takes quadratic time for some of it. An extension may change a
// title, which is stored: it would be a change of the format.
var blocks = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(underline{parser.NewSetextHeadingParser()}, 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(passing{parser.NewParagraphParser()}, 1000),
	),
	parser.WithParagraphTransformers(util.Prioritized(references{parser.LinkReferenceParagraphTransformer}, 100)),
)

// maxNesting is how many lists and quotations deep the parser follows; the
// time that it takes grows with the square of that. What is nested deeper is
// text. No heading that begins a section is in a list or a quotation.
const maxNesting = 100

// shallow is a block parser that opens no block that is nested too deep.
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

// maxDefinitions is how many lines a paragraph may have that is searched for link
// definitions; the time that it takes grows with the square of that.
const maxDefinitions = 1000

// references finds the link definitions of paragraphs that are not too long. The
// others are text.
type references struct{ parser.ParagraphTransformer }

func (r references) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if node.Lines().Len() <= maxDefinitions {
		r.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// underlined is where a parser's context has the paragraph that an underline is
// about to make a heading.
var underlined = parser.NewContextKey()

// underline is the parser of headings with an underline.
type underline struct{ parser.BlockParser }

func (u underline) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	heading, state := u.BlockParser.Open(parent, reader, pc)
	if heading != nil {
		pc.Set(underlined, pc.LastOpenedBlock().Node)
	}
	return heading, state
}

// passing is the parser of paragraphs. It lets go of the lines of one that is no
// heading: nobody asks for them, and the parser would go through them all once
// more to make texts of them.
type passing struct{ parser.BlockParser }

func (p passing) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	p.BlockParser.Close(node, reader, pc)
	if pc.Get(underlined) != node {
		node.Lines().Clear()
	}
}

// A Block is a heading, or what CommonMark calls a leaf or container block, from
// its first line to the first line of the next. The items of a list are a block
// each. Headings in lists and quotations are none.
type Block struct {
	Level      int    // of a heading, 1 to 6; 0 for any other block
	Title      string // the heading as plain text
	Anchor     string // what a link to the heading has behind "#"; "" if nothing can
	Start, End int    // bytes of the content
}

// blocksOf cuts the Markdown in content[start:] into its blocks, which are all
// of it. What comes before the first block that the parser finds is a block by
// itself if it has any bytes. If the parser finds none, all is one block, even of
// no bytes.
func blocksOf(content []byte, start int) []Block {
	c := cutter{body: content[start:], references: parser.NewContext(), anchors: anchors{}}
	root := blocks.Parse(text.NewReader(c.body), parser.WithContext(c.references))
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		c.cutAt(node)
	}
	return c.close(start)
}

// A cutter collects blocks. Their offsets are those of the body until close.
type cutter struct {
	body       []byte
	references parser.Context // of links
	anchors    anchors
	blocks     []Block
}

// cutAt begins the blocks of a top-level node.
func (c *cutter) cutAt(node ast.Node) {
	switch node := node.(type) {
	case *ast.Heading:
		title, text := titleOf(node.Lines().Value(c.body), c.references)
		c.begin(node.Pos(), Block{Level: node.Level, Title: title, Anchor: c.anchors.next(text)})
	case *ast.List:
		c.takeAnchors(node)
		for item := node.FirstChild(); item != nil; item = item.NextSibling() {
			c.begin(item.Pos(), Block{})
		}
	case *ast.Paragraph:
		c.begin(node.BaseBlock.Pos(), Block{}) // its lines are gone
	default:
		c.takeAnchors(node)
		c.begin(node.Pos(), Block{})
	}
}

// takeAnchors gives the headings in a list or a quotation their anchors: they
// begin no block, but no other heading gets these.
func (c *cutter) takeAnchors(container ast.Node) {
	ast.Walk(container, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if heading, ok := node.(*ast.Heading); ok && entering {
			_, text := titleOf(heading.Lines().Value(c.body), c.references)
			c.anchors.next(text)
		}
		return ast.WalkContinue, nil
	})
}

// begin begins a block in the line of an offset. Two do not begin in one line:
// there, the second is a part of the first.
func (c *cutter) begin(offset int, b Block) {
	if offset < 0 {
		return
	}
	b.Start = lineStart(c.body, offset)
	if n := len(c.blocks); n > 0 && b.Start <= c.blocks[n-1].Start {
		return
	}
	c.blocks = append(c.blocks, b)
}

// close returns the blocks of a content in which the body starts at an offset.
func (c *cutter) close(start int) []Block {
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

// lineStart returns where the line begins in which offset lies.
func lineStart(body []byte, offset int) int {
	return bytes.LastIndexByte(body[:offset], '\n') + 1
}
