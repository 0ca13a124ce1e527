package markdown

import (
	"bytes"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
)

// A Frame is a table or a code block. The lines of its frame are what a reader of the
// other lines needs: the header and the delimiter row, or the fences. Indented code needs
// no such lines. All offsets are at the beginnings of lines, so lines in lists and
// quotations have their markers.
//
//	Start  | a | b |    ```go
//	       |---|---|
//	Body   | 1 | 2 |    code         code
//	Tail                ```
//	End
type Frame struct {
	Kind FrameKind
	Info string // what follows the opening fence, such as "go"

	Start int // offset of the header row or of the opening fence
	Body  int // of the first row or line of code
	Tail  int // of the closing fence; End if there is none
	End   int
}

// A FrameKind says what is in a [Frame].
type FrameKind int

// The kinds of frames.
const (
	Table FrameKind = iota
	FencedCode
	IndentedCode
)

// Frames returns the tables and fenced code blocks in a block, also those in lists and
// quotations, in order. Offsets are in the block.
func (b Body) Frames(of Block) []Frame {
	return slices.DeleteFunc(b.allFrames(of), func(f Frame) bool { return f.Kind == IndentedCode })
}

// Code returns the code blocks in a block, like [Body.Frames].
func (b Body) Code(of Block) []Frame {
	return slices.DeleteFunc(b.allFrames(of), func(f Frame) bool { return f.Kind == Table })
}

// allFrames returns the first maxBlocks frames in a block.
func (b Body) allFrames(of Block) []Frame {
	c := newCutter(b.Text[of.Start:of.End])
	if b.IsMDX {
		c.openers = &openersMDX
	}
	c.isFraming = true
	c.readBlocks()
	return c.frames
}

// frameBlock adds the frame of a block that ends before the current line.
func (c *cutter) frameBlock(node ast.Node) {
	switch node := node.(type) {
	case *ast.FencedCodeBlock:
		if node != c.closed {
			c.frameCode(node, c.line)
		}
	case *ast.CodeBlock:
		c.frameIndented(node)
	case *ast.Paragraph:
		c.frameTable(node)
	}
}

// frameIndented adds the frame of indented code, which ends with its last line that is not
// blank.
func (c *cutter) frameIndented(node *ast.CodeBlock) {
	start := lineStart(c.body, node.Pos())
	end := c.nextLine(start + len(bytes.TrimRight(c.body[start:c.line], " \t\r\n")))
	c.addFrame(Frame{Kind: IndentedCode, Start: start, Body: start, Tail: end, End: end})
}

// closeCode adds the frame of a code block whose closing fence is the current line.
func (c *cutter) closeCode(node *ast.FencedCodeBlock) {
	c.frameCode(node, c.nextLine(c.line))
	c.closed = node
}

// frameCode adds the frame of a code block. Its tail begins with the current line.
func (c *cutter) frameCode(node *ast.FencedCodeBlock, end int) {
	start := lineStart(c.body, node.Pos())
	f := Frame{Kind: FencedCode, Start: start, Body: c.nextLine(start), Tail: c.line, End: end}
	if node.Info != nil {
		f.Info = string(node.Info.Value(c.body))
	}
	c.addFrame(f)
}

// frameTable adds the frame of the table that ends a paragraph, if one does.
func (c *cutter) frameTable(paragraph *ast.Paragraph) {
	all := paragraph.Lines()
	before := ast.NewParagraph()
	before.Lines().AppendAll(all.Sliced(0, all.Len()))
	parent := ast.NewDocument()
	parent.AppendChild(parent, before)
	extension.NewTableParagraphTransformer().Transform(before, c.reader, c)
	if parent.LastChild().Kind() != tables.KindTable {
		return
	}
	header := before.Lines().Len() // the transformer leaves the lines above the table
	start, delimiter := lineStart(c.body, all.At(header).Start), lineStart(c.body, all.At(header+1).Start)
	c.addFrame(Frame{Start: start, Body: c.nextLine(delimiter), Tail: c.line, End: c.line})
}

func (c *cutter) addFrame(f Frame) {
	if len(c.frames) < maxBlocks {
		c.frames = append(c.frames, f)
	}
}

// nextLine returns the start of the line behind the one at an offset.
func (c *cutter) nextLine(offset int) int {
	if n := bytes.IndexByte(c.body[offset:], '\n'); n >= 0 {
		return offset + n + 1
	}
	return len(c.body)
}
