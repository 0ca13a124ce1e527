package convert

import (
	"html"
	"strings"
)

// A token is a tag or a piece of text. Its strings are parts of the page, so tokens
// take no memory of their own.
type token struct {
	kind  tokenKind
	name  string // of a tag, in lower case
	text  string // with entities decoded
	attrs []attr // of a start tag; other attributes than the known ones are left out
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

// A tokenizer cuts HTML into tokens as browsers do. It reads each byte a constant number of
// times because a comment or a value without an end extends to the end of the page.
type tokenizer struct {
	page  string
	at    int
	isXML bool
	raw   string // the element whose content is plain text, or ""
	names map[string]string
}

// rawText lists the elements whose content is plain text. Since we run no scripts, noscript isn't
// among them.
var rawText = setOf("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")

// next returns the next token. At the end of the page, ok is false.
func (z *tokenizer) next() (t token, ok bool) {
	if z.raw != "" {
		name := z.raw
		z.raw = ""
		if text := z.rawText(name); text != "" {
			if name == "title" || name == "textarea" {
				text = html.UnescapeString(text)
			}
			return token{kind: textToken, text: text}, true
		}
	}
	for z.at < len(z.page) {
		if end := z.textEnd(); end > z.at {
			text := z.page[z.at:end]
			z.at = end
			return token{kind: textToken, text: html.UnescapeString(text)}, true
		}
		if t, ok := z.markup(); ok {
			return t, true
		}
	}
	return token{}, false
}

// textEnd returns where the text from here ends: at the next "<" that begins markup.
func (z *tokenizer) textEnd() int {
	for at := z.at; ; at++ {
		n := strings.IndexByte(z.page[at:], '<')
		if n < 0 || at+n+1 >= len(z.page) {
			return len(z.page)
		}
		at += n
		if c := z.page[at+1]; c == '!' || c == '/' || c == '?' || isLetter(c) {
			return at
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// rawText returns the text up to the end tag of an element.
func (z *tokenizer) rawText(name string) string {
	start := z.at
	for {
		n := strings.Index(z.page[z.at:], "</")
		if n < 0 {
			z.at = len(z.page)
			return z.page[start:]
		}
		z.at += n
		rest := z.page[z.at+len("</"):]
		if len(rest) > len(name) && strings.EqualFold(rest[:len(name)], name) && !isLetter(rest[len(name)]) {
			return z.page[start:z.at]
		}
		z.at += len("</")
	}
}

// markup skips a piece of markup and returns it if it's a tag or text.
func (z *tokenizer) markup() (t token, ok bool) {
	rest := z.page[z.at:]
	switch {
	case strings.HasPrefix(rest, "<!--"):
		z.comment(rest)
	case z.isXML && strings.HasPrefix(rest, "<![CDATA["):
		text, _, _ := strings.Cut(rest[len("<![CDATA["):], "]]>")
		z.at = min(len(z.page), z.at+len("<![CDATA[")+len(text)+len("]]>"))
		return token{kind: textToken, text: text}, text != ""
	case len(rest) > 2 && rest[1] == '/' && isLetter(rest[2]):
		z.at += len("</")
		t = token{kind: endTag, name: z.name()}
		_, _, ok = z.attrs()
		return t, ok
	case isLetter(rest[1]):
		z.at++
		t = token{kind: startTag, name: z.name()}
		t.attrs, t.empty, ok = z.attrs()
		if rawText[t.name] && !(z.isXML && t.empty) {
			z.raw = t.name
		}
		return t, ok
	default: // a document type, or something that browsers read as a comment
		z.skipTo(">")
	}
	return token{}, false
}

func (z *tokenizer) comment(rest string) {
	for _, short := range []string{"<!-->", "<!--->"} {
		if strings.HasPrefix(rest, short) {
			z.at += len(short)
			return
		}
	}
	z.at += len("<!--")
	z.skipTo("-->")
}

func (z *tokenizer) skipTo(text string) {
	if n := strings.Index(z.page[z.at:], text); n >= 0 {
		z.at += n + len(text)
	} else {
		z.at = len(z.page)
	}
}

// maxNames is the most names of elements in lower case that a tokenizer keeps.
const maxNames = 1 << 12

func (z *tokenizer) name() string {
	start := z.at
	for z.at < len(z.page) && !isSpace(z.page[z.at]) && z.page[z.at] != '/' && z.page[z.at] != '>' {
		z.at++
	}
	name := z.page[start:z.at]
	if len(name) > 64 {
		return "unknown"
	}
	return z.lower(name)
}

// lower returns a name in lower case and allocates it only once.
func (z *tokenizer) lower(name string) string {
	for i := range len(name) {
		if 'A' <= name[i] && name[i] <= 'Z' {
			if low, ok := z.names[name]; ok {
				return low
			}
			low := strings.ToLower(name)
			if len(z.names) < maxNames {
				z.names[name] = low
			}
			return low
		}
	}
	return name
}

// attrs reads the rest of a tag; ok is false if the page ends in it.
func (z *tokenizer) attrs() (kept []attr, empty, ok bool) {
	for z.at < len(z.page) {
		switch c := z.page[z.at]; {
		case c == '>':
			z.at++
			return kept, empty, true
		case isSpace(c):
			z.at++
		case c == '/':
			z.at++
			empty = z.at < len(z.page) && z.page[z.at] == '>'
		default:
			kept = z.attr(kept)
		}
	}
	return nil, false, false
}

// attr reads an attribute and appends it if nodes keep it.
func (z *tokenizer) attr(kept []attr) []attr {
	start := z.at
	for z.at++; z.at < len(z.page) && !isSpace(z.page[z.at]) && strings.IndexByte("/>=", z.page[z.at]) < 0; {
		z.at++
	}
	key := z.page[start:z.at]
	after := z.at
	for after < len(z.page) && isSpace(z.page[after]) {
		after++
	}
	value := ""
	if after < len(z.page) && z.page[after] == '=' {
		z.at = after + 1
		value = z.value()
	} else {
		z.at = after
	}
	if len(key) > len("data-language") || len(value) > maxValue {
		return kept
	}
	if key = z.lower(key); !attributes[key] {
		return kept
	}
	for _, a := range kept {
		if a.key == key {
			return kept
		}
	}
	return append(kept, attr{key, unescapeValue(value)})
}

// value reads the value of an attribute after its "=".
func (z *tokenizer) value() string {
	for z.at < len(z.page) && isSpace(z.page[z.at]) {
		z.at++
	}
	if z.at == len(z.page) {
		return ""
	}
	if quote := z.page[z.at]; quote == '"' || quote == '\'' {
		z.at++
		start := z.at
		z.skipTo(string(quote))
		if z.at == len(z.page) && (z.at == start || z.page[z.at-1] != quote) {
			return ""
		}
		return z.page[start : z.at-1]
	}
	start := z.at
	for z.at < len(z.page) && !isSpace(z.page[z.at]) && z.page[z.at] != '>' {
		z.at++
	}
	return z.page[start:z.at]
}

// unescapeValue decodes the entities of an attribute. Unlike in text, they must end
// with a semicolon: "?a=1&copy=2" contains none.
func unescapeValue(value string) string {
	if strings.IndexByte(value, '&') < 0 {
		return value
	}
	var text strings.Builder
	for {
		before, entity, found := strings.Cut(value, "&")
		text.WriteString(before)
		if !found {
			return text.String()
		}
		n := 0
		for n < len(entity) && n < 32 && (isLetter(entity[n]) || '0' <= entity[n] && entity[n] <= '9' || entity[n] == '#') {
			n++
		}
		if n < len(entity) && entity[n] == ';' {
			n++
			text.WriteString(html.UnescapeString("&" + entity[:n]))
		} else {
			text.WriteString("&" + entity[:n])
		}
		value = entity[n:]
	}
}
