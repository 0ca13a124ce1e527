package convert

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"strings"
)

// A markdownWriter writes the elements of a page as blocks of Markdown.
type markdownWriter struct {
	ctx context.Context
	err error
	out []byte

	line       inliner // the current paragraph
	prefix     string  // of each line: quotations, and the indentation of lists
	outer      string  // prefix of the blank line before the first block in a list or quotation
	isEntering bool    // no such block is written yet
	marker     string  // of the first line of a list's item, instead of the end of prefix
	nesting    int     // lists and quotations around the current block
	isTight    bool    // no blank line before the next block
	isCell     bool    // in a cell of a table, where blocks are joined by <br>
	hasText    bool
	isPlain    bool // in a list without headings
	isTerm     bool // in a term of a definition list
	isSimple   bool // in an element whose headings are bold text, such as a note

	base    string
	root    *htmlElement          // the element with the text of the page
	anchors map[string]bool       // so far, of headings
	headed  map[*htmlElement]bool // elements that contain a heading
	named   string                // of an empty anchor before the next text
	level   int                   // of the last heading
	shift   int                   // added to the levels of headings
	first   *htmlElement          // the heading that is the title of the page, if its level is not 1
}

// maxNesting is the most lists and quotations around a block. Deeper blocks are not indented
// further because each level adds bytes to every line.
const maxNesting = 16

// ended reports whether nothing else should be written, because of an error, the end of the context
// or the size of the page.
func (w *markdownWriter) ended() bool {
	switch {
	case w.err != nil:
	case w.ctx.Err() != nil:
		w.err = context.Cause(w.ctx)
	case len(w.out) > MaxSize || len(w.line.text) > MaxSize:
		w.err = errLarge
	}
	return w.err != nil
}

// converted returns what was written. Empty metadata is left out.
func (w *markdownWriter) converted(title string, metadata map[string]string) (Converted, error) {
	if w.err != nil {
		return Converted{}, w.err
	}
	maps.DeleteFunc(metadata, func(_, value string) bool { return value == "" })
	if len(metadata) == 0 {
		metadata = nil
	}
	return Converted{append(trimRight(w.out), '\n'), title, metadata}, nil
}

func (w *markdownWriter) children(n *htmlElement) {
	for child := n.first; child != nil; child = child.next {
		w.node(child)
	}
}

func (w *markdownWriter) node(n *htmlElement) {
	if w.ended() {
		return
	}
	if n.name == "" {
		w.line.write(n.text)
		if w.named != "" && !w.line.isEmpty() {
			w.named = ""
		}
		return
	}
	if isDropped(n) || isSign(n) {
		return
	}
	if mark := inlineMarks[n.name]; mark != "" {
		w.marked(n, mark)
	} else if write, ok := elements[n.name]; ok {
		write(w, n)
	} else {
		w.other(n)
	}
}

// inlineMarks are the marks around the text of elements.
var inlineMarks = map[string]string{
	"b": "**", "strong": "**", "i": "*", "em": "*", "var": "*", "cite": "*", "dfn": "*", "s": "~~", "del": "~~", "strike": "~~",
}

// elements contains the functions that write elements. They refer to the map, so init must
// fill it.
var elements map[string]func(w *markdownWriter, n *htmlElement)

