package convert

import (
	"cmp"
	"context"
	"strings"
)

func convertHTML(ctx context.Context, content []byte) (Converted, error) {
	return convertMarkup(ctx, content, false)
}

func convertXHTML(ctx context.Context, content []byte) (Converted, error) {
	return convertMarkup(ctx, content, true)
}

func convertMarkup(ctx context.Context, content []byte, isXML bool) (Converted, error) {
	text, err := decode(content)
	if err != nil {
		return Converted{}, err
	}
	root, err := parse(ctx, text, isXML)
	if err != nil {
		return Converted{}, err
	}
	var head htmlHead
	head.read(root)
	if head.refresh != "" {
		return Converted{}, skip("the page redirects to %.200q", head.refresh)
	}
	main := contentOf(root)
	if isIndex(main) {
		return Converted{}, skip("the page is an index of links")
	}
	w := &markdownWriter{ctx: ctx, base: head.base, anchors: map[string]bool{}}
	w.planHeadings(main, head.title)
	w.children(main)
	w.flush()
	switch isEmpty := len(w.out) == 0 || !w.hasText; {
	case w.err != nil:
	case isEmpty && head.isFrameset:
		return Converted{}, skip("the page consists of frames")
	case isEmpty:
		return Converted{}, skip("the page contains no text")
	}
	return w.converted(head.title, map[string]string{"description": head.description, "lang": head.lang})
}

// An htmlHead contains what a page says about itself. Its elements count anywhere, since their
// start tags do.
type htmlHead struct {
	title, description, lang string
	base                     string // that links are relative to, or ""
	refresh                  string // the page that it redirects to, or ""
	isFrameset               bool
}

func (h *htmlHead) read(n *htmlElement) {
	switch n.name {
	case "html":
		h.lang = fold(cmp.Or(n.attr("lang"), n.attr("xml:lang")))
	case "title":
		if n.first != nil && h.title == "" {
			h.title = fold(n.first.text)
		}
	case "base":
		h.base = cmp.Or(h.base, n.attr("href"))
	case "frameset":
		h.isFrameset = true
	case "meta":
		h.readMeta(n)
	case "svg", "template", "noscript":
		return
	}
	for child := n.first; child != nil; child = child.next {
		h.read(child)
	}
}

func (h *htmlHead) readMeta(n *htmlElement) {
	content := n.attr("content")
	switch {
	case strings.EqualFold(n.attr("name"), "description") && h.description == "":
		h.description = fold(content)
	case strings.EqualFold(n.attr("http-equiv"), "refresh") && h.refresh == "":
		_, target, _ := strings.Cut(content, ";")
		name, url, found := strings.Cut(strings.TrimSpace(target), "=")
		if found && strings.EqualFold(strings.TrimSpace(name), "url") {
			h.refresh = strings.Trim(strings.TrimSpace(url), `'"`)
		}
	}
}

// fold folds white space and drops invisible characters.
func fold(text string) string {
	return strings.Map(dropInvisible, strings.Join(strings.FieldsFunc(text, isBlank), " "))
}

// plainText returns the visible text of a node, folded. It stops after about limit bytes.
func plainText(n *htmlElement, limit int) string {
	var text strings.Builder
	collect := func(n *htmlElement) (goesOn bool) {
		if text.Len() >= limit {
			return false
		}
		text.WriteString(n.text[:cutLength(n.text, limit)])
		if n.name == "br" {
			text.WriteByte(' ')
		}
		return !isSign(n)
	}
	collect(n)
	n.walk(collect)
	return fold(text.String())
}

// cutLength returns where to cut a text so that at most limit bytes of whole characters remain.
func cutLength(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	for limit > 0 && text[limit]&0xC0 == 0x80 {
		limit--
	}
	return limit
}

// signs lists the texts of links from a heading to itself.
var signs = setOf("", "#", "¶", "§", "🔗", "🔗︎", "⚓", "∞", "link", "Link", "Permalink", "[link]", "Anchor")

// isSign reports whether an element is the sign that links a heading to itself. In manual pages,
// for example, such links contain the heading, so only their text can tell.
func isSign(n *htmlElement) bool {
	return n.name == "a" && (strings.HasPrefix(n.attr("href"), "#") || n.hasClass(signClasses)) && signs[plainTextOfLink(n)]
}

var signClasses = setOf("headerlink", "anchor", "hash-link", "permalink", "anchorjs-link", "header-anchor", "heading-anchor",
	"doc-anchor", "anchor-link", "direct-link", "id_link")

// plainTextOfLink returns the beginning of the text of a link, including that of images.
func plainTextOfLink(n *htmlElement) string {
	text := ""
	n.contains(func(c *htmlElement) bool {
		text += c.text[:cutLength(c.text, 16)]
		if c.name == "img" {
			text += c.attr("alt")
		}
		return len(text) >= 32
	})
	return fold(text)
}
