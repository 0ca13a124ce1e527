package convert

import (
	"cmp"
	"strings"
)

// definitions writes a definition list. If other pages can link to its terms, they become
// headings, so each term and its definition are a section. Otherwise, each term is the bold
// beginning of an item.
func (w *markdownWriter) definitions(n *htmlElement) {
	w.flush()
	write := w.definitionItem
	if w.level < 6 && w.prefix == "" && !w.isCell && !w.isSimple && w.isLinked(n) {
		write = w.definitionSection
	}
	isFirst := true
	var terms []*htmlElement
	w.eachDefinition(n, func(child *htmlElement) {
		if child.name == "dt" {
			terms = append(terms, child)
			return
		}
		write(terms, child, isFirst)
		terms, isFirst = nil, false
	})
	if len(terms) > 0 {
		write(terms, &htmlElement{name: "dd"}, isFirst)
	}
	w.isTight = false
}

// isLinked reports whether other pages can link to at least half of the terms. If only a few terms
// were headings, the terms after each of them would seem to belong to its section.
func (w *markdownWriter) isLinked(n *htmlElement) bool {
	terms, linked := 0, 0
	w.eachDefinition(n, func(child *htmlElement) {
		if child.name == "dt" {
			terms++
			if anchorOfTerm(child) != "" {
				linked++
			}
		}
	})
	return linked > 0 && 2*linked >= terms
}

func anchorOfTerm(n *htmlElement) string { return cmp.Or(idOf(n), anchorIn(n)) }

// eachDefinition calls yield for the terms and definitions of a list, which a div can contain.
// Other elements count as definitions.
func (w *markdownWriter) eachDefinition(n *htmlElement, yield func(*htmlElement)) {
	for child := n.first; child != nil; child = child.next {
		switch {
		case isEmpty(child):
		case child.name == "div":
			w.eachDefinition(child, yield)
		default:
			yield(child)
		}
	}
}

// isEmpty reports whether a node is white space or dropped.
func isEmpty(n *htmlElement) bool {
	if n.name == "" {
		return strings.TrimSpace(n.text) == ""
	}
	return isDropped(n)
}

func (w *markdownWriter) definitionSection(terms []*htmlElement, meaning *htmlElement, _ bool) {
	w.flush()
	w.isTight = false
	outer := w.level
	for _, term := range terms {
		w.term(term)
		w.endHeading(outer+1, anchorOfTerm(term))
	}
	if len(terms) > 0 {
		w.level++
	}
	w.node(meaning)
	w.flush()
	w.level = outer
}

// term writes a term as the text of a heading. A signature becomes code.
func (w *markdownWriter) term(n *htmlElement) {
	w.isTerm = true
	w.line.plain++
	if n.isClass("sig") {
		w.line.code(textOf(n))
	} else {
		w.children(n)
	}
	w.line.plain--
	w.isTerm = false
	w.named = ""
}

func (w *markdownWriter) definitionItem(terms []*htmlElement, meaning *htmlElement, isFirst bool) {
	w.flush()
	w.isTight = w.nesting < maxNesting && (!isFirst && !w.isCell || w.marker != "")
	w.item("- ", func() {
		for i, term := range terms {
			if i > 0 {
				w.breakTerm()
			}
			w.definedTerm(term)
		}
		if len(terms) > 0 && meaning.first != nil {
			w.colon()
		}
		if meaning.name == "dd" {
			w.meaning(meaning)
		} else {
			w.node(meaning)
		}
	})
}

func (w *markdownWriter) definedTerm(term *htmlElement) {
	if containsBlock(term) {
		w.children(term)
		return
	}
	if term.isClass("sig") {
		w.line.code(textOf(term))
		return
	}
	w.isTerm = true
	w.marked(term, "**")
	w.isTerm = false
}

// colon writes a colon after a term, unless the term ends with a colon.
func (w *markdownWriter) colon() {
	if text := strings.TrimRight(string(w.line.text[max(0, len(w.line.text)-8):]), "*"); !strings.HasSuffix(text, ":") {
		w.line.raw(":")
	}
	w.line.space = true
}

func (w *markdownWriter) breakTerm() {
	if text := w.line.text; len(text) > 0 && text[len(text)-1] != ',' {
		w.line.text = append(text, ',')
	}
	w.line.space = true
}

// meaning writes a definition. Its first paragraph continues the line of the term.
func (w *markdownWriter) meaning(n *htmlElement) {
	child := n.first
	for child != nil && child.name == "" && isEmpty(child) {
		child = child.next
	}
	if child != nil && child.name == "p" && !isDropped(child) {
		w.children(child)
		w.flush()
		child = child.next
	}
	for ; child != nil; child = child.next {
		w.node(child)
	}
	w.flush()
}