func init() {
	elements = map[string]func(w *markdownWriter, n *htmlElement){
		"h1": (*markdownWriter).heading, "h2": (*markdownWriter).heading, "h3": (*markdownWriter).heading,
		"h4": (*markdownWriter).heading, "h5": (*markdownWriter).heading, "h6": (*markdownWriter).heading,

		"p": (*markdownWriter).paragraph, "pre": (*markdownWriter).pre, "listing": (*markdownWriter).pre, "xmp": (*markdownWriter).pre,
		"ul": (*markdownWriter).list, "ol": (*markdownWriter).list, "menu": (*markdownWriter).list, "dir": (*markdownWriter).list,
		"dd": (*markdownWriter).block, "dl": (*markdownWriter).definitions, "table": (*markdownWriter).table, "blockquote": (*markdownWriter).quote,
		"hr": (*markdownWriter).rule, "summary": (*markdownWriter).summary, "figcaption": (*markdownWriter).block,
		"math": (*markdownWriter).math,

		"a": (*markdownWriter).link, "img": (*markdownWriter).image, "br": (*markdownWriter).lineBreak,
		"code": (*markdownWriter).codeSpan, "tt": (*markdownWriter).codeSpan, "samp": (*markdownWriter).codeSpan, "kbd": (*markdownWriter).codeSpan,
		"th": (*markdownWriter).block, "td": (*markdownWriter).block,
		"sup": (*markdownWriter).raised, "sub": (*markdownWriter).raised, "q": (*markdownWriter).quoted, "rt": (*markdownWriter).ruby,
	}
}

// other writes an element that elements doesn't contain.
func (w *markdownWriter) other(n *htmlElement) {
	if !blocks[n.name] {
		w.noteAnchor(n)
		w.children(n)
		return
	}
	w.flush()
	simple := w.isSimple
	switch {
	case n.hasClass(signatureClasses) && !w.isCell:
		w.fence(fold(textOf(n)), "java")
		return
	case n.hasClass(titleClasses):
		w.boldBlock(n)
		return
	case n.hasClass(noteClasses):
		w.isSimple = true
	case n.name == "code" && n.isClass("code-block"): // its lines are elements
		w.pre(n)
		return
	}
	w.children(n)
	w.flush()
	w.isSimple = simple
}

var (
	// signatureClasses lists the classes of declarations in Javadoc.
	signatureClasses = setOf("member-signature", "type-signature")

	// titleClasses lists the classes of titles that don't begin sections.
	titleClasses = setOf("admonition-title", "topic-title", "admonition-heading", "caption-text", "rubric", "title", "sidebar-title")

	// noteClasses lists the classes of notes. A heading in a note doesn't begin a section.
	noteClasses = setOf("admonition", "admonitionblock", "note", "tip", "warning", "caution", "important", "danger",
		"sidebarblock", "exampleblock", "sidebar", "example", "theme-admonition", "callout", "alert")
)

func (w *markdownWriter) paragraph(n *htmlElement) {
	if n.hasClass(titleClasses) {
		w.boldBlock(n)
	} else {
		w.block(n)
	}
}

func (w *markdownWriter) block(n *htmlElement) {
	w.flush()
	w.children(n)
	w.flush()
}

func (w *markdownWriter) boldBlock(n *htmlElement) {
	w.flush()
	w.marked(n, "**")
	w.flush()
}

// flush ends the current paragraph and writes it.
func (w *markdownWriter) flush() {
	text := w.line.take()
	if len(text) == 0 {
		return
	}
	w.hasText = true
	if w.isCell {
		w.cellBlock(text)
		return
	}
	w.begin()
	for i, line := range strings.Split(string(text), "\n") {
		if i > 0 {
			w.out = append(w.out, '\n')
			w.out = append(w.out, w.prefix...)
		}
		w.out = append(w.out, escapeLine(line)...)
	}
	w.out = append(w.out, '\n')
}

// begin writes a blank line, unless the block continues a tight list, and the beginning of the
// first line of a block.
func (w *markdownWriter) begin() {
	if len(w.out) > 0 && !w.isTight {
		blank := w.prefix
		if w.isEntering {
			blank = w.outer
		}
		w.out = append(w.out, strings.TrimRight(blank, " ")...)
		w.out = append(w.out, '\n')
	}
	w.isTight, w.isEntering = false, false
	if w.marker != "" {
		w.out = append(w.out, w.marker...)
		w.marker = ""
		return
	}
	w.out = append(w.out, w.prefix...)
}

func (w *markdownWriter) cellBlock(text []byte) {
	if len(w.out) > 0 {
		w.out = append(w.out, "<br>"...)
	}
	w.out = append(w.out, w.marker...)
	w.marker = ""
	w.out = append(w.out, strings.ReplaceAll(string(text), "\n", "<br>")...)
}

