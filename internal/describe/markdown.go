package describe

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blocks finds the blocks of Markdown. Lists and what is nested deeper than a
// quotation describe nothing, so they are never entered: the parser's time
// grows with the square of the depth.
var blocks = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
)

// maxNesting is how many lists and quotations deep the parser follows.
const maxNesting = 8

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

// inline renders the Markdown of one block, given as a paragraph.
var inline = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
	)),
	goldmark.WithExtensions(extension.Strikethrough),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// maxParagraph is the most bytes of a paragraph that are looked at, and
// maxParagraphs that of all together: the inline parser takes quadratic time
// for some texts. It is as much work to begin with it as to read overhead bytes.
const (
	maxParagraph  = 4 << 10
	maxParagraphs = 16 << 10
	overhead      = 64
)

// markdownPassages returns the passages of a Markdown text in order.
//
// Markdown and the HTML in it are one stream of HTML to the reader of a README,
// and so they are here: a paragraph in a <details> is a block between two
// others, of which each is but a tag.
func markdownPassages(markdown string) []passage {
	source := []byte(markdown)
	references := parser.NewContext()
	root := blocks.Parse(text.NewReader(source), parser.WithContext(references))
	w := htmlWriter{source: source, references: references, left: maxParagraphs}
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		w.writeBlock(node)
	}
	return htmlPassages(w.html.String())
}

// An htmlWriter renders the blocks of a text that a reader would look at for a
// description.
type htmlWriter struct {
	source     []byte
	references parser.Context
	left       int // how many bytes of paragraphs may still come
	html       bytes.Buffer
}

func (w *htmlWriter) writeBlock(node ast.Node) {
	switch node := node.(type) {
	case *ast.Heading:
		w.writeElement("h1", node)
	case *ast.Paragraph:
		w.writeElement("p", node)
	case *ast.HTMLBlock:
		w.html.Write(node.Lines().Value(w.source))
		if node.HasClosure() {
			w.html.Write(node.ClosureLine.Value(w.source))
		}
	case *ast.Blockquote:
		for child := node.FirstChild(); child != nil; child = child.NextSibling() {
			if paragraph, ok := child.(*ast.Paragraph); ok {
				w.writeElement("p", paragraph)
			}
		}
	}
}

func (w *htmlWriter) writeElement(tag string, node ast.Node) {
	text := headingID.ReplaceAll(node.Lines().Value(w.source), nil)
	if len(text) > maxParagraph {
		text = text[:bytes.LastIndexByte(text[:maxParagraph], ' ')+1]
	}
	if w.left -= len(text) + overhead; w.left < 0 {
		return
	}
	var p bytes.Buffer
	context := inlineContext{parser.NewContext(), w.references}
	inline.Convert(text, &p, parser.WithContext(context)) // a buffer takes all
	content := strings.TrimSuffix(strings.TrimPrefix(p.String(), "<p>"), "</p>\n")
	w.html.WriteString("\n<" + tag + ">" + content + "</" + tag + ">\n")
}

// headingID is the anchor that site generators let a heading have.
var headingID = regexp.MustCompile(`\s*\{#[\w-]+\}\s*$`)

// An inlineContext looks up the link references of the whole document.
type inlineContext struct {
	parser.Context
	references parser.Context
}

func (c inlineContext) Reference(label string) (parser.Reference, bool) {
	return c.references.Reference(label)
}

// isMarkdown reports whether a file's name ends as those of Markdown do.
func isMarkdown(name string) bool {
	switch extensionOf(name) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx":
		return true
	}
	return false
}
