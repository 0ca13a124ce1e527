package markdown

import (
	"bufio"
	"bytes"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	renderer "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// titles parses the text of a heading as a paragraph.
var titles = parser.NewParser(
	parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
	parser.WithInlineParsers(parser.DefaultInlineParsers()...),
)

// special are the characters of inline markup. Headings without them are plain text.
const special = "\\`*_[]!<&\x00"

// maxTitle is the maximum size in bytes of a heading with a title.
const maxTitle = 4 << 10

// titleOf returns the plain text of a heading: the text of its links, code and images, with
// references and escapes resolved and white space folded. linked is the text for its
// anchor, which contains no images and keeps the white space. Both are "" if the heading is
// too long.
func titleOf(heading []byte, references parser.Context) (title, linked string) {
	if len(heading) > maxTitle {
		return "", ""
	}
	if !bytes.ContainsAny(heading, special) {
		return fold(string(heading)), string(heading)
	}
	root := titles.Parse(text.NewReader(heading), parser.WithContext(titleContext{parser.NewContext(), references}))
	isImage := func(node ast.Node) bool { return node.Kind() == ast.KindImage }
	never := func(ast.Node) bool { return false }
	return fold(plainText(root, heading, never)), plainText(root, heading, isImage)
}

func fold(text string) string {
	text = strings.TrimSpace(text)
	for i, b := range []byte(text) {
		if b < ' ' || b >= utf8.RuneSelf || b == ' ' && text[i+1] == ' ' {
			return strings.Join(strings.Fields(text), " ")
		}
	}
	return text // like most lines
}

// plainText returns the text of the nodes below root, except if skip returns true.
func plainText(root ast.Node, heading []byte, skip func(ast.Node) bool) string {
	var seen bytes.Buffer
	w := bufio.NewWriter(&seen)
	ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case skip(node):
			return ast.WalkSkipChildren, nil
		case entering:
			writePlain(w, node, heading)
		}
		return ast.WalkContinue, nil
	})
	w.Flush()
	return html.UnescapeString(seen.String())
}

// A titleContext resolves link references against the whole document.
type titleContext struct {
	parser.Context
	references parser.Context
}

func (c titleContext) Reference(label string) (parser.Reference, bool) {
	return c.references.Reference(label)
}

// writePlain writes the text of a node, but not of its children, as HTML.
func writePlain(w util.BufWriter, node ast.Node, heading []byte) {
	switch node := node.(type) {
	case *ast.Text:
		segment := node.Segment.Value(heading)
		if _, code := node.Parent().(*ast.CodeSpan); code {
			renderer.DefaultWriter.RawWrite(w, segment)
			return
		}
		renderer.DefaultWriter.Write(w, segment)
		if node.SoftLineBreak() || node.HardLineBreak() {
			w.WriteByte(' ')
		}
	case *ast.String:
		renderer.DefaultWriter.RawWrite(w, node.Value)
	case *ast.AutoLink:
		renderer.DefaultWriter.RawWrite(w, node.Label(heading))
	}
}
