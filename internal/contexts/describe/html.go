package describe

import (
	"html"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// A textBlock is a heading or a paragraph of a text.
type textBlock struct {
	heading  bool
	text     string // one line of plain text
	unlinked string // the text without links
}

// tag is a comment, or a tag whose first group is its name, with the slash of an
// end tag. If it does not end, it includes all the rest, as in a browser.
var tag = lazy.Regexp(`(?s)<!--.*?(?:-->|\z)|<([/!?]?[A-Za-z][A-Za-z0-9]*|[/!?])(?:="[^"]*"|='[^']*'|[^>])*(?:>|\z)`)

// htmlPassages returns the passages of HTML that may be broken. It only looks at
// the tags that can begin or end a passage, a link, or an element without prose.
func htmlPassages(source string) []textBlock {
	var r htmlReader
	at := 0
	for _, m := range tag().FindAllStringSubmatchIndex(source, -1) {
		r.addText(source[at:m[0]])
		if m[2] >= 0 {
			r.apply(strings.ToLower(source[m[2]:m[3]]))
		}
		at = m[1]
	}
	r.addText(source[at:])
	r.endPassage()
	return r.passages
}

type htmlReader struct {
	passages  []textBlock
	text      strings.Builder
	unlinked  strings.Builder
	heading   bool
	linked    bool
	proseless int // open elements without prose
}

func (r *htmlReader) addText(escaped string) {
	if r.proseless > 0 {
		return
	}
	text := html.UnescapeString(escaped)
	r.text.WriteString(text)
	if !r.linked {
		r.unlinked.WriteString(text)
	}
}

func (r *htmlReader) apply(tag string) {
	name, closes := strings.CutPrefix(tag, "/")
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

func (r *htmlReader) endPassage() {
	if text := oneLine(r.text.String()); text != "" {
		r.passages = append(r.passages, textBlock{r.heading, text, oneLine(r.unlinked.String())})
	}
	r.text.Reset()
	r.unlinked.Reset()
	r.heading, r.linked = false, false
}
