package convert

import (
	"net/url"
	"path"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// numberIn parses a number and limits it to a range. It returns low for other texts.
func numberIn(text string, low, high int) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < low {
		return low
	}
	return min(n, high)
}

// marked writes an element between marks, unless the same marks are already open.
func (w *writer) marked(n *node, open, end string) {
	if w.line.plain > 0 || w.line.hasMark(open) {
		w.children(n)
		return
	}
	w.line.open(open, end)
	w.children(n)
	w.line.close()
}

func (w *writer) strong(n *node)   { w.marked(n, "**", "**") }
func (w *writer) emphasis(n *node) { w.marked(n, "*", "*") }
func (w *writer) strike(n *node)   { w.marked(n, "~~", "~~") }

func (w *writer) quoted(n *node) {
	w.line.raw("“")
	w.children(n)
	w.line.space = false
	w.line.raw("”")
}

func (w *writer) ruby(n *node) {
	w.line.space = true
	w.line.raw("(")
	w.children(n)
	w.line.raw(")")
}

// superscript writes 2<sup>31</sup> as 2^31, because it would read as 231 otherwise.
func (w *writer) superscript(n *node) { w.raised(n, "^") }

func (w *writer) subscript(n *node) { w.raised(n, "_") }

func (w *writer) raised(n *node, sign string) {
	text := plainText(n, 256)
	if text == "" || n.hasClass(footnoteClasses) || firstElement(n) == "a" || w.line.space || w.line.isEmpty() {
		w.children(n)
		return
	}
	isPlain := !strings.ContainsFunc(text, func(r rune) bool { return r < 0x80 && !isWordByte(byte(r)) })
	w.line.raw(sign)
	if isPlain {
		w.children(n)
		return
	}
	w.line.raw("(")
	w.children(n)
	w.line.raw(")")
}

var footnoteClasses = setOf("footnote", "footnote-ref", "fn", "reference")

func firstElement(n *node) string {
	for child := n.first; child != nil; child = child.next {
		if child.name != "" {
			return child.name
		}
	}
	return ""
}

func (w *writer) codeSpan(n *node) {
	w.noteAnchor(n)
	if containsBlock(n) {
		w.children(n)
		return
	}
	if w.line.hasMark("``") {
		w.children(n)
		return
	}
	w.line.code(textOf(n))
}

// containsBlock reports whether an element contains a block or an image.
func containsBlock(n *node) bool {
	for child := n.first; child != nil; child = child.next {
		if blocks[child.name] || child.name == "img" || child.first != nil && containsBlock(child) {
			return true
		}
	}
	return false
}

// math writes the TeX source of a formula, if the page contains it.
func (w *writer) math(n *node) {
	if tex := texOf(n); tex != "" {
		w.line.code(tex)
		return
	}
	w.children(n)
}

func texOf(n *node) string {
	if n.name == "annotation" {
		if n.attr("encoding") == "application/x-tex" {
			return textOf(n)
		}
		return ""
	}
	for child := n.first; child != nil; child = child.next {
		if tex := texOf(child); tex != "" {
			return tex
		}
	}
	return ""
}

func (w *writer) lineBreak(*node) {
	if w.isTerm {
		w.breakTerm()
		return
	}
	if w.line.plain > 0 {
		w.line.space = true
		return
	}
	if !w.line.isEmpty() {
		w.line.space = false
		w.line.text = append(w.line.text, '\n')
	}
}

// link writes a link, or only its text if a link can't be written there.
func (w *writer) link(n *node) {
	w.noteAnchor(n)
	target := w.target(n.attr("href"))
	if target == "" || w.line.plain > 0 || w.line.hasMark("[") {
		w.children(n)
		return
	}
	w.line.open("[", "]("+target+")")
	w.children(n)
	w.line.close()
}

// target returns the target of a link unchanged, unless the page declares a base or the target
// contains characters that would end a link in Markdown.
func (w *writer) target(href string) string {
	href = strings.TrimSpace(href)
	scheme, _, found := strings.Cut(strings.ToLower(href), ":")
	if found && (scheme == "javascript" || scheme == "data" || scheme == "vbscript") {
		return ""
	}
	if w.base != "" && href != "" && href[0] != '#' {
		href = resolve(w.base, href)
	}
	if !strings.ContainsFunc(href, isOddInLink) {
		return href
	}
	var escaped strings.Builder
	for i := range len(href) {
		switch c := href[i]; {
		case c <= ' ' || c == 0x7f:
			escaped.WriteString(percent(c))
		case strings.IndexByte(`<>()\`, c) >= 0:
			escaped.WriteString(percent(c))
		default:
			escaped.WriteByte(c)
		}
	}
	return escaped.String()
}

func isOddInLink(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`<>()\`, r) }

func percent(c byte) string {
	const digits = "0123456789ABCDEF"
	return string([]byte{'%', digits[c>>4], digits[c&15]})
}

// resolve resolves a link. If the base is relative, the result is relative, too.
func resolve(base, href string) string {
	b, err := url.Parse(base)
	if err != nil {
		return href
	}
	to, err := url.Parse(href)
	if err != nil || to.IsAbs() || to.Host != "" {
		return href
	}
	if b.IsAbs() || strings.HasPrefix(b.Path, "/") {
		return b.ResolveReference(to).String()
	}
	if strings.HasPrefix(to.Path, "/") {
		return href
	}
	dir, _ := path.Split(b.Path)
	isDirectory := strings.HasSuffix(to.Path, "/")
	if to.Path = path.Join(dir, to.Path); isDirectory {
		to.Path += "/"
	}
	return to.String()
}

// image writes an image by its alternative text.
func (w *writer) image(n *node) {
	alt := n.attr("alt")
	if fold(alt) == "" {
		return
	}
	source := w.target(n.attr("src"))
	if source == "" || w.line.plain > 0 || w.line.hasMark("[") {
		w.line.write(alt)
		return
	}
	w.line.word()
	w.line.open("![", "]("+source+")")
	w.line.write(alt)
	w.line.close()
}
