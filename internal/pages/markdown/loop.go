package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// The loop over the lines of a page. It does what goldmark's parser does, with goldmark's
// block parsers, but forgets each block after cutting it. goldmark's own loop keeps the
// tree of the whole page and a record of each line, which take 300 times the size of a page
// of short lines. A test compares the results.

// keptBlocks is how many children a block keeps when it gets another one. The last child may still
// be open, and if it turns out to be an underline, it makes the paragraph before it a heading.
const keptBlocks = 2

// keptLines is how many lines a block keeps. No title contains more, no search for link
// definitions reads more, and no parser asks for more.
const keptLines = maxTitle

func (c *cutter) readBlocks() {
	for {
		if _, _, more := c.reader.SkipBlankLines(); !more {
			return
		}
		c.stripped = 0
		if opened, _ := c.openBlocks(c.document); !opened {
			return
		}
		c.reader.AdvanceLine()
		for len(c.OpenedBlocks()) > 0 {
			if !c.readLine() {
				return
			}
			c.reader.AdvanceLine()
		}
	}
}

// readLine offers a line to the open blocks, from the outermost on. The first block that
// doesn't accept the line closes together with the blocks in it, unless the line continues
// their paragraph. At the end of the page, readLine returns false.
func (c *cutter) readLine() bool {
	_, here := c.reader.Position()
	c.line = here.Start
	c.stripped = 0
	c.strip(c.base)
	open := c.OpenedBlocks()
	last := len(open) - 1
	parent := c.document
	for i, block := range open {
		if line, _ := c.reader.PeekLine(); line == nil {
			c.closeBlocks(last, 0)
			return false
		}
		state := parser.Close
		if !ast.IsParagraph(block.Node) { // openBlocks continues paragraphs
			state = c.goOn(block)
		}
		switch {
		case state&parser.Continue == 0:
			c.openInstead(parent, open, i)
			return true
		case state&parser.HasChildren != 0 && i == last:
			c.openBlocks(block.Node)
			return true
		}
		parent = block.Node
	}
	return true
}

func (c *cutter) openInstead(parent ast.Node, open []parser.Block, i int) {
	last := len(open) - 1
	node := open[last].Node
	if _, goesOn := c.openBlocks(parent); goesOn {
		return
	}
	if open[last].Node != node { // an underline has replaced the paragraph
		last--
	}
	c.closeBlocks(last, i)
}

// longestIndent is larger than any indentation.
const longestIndent = 1 << 30

// strip skips up to this many columns of indentation in MDX. Because tags are often indented,
// blocks can be indented by any width there, and their contents are measured from this column.
func (c *cutter) strip(columns int) {
	if c.openers != &openersMDX {
		return
	}
	line, _ := c.reader.PeekLine()
	indent, end := util.IndentWidth(line, c.reader.LineOffset())
	if columns = min(columns-c.stripped, indent); columns <= 0 {
		return
	}
	if columns == indent {
		c.reader.Advance(end)
	} else {
		c.reader.AdvanceAndSetPadding(util.IndentPosition(line, c.reader.LineOffset(), columns))
	}
	c.stripped += columns
}

// goOn lets a block accept a line, and drops lines beyond keptLines.
func (c *cutter) goOn(block parser.Block) parser.State {
	state := block.Parser.Continue(block.Node, c.reader, c)
	if lines := block.Node.Lines(); lines.Len() > keptLines {
		lines.SetSliced(0, keptLines)
	}
	if code, isCode := block.Node.(*ast.FencedCodeBlock); isCode && c.isFraming && state&parser.Continue == 0 {
		c.closeCode(code)
	}
	return state
}

// openBlocks opens the blocks beginning here, in parent and in each other. Otherwise, it reports
// whether the line continues the open paragraph.
func (c *cutter) openBlocks(parent ast.Node) (opened, goesOn bool) {
	last := c.LastOpenedBlock()
	inParagraph := last.Node != nil && ast.IsParagraph(last.Node)
	for parent != nil {
		node, state, again := c.openBlock(parent, inParagraph && !opened)
		switch {
		case again:
			inParagraph = false
		case node == nil:
			parent = nil
		case state&parser.HasChildren != 0:
			opened, parent = true, node
		default:
			opened, parent = true, nil
		}
	}
	if opened || !inParagraph {
		return opened, false
	}
	return false, c.goOn(last)&parser.Continue != 0
}

