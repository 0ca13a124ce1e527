package markdown

import (
	"bytes"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"

	"github.com/contextcompiler/context/document"
)

// A Frame is a table or a code block. To understand a part of its body, a reader also needs
// the lead and the tail: the header and delimiter rows, or the fences. Indented code needs
// neither. The three ranges follow each other without gaps and begin at line starts, so
// lines in lists and quotations include their markers.
//
//	Lead  | a | b |    ```go
//	      |---|---|
//	Body  | 1 | 2 |    code         code
//	Tail               ```
type Frame struct {
	Kind FrameKind
	Info string // what follows the opening fence, such as "go"

	Lead, Body, Tail document.Range // in the page; empty ranges have offsets, too
}

// frameOf returns a frame whose ranges are cut at four offsets.
func frameOf(kind FrameKind, start, body, tail, end int) Frame {
	return Frame{
		Kind: kind,
		Lead: document.Range{Start: start, End: body},
		Body: document.Range{Start: body, End: tail},
		Tail: document.Range{Start: tail, End: end},
	}
}

// A FrameKind distinguishes tables and the two kinds of code blocks.
type FrameKind int

const (
	Table FrameKind = iota
	FencedCode
	IndentedCode
)

// Frames returns the tables and fenced code blocks in a block in order, including those in
// lists and quotations.
func (b Body) Frames(of Block) []Frame {
	return slices.DeleteFunc(b.allFrames(of), func(f Frame) bool { return f.Kind == IndentedCode })
}

// Code returns the fenced and indented code blocks in a block in order.
func (b Body) Code(of Block) []Frame {
	if of.Level > 0 || !mayHoldCode(b.Text[of.Start:of.End]) {
		return nil
	}
	return slices.DeleteFunc(b.allFrames(of), func(f Frame) bool { return f.Kind == Table })
}

// Every code block contains at least one of the codeHints.
var codeHints = [][]byte{[]byte("```"), []byte("~~~"), []byte("    "), []byte("\t")}

// mayHoldCode reports whether a block is worth another parse. Most paragraphs aren't.
func mayHoldCode(block []byte) bool {
	for _, hint := range codeHints {
		if bytes.Contains(block, hint) {
			return true
		}
	}
	return false
}

// allFrames returns the frames in a block, at most maxBlocks.
func (b Body) allFrames(of Block) []Frame {
	c := newCutter(b.Text[of.Start:of.End])
	if b.IsMDX {
		c.openers = &openersMDX
	}
	c.isFraming = true
	c.readBlocks()
	for i := range c.frames {
		f := &c.frames[i]
		for _, r := range []*document.Range{&f.Lead, &f.Body, &f.Tail} {
			r.Start, r.End = of.Start+r.Start, of.Start+r.End
		}
	}
	return c.frames
}

// frameBlock adds the frame of a block ending before the current line.
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

// frameIndented adds the frame of indented code, which ends with its last nonblank line.
func (c *cutter) frameIndented(node *ast.CodeBlock) {
	start := lineStart(c.body, node.Pos())
	end := lineEnd(c.body, start+len(bytes.TrimRight(c.body[start:c.line], " \t\r\n")))
	c.addFrame(frameOf(IndentedCode, start, start, end, end))
}

// closeCode adds the frame of a code block closed by the current line.
func (c *cutter) closeCode(node *ast.FencedCodeBlock) {
	c.frameCode(node, lineEnd(c.body, c.line))
	c.closed = node
}

// frameCode adds the frame of a code block whose tail begins with the current line.
func (c *cutter) frameCode(node *ast.FencedCodeBlock, end int) {
	start := lineStart(c.body, node.Pos())
	f := frameOf(FencedCode, start, lineEnd(c.body, start), c.line, end)
	if node.Info != nil {
		f.Info = string(node.Info.Value(c.body))
	}
	c.addFrame(f)
}

// frameTable adds a frame if a paragraph ends with a table. goldmark recognizes tables in
// paragraphs, so this calls its transformer on a copy.
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
	header := before.Lines().Len() // the transformer keeps the lines before the table here
	start, delimiter := lineStart(c.body, all.At(header).Start), lineStart(c.body, all.At(header+1).Start)
	c.addFrame(frameOf(Table, start, lineEnd(c.body, delimiter), c.line, c.line))
}

func (c *cutter) addFrame(f Frame) {
	if len(c.frames) < maxBlocks {
		c.frames = append(c.frames, f)
	}
}
