package stages

import (
	"bytes"

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
	parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
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

// sectionsOf cuts the Markdown in content[start:] at its headings.
func sectionsOf(content []byte, start int) []Section {
	body := content[start:]
	sections := []Section{{Start: start}}
	references := parser.NewContext()
	root := blocks.Parse(text.NewReader(body), parser.WithContext(references))
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		heading, ok := node.(*ast.Heading)
		if !ok {
			continue
		}
		sections = append(sections, Section{
			Level: heading.Level,
			Title: titleOf(heading.Lines().Value(body), references),
			Start: start + lineStart(body, heading.Pos()),
		})
	}
	for i := range sections[1:] {
		sections[i].End = sections[i+1].Start
	}
	sections[len(sections)-1].End = len(content)
	if first := sections[0]; len(sections) > 1 && first.Start == first.End {
		sections = sections[1:] // nothing before the first heading
	}
	return sections
}

// lineStart returns where the line begins in which offset lies.
func lineStart(body []byte, offset int) int {
	return bytes.LastIndexByte(body[:offset], '\n') + 1
}