// lines writes a block without escaping its lines, unless there are none.
func (w *markdownWriter) lines(lines ...string) {
	if len(lines) == 0 || w.err != nil {
		return
	}
	w.hasText = true
	w.begin()
	for i, line := range lines {
		if i > 0 {
			w.out = append(w.out, strings.TrimRight(w.prefix, " ")...)
			if line != "" {
				w.out = append(w.out, w.prefix[len(strings.TrimRight(w.prefix, " ")):]...)
			}
		}
		w.out = append(w.out, line...)
		w.out = append(w.out, '\n')
		if len(w.out) > MaxSize {
			w.err = errLarge
			return
		}
	}
}

func (w *markdownWriter) rule(*htmlElement) {
	w.flush()
	if !w.isCell && w.hasText {
		w.lines("---")
	}
}

func (w *markdownWriter) summary(n *htmlElement) {
	for child := n.first; child != nil; child = child.next {
		if blocks[child.name] {
			w.block(n)
			return
		}
	}
	w.boldBlock(n)
}

// nested writes blocks in an item of a list or in a quotation.
func (w *markdownWriter) nested(prefix, marker string, write func()) {
	w.flush()
	before, outer := w.prefix, w.marker
	w.nesting++
	if w.nesting <= maxNesting && !w.isCell {
		if !w.isEntering {
			w.outer, w.isEntering = before, true
		}
		w.prefix += prefix
	}
	switch {
	case marker == "":
	case w.isCell:
		w.marker = marker
	case w.nesting <= maxNesting:
		w.marker = cmp.Or(w.marker, before) + marker // an outer item can begin in the same line
	}
	write()
	w.flush()
	w.nesting--
	w.prefix = before
	if w.marker != "" { // nothing was written
		w.marker = outer
	}
}

// item writes an item of a list.
func (w *markdownWriter) item(marker string, write func()) {
	w.nested(strings.Repeat(" ", len(marker)), marker, write)
}

func (w *markdownWriter) quote(n *htmlElement) {
	w.flush()
	if w.isCell || w.nesting >= maxNesting {
		w.block(n)
		return
	}
	if w.marker != "" { // a quotation at the beginning of an item
		w.marker += "> "
	}
	w.nested("> ", "", func() { w.children(n) })
}

// list writes a list. Text between its items, which is invalid, is kept.
func (w *markdownWriter) list(n *htmlElement) {
	if !w.isCell && !w.isPlain && containsHeading(n) { // Javadoc arranges sections in lists
		w.layoutList(n)
		return
	}
	defer func(before bool) { w.isPlain = before }(w.isPlain)
	w.isPlain = true
	w.flush()
	number := 1
	if start := n.attr("start"); start != "" {
		number = numberIn(start, 1, 999_999_999)
	}
	isFirst := true
	for child := n.first; child != nil; child = child.next {
		if child.name != "li" || isDropped(child) {
			w.node(child)
			continue
		}
		w.flush()
		marker := "- "
		if n.name == "ol" {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		w.isTight = w.nesting < maxNesting && (w.marker != "" || !w.isCell && (!isFirst || w.nesting > 0 && n.name == "ul"))
		w.item(marker, func() { w.children(child) })
		isFirst = false
	}
	w.flush()
	w.isTight = false
}

func (w *markdownWriter) layoutList(n *htmlElement) {
	for child := n.first; child != nil; child = child.next {
		if child.name == "li" && !isDropped(child) {
			w.block(child)
		} else {
			w.node(child)
		}
	}
	w.flush()
}

// containsHeading reports whether an element contains a heading that begins a section.
func containsHeading(n *htmlElement) bool {
	for child := n.first; child != nil; child = child.next {
		if headings[child.name] || child.first != nil && !child.hasClass(noteClasses) && containsHeading(child) {
			return true
		}
	}
	return false
}
