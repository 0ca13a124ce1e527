package describe

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	tokens "golang.org/x/net/html"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// A textBlock is a heading or a paragraph of a text.
type textBlock struct {
	heading  bool
	text     string // one line of plain text
	unlinked string // the text without links
}

// maxMarkdown bounds the bytes of Markdown to parse, because the time for some
// texts grows with the square of their size.
const maxMarkdown = 16 << 10

var toHTML = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParserOptions(parser.WithAttribute()),
		goldmark.WithExtensions(extension.Strikethrough),
		goldmark.WithRendererOptions(html.WithUnsafe()),
	)
})

// passagesOf returns the headings and paragraphs of a Markdown text in order, but not its
// lists, tables and code. It must render the text first: a paragraph in a <details> is a
// block between two other blocks, which contain a tag each, so only the stream of HTML
// shows where it is.
func passagesOf(markdown string) []textBlock {
	var rendered bytes.Buffer
	toHTML().Convert([]byte(markdown[:min(len(markdown), maxMarkdown)]), &rendered) // a buffer never fails
	var r passageReader
	for tokenizer := tokens.NewTokenizer(&rendered); ; {
		switch kind := tokenizer.Next(); kind {
		case tokens.ErrorToken:
			r.endPassage()
			return r.passages
		case tokens.TextToken:
			r.addText(tokenizer.Token().Data)
		case tokens.StartTagToken, tokens.EndTagToken, tokens.SelfClosingTagToken:
			name, _ := tokenizer.TagName()
			r.apply(string(name), kind == tokens.EndTagToken)
		}
	}
}

// A passageReader collects the passages of HTML. It only looks at the tags that can begin or
// end a passage, a link, or an element without prose.
type passageReader struct {
	passages  []textBlock
	text      strings.Builder
	unlinked  strings.Builder
	heading   bool
	linked    bool
	proseless int // open elements without prose
}

func (r *passageReader) addText(text string) {
	if r.proseless > 0 {
		return
	}
	r.text.WriteString(text)
	if !r.linked {
		r.unlinked.WriteString(text)
	}
}

func (r *passageReader) apply(name string, closes bool) {
	switch name {
	case "a":
		r.linked = !closes
	case "br":
		r.addText(" ")
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.endPassage()
		r.heading = !closes
	case "p", "div", "center", "blockquote", "section", "article", "header", "footer", "hr":
		r.endPassage()
	case "ul", "ol", "dl", "table", "pre", "details", "nav", "script", "style", "svg", "video":
		r.endPassage()
		if closes {
			r.proseless = max(0, r.proseless-1)
		} else {
			r.proseless++
		}
	}
}

func (r *passageReader) endPassage() {
	if text := oneLine(r.text.String()); text != "" {
		r.passages = append(r.passages, textBlock{r.heading, text, oneLine(r.unlinked.String())})
	}
	r.text.Reset()
	r.unlinked.Reset()
	r.heading, r.linked = false, false
}

// restructured returns reStructuredText as Markdown, as far as its paragraphs and headings
// are concerned.
func restructured(text string) string {
	text = restructuredBlocks.in(text[:min(len(text), maxMarkdown)])
	parts := strings.Split(text, "``")
	for i := 0; i < len(parts); i += 2 { // the others are code
		parts[i] = escapes.Replace(restructuredInlines.in(parts[i]))
	}
	return strings.Join(parts, "``")
}

// spellings are patterns and their replacements, in order.
type spellings []struct {
	pattern     func() *regexp.Regexp
	replacement string
}

func (s spellings) in(text string) string {
	for _, spelling := range s {
		text = spelling.pattern().ReplaceAllString(text, spelling.replacement)
	}
	return text
}

var restructuredBlocks = spellings{
	{lazy.Regexp(`(?m)^(?:\.\.(?:[ \t][^\n]*)?$(?:\n(?:[ \t]+[^\n]*)?$)*|:[\w -]+:(?:[ \t][^\n]*)?$|>>> (?:[^\n]+(?:\n|$))*)`), ""}, // directives, fields and sessions
	{lazy.Regexp(`(?m)^(?:` + rule + `\n)?[ \t]*([^\n]*[\pL\pN][^\n]*)\n` + rule + `$`), "\n# $1\n"},
	{lazy.Regexp(`::[ \t]*\n\n`), ":\n\n"}, // before code
}

const rule = `(?:={2,}|-{2,}|~{2,}|\^{2,}|\*{2,}|#{2,}|\+{2,}|"{2,}|_{2,})[ \t]*`

var restructuredInlines = spellings{
	{lazy.Regexp(`\|[^|\s](?:[^|\n]*[^|\s])?\|_{0,2}|\[[\w#*-]+\]_`), ""},    // substitutions and footnotes
	{lazy.Regexp(":[\\w:+.-]+:`~?([^`<]*[^`<\\s])\\s*(?:<[^`>]*>)?`"), "$1"}, // roles
	{lazy.Regexp("`([^`<]*[^`<\\s])\\s*(?:<[^`>]*>)?`__?|\\b([A-Za-z0-9][A-Za-z0-9.-]*)__?\\b"), "[$1$2](#)"},
	{lazy.Regexp("`([^`]+)`"), "$1"},
	{lazy.Regexp(`\\(?:\s|(\S))`), "$1"},
}

// escapes are for characters that only mean something in Markdown.
var escapes = strings.NewReplacer("_", `\_`, "<", `\<`)
