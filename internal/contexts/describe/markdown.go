package describe

import (
	"bytes"
	"slices"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxMarkdown bounds the bytes of Markdown to parse, because the time for some
// texts grows with the square of their size.
const maxMarkdown = 16 << 10

// markdownPassages returns the passages of a Markdown text in order. It must render
// the text first: a paragraph in a <details> is a block between two other blocks,
// which contain a tag each, so only the stream of HTML shows where it is.
func markdownPassages(markdown string) []textBlock {
	var html bytes.Buffer
	toHTML().Convert([]byte(markdown[:min(len(markdown), maxMarkdown)]), &html) // a buffer never fails
	return htmlPassages(html.String())
}

var toHTML = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(
				util.Prioritized(parser.NewSetextHeadingParser(), 100),
				util.Prioritized(parser.NewThematicBreakParser(), 200),
				util.Prioritized(nestingLimit{parser.NewListParser()}, 300),
				util.Prioritized(parser.NewListItemParser(), 400),
				util.Prioritized(parser.NewCodeBlockParser(), 500),
				util.Prioritized(parser.NewATXHeadingParser(parser.WithHeadingAttribute()), 600),
				util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
				util.Prioritized(nestingLimit{parser.NewBlockquoteParser()}, 800),
				util.Prioritized(parser.NewHTMLBlockParser(), 900),
				util.Prioritized(parser.NewParagraphParser(), 1000),
			),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)),
		goldmark.WithExtensions(extension.Strikethrough),
		goldmark.WithRendererOptions(html.WithUnsafe()),
	)
})

// maxNesting bounds how many lists and quotations can open in each other, because
// the time of the parser grows with the square of the depth.
const maxNesting = 8

type nestingLimit struct{ parser.BlockParser }

func (s nestingLimit) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for node := parent; node != nil; node = node.Parent() {
		if depth++; depth > maxNesting {
			return nil, parser.NoChildren
		}
	}
	return s.BlockParser.Open(parent, reader, pc)
}

func isMarkdown(name string) bool {
	return slices.Contains([]string{".md", ".markdown", ".mdx"}, extensionOf(name))
}
