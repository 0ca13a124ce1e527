package convert

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An htmlElement is a tag with its contents, or a text if it has no name.
type htmlElement struct {
	name                string // in lower case
	text                string
	attrs               []attr
	parent, first, last *htmlElement
	next                *htmlElement
}

// attr returns the value of an attribute, or "".
func (n *htmlElement) attr(key string) string {
	for _, a := range n.attrs {
		if a.key == key {
			return a.value
		}
	}
	return ""
}

func (n *htmlElement) hasAttr(key string) bool {
	return slices.ContainsFunc(n.attrs, func(a attr) bool { return a.key == key })
}

// hasClass reports whether an element has a class that a set contains.
func (n *htmlElement) hasClass(set map[string]bool) bool {
	for class := range strings.FieldsSeq(n.attr("class")) {
		if set[class] {
			return true
		}
	}
	return false
}

func (n *htmlElement) isClass(class string) bool {
	return slices.Contains(strings.Fields(n.attr("class")), class)
}

// walk calls visit for the nodes below an element in the order of the page. It skips dropped
// elements, and the nodes below a node if visit returns false for it.
func (n *htmlElement) walk(visit func(*htmlElement) (goesOn bool)) {
	for child := n.first; child != nil; child = child.next {
		if !isDropped(child) && visit(child) {
			child.walk(visit)
		}
	}
}

// contains reports whether match is true for anything below an element.
func (n *htmlElement) contains(match func(*htmlElement) bool) bool {
	for child := n.first; child != nil; child = child.next {
		if match(child) || child.contains(match) {
			return true
		}
	}
	return false
}

// isIn reports whether match is true for an element or for one around it.
func (n *htmlElement) isIn(match func(*htmlElement) bool) bool {
	for n != nil && !match(n) {
		n = n.parent
	}
	return n != nil
}

type attr struct{ key, value string }

// attributes lists what a node keeps, because a hostile tag can contain millions of others.
var attributes = setOf("alt", "aria-hidden", "charset", "class", "colspan", "content", "data-lang",
	"data-language", "encoding", "hidden", "href", "http-equiv", "id", "itemprop", "lang", "name",
	"role", "rowspan", "src", "start", "style", "xml:lang")

// maxValue is the most bytes of an attribute. Longer values, such as images in data URLs, are
// dropped because no text needs them.
const maxValue = 4 << 10

const (
	// maxNodes is the most elements and texts of a page. It bounds the memory of the tree.
	maxNodes = 1 << 21

	// maxDepth is the most elements around an element. Deeper tags are ignored, but their
	// text is kept.
	maxDepth = 256
)

// A treeBuilder makes a tree of a page. Like a browser, it closes elements without end tags. Unlike
// a browser, it doesn't move or repeat elements, since those rules let a page of 70 KB grow to
// a gigabyte. Text always stays in the order of the page.
type treeBuilder struct {
	tokens  *html.Tokenizer
	root    *htmlElement
	open    []*htmlElement // from root to the current element
	counts  map[string]int // of open elements by name
	ignored int            // open elements beyond maxDepth
	nodes   int
	arena   []htmlElement
	isXML   bool
}

// parse returns the tree of a page.
func parse(ctx context.Context, page string, isXML bool) (*htmlElement, error) {
	b := &treeBuilder{
		tokens: html.NewTokenizer(strings.NewReader(page)), isXML: isXML,
		root: &htmlElement{name: "#root"}, counts: map[string]int{},
	}
	b.tokens.AllowCDATA(isXML)
	b.open = []*htmlElement{b.root}
	for count := 0; ; count++ {
		if count%4096 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		switch kind := b.tokens.Next(); kind {
		case html.ErrorToken:
			return b.root, nil
		case html.TextToken:
			b.addText(string(b.tokens.Text()))
		case html.EndTagToken:
			name, _ := b.tokens.TagName()
			b.end(atom.String(name))
		case html.StartTagToken, html.SelfClosingTagToken:
			b.start(kind == html.SelfClosingTagToken)
		}
		if b.nodes > maxNodes {
			return nil, fmt.Errorf("more than %d elements and texts", maxNodes)
		}
	}
}

func (b *treeBuilder) top() *htmlElement { return b.open[len(b.open)-1] }

// add appends a node to the current element.
func (b *treeBuilder) add(n htmlElement) *htmlElement {
	if len(b.arena) == cap(b.arena) {
		b.arena = make([]htmlElement, 0, min(4096, max(64, b.nodes)))
	}
	b.nodes++
	parent := b.top()
	n.parent = parent
	b.arena = append(b.arena, n)
	child := &b.arena[len(b.arena)-1]
	if parent.first == nil {
		parent.first = child
	} else {
		parent.last.next = child
	}
	parent.last = child
	return child
}

func (b *treeBuilder) addText(text string) {
	switch b.top().name {
	case "script", "style", "noembed", "noframes", "iframe", "textarea", "svg":
		return
	}
	b.add(htmlElement{text: text})
}

