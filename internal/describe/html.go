package describe

import (
	"html"
	"strings"
)

// A passage is a heading or a paragraph of a text.
type passage struct {
	heading  bool
	text     string // one line of plain text
	unlinked string // what of it is not the text of a link
}

// htmlPassages returns the passages of HTML that may be broken. It looks only
// at the tags that begin and end a passage, a link, or what holds no prose.
func htmlPassages(source string) []passage {
	var r htmlReader
	for source != "" {
		text, rest, found := strings.Cut(source, "<")
		r.addText(text)
		if !found {
			break
		}
		source = r.readTag(rest)
	}
	r.endPassage()
	return r.passages
}

// An htmlReader collects passages.
type htmlReader struct {
	passages  []passage
	text      strings.Builder
	unlinked  strings.Builder
	heading   bool
	linked    bool
	proseless int // how many elements are open that hold no prose
}

func (r *htmlReader) addText(escaped string) {
	if escaped == "" || r.proseless > 0 {
		return
	}
	text := html.UnescapeString(escaped)
	r.text.WriteString(text)
	if !r.linked {
		r.unlinked.WriteString(text)
	}
}

// readTag reads what follows a "<" and returns what follows the tag. A tag or
// a comment that does not end takes all that is left, as in a browser.
func (r *htmlReader) readTag(rest string) string {
	if comment, ok := strings.CutPrefix(rest, "!--"); ok {
		_, rest, _ = strings.Cut(comment, "-->")
		return rest
	}
	if rest == "" || !strings.ContainsRune("/!?", rune(rest[0])) && !isASCIILetter(rest[0]) {
		r.addText("&lt;")
		return rest
	}
	end := tagEnd(rest)
	r.apply(tagName(rest[:end]))
	return strings.TrimPrefix(rest[end:], ">")
}

// tagEnd returns the offset of the ">" that ends a tag, or else of the end.
func tagEnd(tag string) int {
	var quote byte
	for i := range len(tag) {
		switch c := tag[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i
		case (c == '"' || c == '\'') && tag[i-1] == '=':
			quote = c
		}
	}
	return len(tag)
}

// tagName returns the lower-case name of a tag with the slash of an end tag.
func tagName(tag string) string {
	end := 1
	for end < len(tag) && (isASCIILetter(tag[end]) || '0' <= tag[end] && tag[end] <= '9') {
		end++
	}
	return strings.ToLower(tag[:end])
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

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
		r.nest(closes)
	}
}

// nest enters or leaves an element that holds no prose.
func (r *htmlReader) nest(closes bool) {
	switch {
	case !closes:
		r.proseless++
	case r.proseless > 0:
		r.proseless--
	}
}

func (r *htmlReader) endPassage() {
	if text := oneLine(r.text.String()); text != "" {
		r.passages = append(r.passages, passage{r.heading, text, oneLine(r.unlinked.String())})
	}
	r.text.Reset()
	r.unlinked.Reset()
	r.heading, r.linked = false, false
}
