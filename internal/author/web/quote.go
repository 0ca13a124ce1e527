package web

import (
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// quoteParser parses the inline markup of a sentence.
var quoteParser = parser.NewParser(
	parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
	parser.WithInlineParsers(parser.DefaultInlineParsers()...),
)

// maxQuote is the size in bytes of the longest quote without its markup. Longer ones are shown as
// they are.
const maxQuote = 4 << 10

// quotePieces returns a quoted sentence, or a row of a table, without its markup and with its
// matches marked. Links become plain text, because they are relative to a page that the reader has
// yet to open.
func (find matchFinder) quotePieces(quote string) []linePiece {
	if len(quote) > maxQuote || isDense([]byte(quote)) {
		return find.pieces(quote)
	}
	spans := spansOf([]byte(withoutPipes(quote)))
	var plain strings.Builder
	for _, s := range spans {
		plain.WriteString(s.Text)
	}
	var pieces []linePiece
	marked := find.pieces(plain.String())
	for len(spans) > 0 && len(marked) > 0 { // both cover the same text
		n := min(len(spans[0].Text), len(marked[0].Text))
		piece := spans[0]
		piece.Text, piece.IsMatch = piece.Text[:n], marked[0].IsMatch
		pieces = append(pieces, piece)
		if spans[0].Text = spans[0].Text[n:]; spans[0].Text == "" {
			spans = spans[1:]
		}
		if marked[0].Text = marked[0].Text[n:]; marked[0].Text == "" {
			marked = marked[1:]
		}
	}
	return pieces
}

// withoutPipes replaces the pipes between the cells of a table's row.
func withoutPipes(row string) string {
	if !strings.HasPrefix(row, "|") {
		return row
	}
	const escaped = "\x00"
	var cells []string
	for cell := range strings.SplitSeq(strings.ReplaceAll(row, `\|`, escaped), "|") {
		if cell = strings.TrimSpace(cell); strings.Trim(cell, ":-") != "" {
			cells = append(cells, strings.ReplaceAll(cell, escaped, "|"))
		}
	}
	return strings.Join(cells, " · ")
}

// spansOf returns the texts of a sentence with inline markup. None of them is empty.
func spansOf(sentence []byte) (spans []linePiece) {
	sentence = bytes.TrimSpace(sentence)
	add := func(t string, of ast.Node) {
		piece := linePiece{Text: t}
		for n := of.Parent(); n != nil; n = n.Parent() {
			emphasis, isEmphasis := n.(*ast.Emphasis)
			piece.IsCode = piece.IsCode || n.Kind() == ast.KindCodeSpan
			piece.IsStrong = piece.IsStrong || isEmphasis && emphasis.Level > 1
		}
		if t != "" {
			spans = append(spans, piece)
		}
	}
	root := quoteParser.Parse(text.NewReader(sentence))
	ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := node.(type) {
		case *ast.Text:
			switch content := n.Segment.Value(sentence); {
			case !entering:
			case n.Parent().Kind() == ast.KindCodeSpan:
				add(string(content), n)
			default:
				add(html.UnescapeString(string(util.UnescapePunctuations(content))), n)
			}
			if entering && (n.SoftLineBreak() || n.HardLineBreak()) {
				add(" ", n)
			}
		case *ast.AutoLink:
			if entering {
				add(string(n.Label(sentence)), n)
			}
		}
		return ast.WalkContinue, nil
	})
	return spans
}