var (
	voids = setOf("area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image",
		"img", "input", "keygen", "link", "meta", "param", "source", "track", "wbr")

	// blocks lists the elements that end a paragraph.
	blocks = setOf("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
		"dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1",
		"h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "li", "listing", "main", "menu",
		"nav", "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th",
		"thead", "tr", "ul", "xmp")

	headings = setOf("h1", "h2", "h3", "h4", "h5", "h6")

	// walls lists the elements that only the end tags of table parts can close.
	walls = setOf("table", "td", "th", "caption", "#root")

	tableParts = setOf("table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption")
)

// implied contains, for each element whose start closes others, what it closes and where the
// search for it stops.
var implied = map[string]struct{ closes, within map[string]bool }{
	"li":       {setOf("li"), setOf("ul", "ol", "menu", "dir")},
	"dt":       {setOf("dt", "dd"), setOf("dl")},
	"dd":       {setOf("dt", "dd"), setOf("dl")},
	"tr":       {setOf("tr", "caption"), setOf("table", "tbody", "thead", "tfoot")},
	"td":       {setOf("td", "th", "caption"), setOf("table", "tr")},
	"th":       {setOf("td", "th", "caption"), setOf("table", "tr")},
	"tbody":    {setOf("tbody", "thead", "tfoot", "caption"), setOf("table")},
	"thead":    {setOf("tbody", "thead", "tfoot", "caption"), setOf("table")},
	"tfoot":    {setOf("tbody", "thead", "tfoot", "caption"), setOf("table")},
	"option":   {setOf("option"), setOf("select", "datalist")},
	"optgroup": {setOf("option", "optgroup"), setOf("select")},
	"a":        {setOf("a"), nil},
}

// start opens the element of a start tag, which ends with "/>" if isEmpty.
func (b *treeBuilder) start(isEmpty bool) {
	tag, more := b.tokens.TagName()
	n := htmlElement{name: atom.String(tag)}
	for more {
		var key, value []byte
		key, value, more = b.tokens.TagAttr()
		if attributes[string(key)] && len(value) <= maxValue {
			n.attrs = append(n.attrs, attr{atom.String(key), string(value)})
		}
	}
	isEmpty = isEmpty && b.isXML
	if isEmpty {
		b.tokens.NextIsNotRawText()
	}
	if b.ignored == 0 {
		b.closeImplied(n.name)
	}
	switch {
	case isEmpty || voids[n.name]:
		b.add(n)
	case len(b.open) > maxDepth:
		b.ignored++
	default:
		b.open = append(b.open, b.add(n))
		b.counts[n.name]++
	}
}

// closeImplied closes the elements that a start tag closes.
func (b *treeBuilder) closeImplied(name string) {
	if blocks[name] && b.counts["p"] > 0 {
		b.closeUpTo(func(n *htmlElement) bool { return n.name == "p" }, func(n *htmlElement) bool { return walls[n.name] })
	}
	if headings[name] && headings[b.top().name] {
		b.pop(len(b.open) - 1)
	}
	rule, ok := implied[name]
	if !ok {
		return
	}
	isWithin := func(n *htmlElement) bool { return rule.within[n.name] || n.name == "table" }
	if name == "a" {
		isWithin = func(n *htmlElement) bool { return blocks[n.name] }
	}
	b.closeUpTo(func(n *htmlElement) bool { return rule.closes[n.name] }, isWithin)
}

// closeUpTo closes the outermost element for which closes is true. It doesn't look beyond the
// innermost element for which stops is true.
func (b *treeBuilder) closeUpTo(closes, stops func(*htmlElement) bool) {
	found := 0
	for i := len(b.open) - 1; i > 0 && !stops(b.open[i]); i-- {
		if closes(b.open[i]) {
			found = i
		}
	}
	if found > 0 {
		b.pop(found)
	}
}

// pop closes an open element with everything in it.
func (b *treeBuilder) pop(i int) {
	for _, n := range b.open[i:] {
		b.counts[n.name]--
	}
	b.open = b.open[:i]
}

// end closes an element. It ignores an end tag without a start.
func (b *treeBuilder) end(name string) {
	if b.ignored > 0 {
		b.ignored--
		return
	}
	if b.counts[name] == 0 {
		return
	}
	for i := len(b.open) - 1; i > 0; i-- {
		n := b.open[i]
		switch {
		case n.name == name:
			b.pop(i)
			return
		case n.name == "table" || walls[n.name] && !tableParts[name]:
			return
		case blocks[n.name] && !blocks[name]:
			b.neutralize(i, name)
			return
		}
	}
}

// neutralize removes the format of an element that ends in the middle of a block, as in
// <b>bold<p>bold</b>plain. Otherwise, the plain text would be bold, too.
func (b *treeBuilder) neutralize(i int, name string) {
	for ; i > 0; i-- {
		if n := b.open[i]; n.name == name {
			b.counts[name]--
			n.name = "span"
			b.counts["span"]++
			return
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
