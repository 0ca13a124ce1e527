package convert

import (
	"cmp"
	"strings"

	"github.com/contextcompiler/context/internal/pages/markdown"
)

// planHeadings decides which heading is the title of the page. If no heading is of level 1, it's
// the first heading, provided that the title element contains it; otherwise, the title element
// becomes a heading. In manual pages, all sections are of level 1, so they move down.
func (w *markdownWriter) planHeadings(main *htmlElement, title string) {
	w.root, w.headed = main, map[*htmlElement]bool{}
	first, ones := findHeadings(main)
	text := ""
	if first != nil {
		text = plainText(first, 512)
	}
	switch {
	case ones == 1 || title == "" && first == nil:
	case ones > 1 && (title == "" || isTitle(title, text)):
	case ones > 1:
		w.shift = 1
		w.writeTitle(title)
	case first != nil && (title == "" || isTitle(title, text)):
		w.first = first
	default:
		w.writeTitle(title)
	}
}

func isTitle(title, heading string) bool {
	return heading != "" && strings.Contains(strings.ToLower(title), strings.ToLower(heading))
}

// findHeadings returns the first heading and how many of level 1 there are.
func findHeadings(main *htmlElement) (first *htmlElement, ones int) {
	main.walk(func(n *htmlElement) bool {
		isHeading := headings[n.name]
		if isHeading && first == nil {
			first = n
		}
		if n.name == "h1" && plainText(n, 64) != "" {
			ones++
		}
		return !isHeading
	})
	return first, ones
}

func (w *markdownWriter) writeTitle(title string) {
	w.line.plain++
	w.line.write(title)
	w.line.plain--
	w.endHeading(1, "")
	w.hasText = false // a title alone is not a page
}

// heading writes a heading. In lists, cells and notes, it's a bold paragraph instead.
func (w *markdownWriter) heading(n *htmlElement) {
	if w.isCell || w.isSimple || w.prefix != "" {
		w.boldBlock(n)
		return
	}
	w.flush()
	level := min(int(n.name[1]-'0')+w.shift, 6)
	if n == w.first {
		level = 1
	}
	anchor := w.anchorOf(n)
	w.line.plain++
	if n.isClass("code-header") {
		w.line.code(textOf(n))
	} else {
		w.children(n)
	}
	w.line.plain--
	w.level = level
	hasText := w.hasText
	w.endHeading(level, anchor)
	w.hasText = hasText // headings alone are not a page
}

// maxHeading is the most bytes of a heading; package markdown reads no longer ones.
const maxHeading = 4 << 10

// endHeading writes the current line as a heading. It only writes the anchor if the heading
// would get a different anchor without it.
func (w *markdownWriter) endHeading(level int, anchor string) {
	text := string(w.line.take())
	if text == "" {
		return
	}
	if len(text) > maxHeading-512 {
		w.lines(text)
		return
	}
	w.hasText = true
	slug := slugOf(text)
	heading := strings.Repeat("#", level) + " " + text
	if anchor != "" && !w.anchors[anchor] && (anchor != slug || w.anchors[slug]) {
		heading += " " + markdown.AnchorComment(anchor)
	} else if strings.HasSuffix(text, "}") || strings.HasSuffix(text, "#") {
		heading += " #" // what ends the text is part of it
	}
	w.anchors[cmp.Or(anchor, slug)] = true
	w.lines(heading)
}

// slugOf returns the anchor that package markdown gives to a heading without a name.
func slugOf(text string) string {
	return markdown.Parse([]byte("# " + text)).Blocks[0].Anchor
}

// noteAnchor keeps the name of an empty anchor, because a heading may follow it.
func (w *markdownWriter) noteAnchor(n *htmlElement) {
	if name := cmp.Or(n.attr("id"), n.attr("name")); name != "" && n.name != "code" && w.line.isEmpty() && isUsable(name) {
		w.named = name
	}
}

// anchorOf returns the anchor of a heading. Generators put it on the heading, in it, on an
// element that begins with the heading, or right before it.
func (w *markdownWriter) anchorOf(n *htmlElement) string {
	named := w.named
	w.named = ""
	own := anchorOfTerm(n)
	for p := n.parent; p != w.root.parent && !w.headed[p]; p = p.parent {
		w.headed[p] = true
		if own == "" && !outerIDs[p.attr("id")] && (p != w.root || p.name == "section" || p.hasClass(sectionClasses)) {
			own = idOf(p)
		}
	}
	return cmp.Or(own, named)
}

// outerIDs lists IDs that are the same on every page of a generator.
var outerIDs = setOf("content", "header", "main", "main-content", "mainContent")

func idOf(n *htmlElement) string {
	if id := n.attr("id"); isUsable(id) {
		return id
	}
	return ""
}

func anchorIn(n *htmlElement) (name string) {
	n.contains(func(c *htmlElement) bool {
		if c.name == "a" || c.name == "span" {
			name = cmp.Or(idOf(c), c.attr("name"))
		}
		if !isUsable(name) {
			name = ""
		}
		return name != ""
	})
	return name
}

// maxAnchor is the most bytes of an anchor.
const maxAnchor = 256

// isUsable reports whether a heading can name an anchor. The numbers that DocBook gives to other
// elements, such as id-1.5.8, don't count because they change with every edit.
func isUsable(anchor string) bool {
	return anchor != "" && len(anchor) <= maxAnchor && !strings.HasPrefix(anchor, "id-1.") && !strings.HasPrefix(anchor, "ientry-") && markdown.AnchorComment(anchor) != ""
}
