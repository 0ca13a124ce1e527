package convert

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// numberIn parses a number and limits it to a range. It returns low for other texts.
func numberIn(text string, low, high int) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < low {
		return low
	}
	return min(n, high)
}

// marked writes an element between marks, unless the same marks are already open.
func (w *markdownWriter) marked(n *htmlElement, mark string) {
	if w.line.plain > 0 || w.line.hasMark(mark) {
		w.children(n)
		return
	}
	w.line.open(mark, mark)
	w.children(n)
	w.line.close()
}

func (w *markdownWriter) quoted(n *htmlElement) {
	w.line.raw("“")
	w.children(n)
	w.line.space = false
	w.line.raw("”")
}

func (w *markdownWriter) ruby(n *htmlElement) {
	w.line.space = true
	w.line.raw("(")
	w.children(n)
	w.line.raw(")")
}

// raised writes 2<sup>31</sup> as 2^31, because it would read as 231 otherwise.
func (w *markdownWriter) raised(n *htmlElement) {
	text := plainText(n, 256)
	if text == "" || n.hasClass(footnoteClasses) || firstElement(n) == "a" || w.line.space || w.line.isEmpty() {
		w.children(n)
		return
	}
	if n.name == "sup" {
		w.line.raw("^")
	} else {
		w.line.raw("_")
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return r < 0x80 && !isWordByte(byte(r)) }) {
		w.children(n)
		return
	}
	w.line.raw("(")
	w.children(n)
	w.line.raw(")")
}

var footnoteClasses = setOf("footnote", "footnote-ref", "fn", "reference")

func firstElement(n *htmlElement) string {
	for child := n.first; child != nil; child = child.next {
		if child.name != "" {
			return child.name
		}
	}
	return ""
}

func (w *markdownWriter) codeSpan(n *htmlElement) {
	w.noteAnchor(n)
	if containsBlock(n) {
		w.children(n)
	} else {
		w.line.code(textOf(n))
	}
}

// containsBlock reports whether an element contains a block or an image.
func containsBlock(n *htmlElement) bool {
	return n.contains(func(c *htmlElement) bool { return blocks[c.name] || c.name == "img" })
}

// math writes the TeX source of a formula, if the page contains it.
func (w *markdownWriter) math(n *htmlElement) {
	tex := ""
	isTeX := func(c *htmlElement) bool {
		if c.name == "annotation" && c.attr("encoding") == "application/x-tex" {
			tex = textOf(c)
		}
		return tex != ""
	}
	if n.contains(isTeX) {
		w.line.code(tex)
	} else {
		w.children(n)
	}
}

func (w *markdownWriter) lineBreak(*htmlElement) {
	switch {
	case w.isTerm:
		w.breakTerm()
	case w.line.plain > 0:
		w.line.space = true
	case !w.line.isEmpty():
		w.line.space = false
		w.line.text = append(w.line.text, '\n')
	}
}

// link writes a link, or only its text if a link can't be written there.
func (w *markdownWriter) link(n *htmlElement) {
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
func (w *markdownWriter) target(href string) string {
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
		if c := href[i]; isOddInLink(rune(c)) {
			fmt.Fprintf(&escaped, "%%%02X", c)
		} else {
			escaped.WriteByte(c)
		}
	}
	return escaped.String()
}

func isOddInLink(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`<>()\`, r) }

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
func (w *markdownWriter) image(n *htmlElement) {
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
	w.line.wrap("![", alt, "]("+source+")")
}