// openBlock opens the block beginning here, if any. again is true if the paragraph before it turned
// out to be only link definitions, so the caller should try again: another block may begin here.
func (c *cutter) openBlock(parent ast.Node, interrupts bool) (node ast.Node, state parser.State, again bool) {
	if parent == c.document {
		c.strip(longestIndent)
	}
	line, _ := c.reader.PeekLine()
	indent, pos := util.IndentWidth(line, c.reader.LineOffset())
	c.SetBlockOffset(pos)
	c.SetBlockIndent(indent)
	if indent >= len(line) {
		c.SetBlockOffset(-1)
		c.SetBlockIndent(-1)
	}
	if line == nil || line[0] == '\n' {
		return nil, 0, false
	}
	for _, p := range c.openers.at(line, pos) {
		if interrupts && !p.CanInterruptParagraph() || indent > 3 && !p.CanAcceptIndentedLine() {
			continue
		}
		if node, state, again = c.openWith(p, parent); node != nil || again {
			return node, state, again
		}
	}
	return nil, 0, false
}

func (c *cutter) openWith(p parser.BlockParser, parent ast.Node) (node ast.Node, state parser.State, again bool) {
	last := c.LastOpenedBlock()
	_, here := c.reader.Position()
	node, state = p.Open(parent, c.reader, c)
	if node == nil {
		return nil, 0, false
	}
	node.SetPos(here.Start + max(c.BlockOffset(), 0))
	if state&parser.RequireParagraph != 0 && last.Node == parent.LastChild() {
		last.Parser.Close(last.Node, c.reader, c)
		c.dropOpened()
		if c.define(last.Node) {
			return nil, 0, true
		}
	}
	if last.Node != nil && last.Node.Parent() == nil {
		c.dropOpened()
	}
	c.forget(parent)
	if parent == c.document || parent.Parent() == c.document && node.Kind() == ast.KindListItem {
		c.base = c.stripped
	}
	parent.AppendChild(parent, node)
	c.SetOpenedBlocks(append(c.OpenedBlocks(), parser.Block{Node: node, Parser: p}))
	return node, state, false
}

func (c *cutter) dropOpened() {
	open := c.OpenedBlocks()
	c.SetOpenedBlocks(open[:len(open)-1])
}

func (c *cutter) closeBlocks(last, first int) {
	open := c.OpenedBlocks()
	for i := last; i >= first; i-- {
		node := open[i].Node
		if ast.IsParagraph(node) && node.Parent() != nil {
			c.define(node)
		}
		if c.isFraming && node.Parent() != nil {
			c.frameBlock(node)
		}
		if node.Parent() != nil {
			open[i].Parser.Close(node, c.reader, c)
		}
	}
	c.SetOpenedBlocks(append(open[:first], open[last+1:]...))
}

// define takes the link definitions out of a paragraph and reports whether nothing else is
// left.
func (c *cutter) define(paragraph ast.Node) bool {
	if paragraph.Lines().Len() <= maxDefinitions && c.mayDefine(paragraph) {
		parser.LinkReferenceParagraphTransformer.Transform(paragraph.(*ast.Paragraph), c.reader, c)
	}
	return paragraph.Parent() == nil
}

func (c *cutter) mayDefine(paragraph ast.Node) bool {
	for i := range paragraph.Lines().Len() {
		line := paragraph.Lines().At(i)
		if text := util.TrimLeftSpace(line.Value(c.body)); len(text) > 0 {
			return text[0] == '['
		}
	}
	return false
}

// forget removes the first children of a block, and cuts them first if they are top-level
// nodes or items of a top-level list.
func (c *cutter) forget(parent ast.Node) {
	for parent.ChildCount() > keptBlocks {
		child := parent.FirstChild()
		if parent == c.document {
			c.cut(child)
		} else {
			c.takeHeadings(child)
			if parent.Kind() == ast.KindList && parent.Parent() == c.document {
				c.cutUntil(parent)
				c.begin(child.Pos(), Block{})
			}
		}
		parent.RemoveChild(parent, child)
	}
}
