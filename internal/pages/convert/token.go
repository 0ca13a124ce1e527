package convert

import (
	"strings"

	"golang.org/x/net/html"
)

// A token is a tag or a piece of text.
type token struct {
	kind  tokenKind
	name  string // of a tag, in lower case
	text  string // with entities decoded
	attrs []attr // of a start tag; only the known ones
	empty bool   // a start tag that ends with "/>"
}

type tokenKind int

const (
	startTag tokenKind = iota
	endTag
	textToken
)

type attr struct{ key, value string }

// attributes lists what a node keeps, because a hostile tag can contain millions of others.
var attributes = setOf("alt", "aria-hidden", "charset", "class", "colspan", "content", "data-lang",
	"data-language", "encoding", "hidden", "href", "http-equiv", "id", "itemprop", "lang", "name",
	"role", "rowspan", "src", "start", "style", "xml:lang")

// maxValue is the most bytes of an attribute. Longer values, such as images in data URLs, are
// dropped because no text needs them.
const maxValue = 4 << 10

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// A tokenizer cuts HTML into tokens as browsers do.
type tokenizer struct {
	html  *html.Tokenizer
	isXML bool
	names map[string]string // of tags and attributes, so that equal names share their memory
}

func newTokenizer(page string, isXML bool) *tokenizer {
	z := &tokenizer{html.NewTokenizer(strings.NewReader(page)), isXML, map[string]string{}}
	z.html.AllowCDATA(isXML)
	return z
}

// next returns the next token. At the end of the page, ok is false.
func (z *tokenizer) next() (t token, ok bool) {
	for {
		switch kind := z.html.Next(); kind {
		case html.ErrorToken:
			return token{}, false
		case html.TextToken:
			return token{kind: textToken, text: string(z.html.Text())}, true
		case html.EndTagToken:
			name, _ := z.html.TagName()
			return token{kind: endTag, name: z.shared(name)}, true
		case html.StartTagToken, html.SelfClosingTagToken:
			return z.startTag(kind == html.SelfClosingTagToken), true
		}
	}
}

func (z *tokenizer) startTag(empty bool) token {
	name, more := z.html.TagName()
	t := token{kind: startTag, name: z.shared(name), empty: empty}
	for more {
		var key, value []byte
		key, value, more = z.html.TagAttr()
		if attributes[string(key)] && len(value) <= maxValue {
			t.attrs = append(t.attrs, attr{z.shared(key), string(value)})
		}
	}
	if z.isXML && empty {
		z.html.NextIsNotRawText()
	}
	return t
}

// maxNames is the most names that a tokenizer keeps.
const maxNames = 1 << 12

func (z *tokenizer) shared(name []byte) string {
	if known, isKnown := z.names[string(name)]; isKnown {
		return known
	}
	if len(name) > 64 {
		return "unknown"
	}
	s := string(name)
	if len(z.names) < maxNames {
		z.names[s] = s
	}
	return s
}
