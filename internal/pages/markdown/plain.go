package markdown

import (
	"bytes"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/lazy"
)

// This file blanks markup that readers don't see as words: HTML and JSX tags, comments, styles,
// scripts, link destinations, link definitions, and the imports and exports of MDX. Code stays.
// Because it reads lines instead of a tree, it handles pages as people write them, but is wrong
// about a few things that CommonMark allows. Blocks only limit code in lists and quotations.

// A plainer copies a page and blanks the markup in the copy.
type plainer struct {
	text   []byte
	at     int     // everything before it is done
	blocks []Block // of the page; blocks before at may be missing
	isMDX  bool
	links  []document.Range // the texts of links, in order
	code   []document.Range // code blocks and code spans with their backticks, in order

	fence       Fence
	fenceEnd    int   // where the code block ends if it is never closed
	inParagraph bool  // the previous line belongs to a paragraph
	inMDX       bool  // the previous line belongs to an import or export
	brackets    []int // offsets of the paragraph's open brackets

	opening  int // where a block can begin in the line; -1 if nowhere
	stop     int // the latest result of textEnd
	unclosed int // no comment ends between p.at and this offset

	endless [len(hidden)]int // no such element ends between p.at and these offsets
}

// Plain returns the text of a page without its markup, but with the texts of MDX labels,
// and the ranges of link texts and of code in it. Spaces replace the markup, so offsets
// stay the same.
func (b Body) Plain() (text []byte, links, code []document.Range) {
	p := plainer{text: bytes.Clone(b.Text), blocks: b.Blocks, isMDX: b.IsMDX}
	if IsPointer(b.Text) {
		p.blankTo(len(p.text))
	}
	for p.at < len(p.text) {
		p.line()
	}
	for _, label := range b.Labels {
		copy(p.text[label.Start:], label.Text)
	}
	return p.text, p.links, p.code
}

// codeTo adds code from p.at to an offset.
func (p *plainer) codeTo(end int) {
	p.code = appendRange(p.code, p.at, end)
	p.at = end
}

// line reads the line at p.at, and more lines if a tag ends in a later one.
func (p *plainer) line() {
	end := lineEnd(p.text, p.at)
	line := p.text[p.at:end]
	body := afterMarkers(line)
	p.opening = -1
	if markers := bytes.TrimRight(line[:len(line)-len(body)], " \t"); !p.isCode(line) && !endsInDigit(markers) {
		p.opening = end - len(body)
	}
	if p.at >= p.fenceEnd {
		p.fence = nil
	}
	wasOpen := p.fence.IsOpen()
	switch {
	case p.fence.Read(body):
		switch {
		case !wasOpen:
			p.endParagraph()
			p.fenceEnd = p.codeEnd()
			p.at = end
		case !p.fence.IsOpen():
			p.at = end
		default:
			p.codeTo(end)
		}
	case isBlank(body):
		p.endParagraph()
		p.at = end
	case p.inMDX || !p.inParagraph && isModule(line):
		p.inMDX = true
		p.blankTo(end)
	case p.inParagraph:
		p.inlines(end)
	case isDefinition(body):
		p.blankTo(end)
	case p.isCode(line):
		p.codeTo(end)
	default:
		isSeparate, start := bytes.HasPrefix(body, []byte("<!--")) || hiddenElement(body) >= 0, p.at
		p.inParagraph = true
		p.inlines(end)
		if isSeparate && isBlank(p.text[start:p.at]) {
			p.endParagraph() // a comment is a separate block
		}
	}
}

func (p *plainer) inlines(end int) {
	for p.at < end {
		p.inline(end)
	}
}

// codeEnd returns where a code block at p.at ends if it is never closed: at the end of the
// front matter, or of the list item or quotation around it.
func (p *plainer) codeEnd() int {
	for len(p.blocks) > 1 && p.blocks[0].End <= p.at {
		p.blocks = p.blocks[1:]
	}
	b := p.blocks[0]
	if p.at < b.Start {
		return b.Start
	}
	first := p.text[b.Start:b.End]
	if isBlank(first[:len(first)-len(afterMarkers(first))]) {
		return len(p.text) // in HTML and JSX, code can continue in the next block
	}
	return b.End
}

func (p *plainer) endParagraph() {
	p.inParagraph, p.inMDX, p.brackets = false, false, p.brackets[:0]
}

func (p *plainer) blankTo(end int) {
	blank(p.text[p.at:end])
	p.at = end
}

// inline reads the text at p.at up to and including the next mark. The line ends at end.
func (p *plainer) inline(end int) {
	next := bytes.IndexAny(p.text[p.at:end], "`\\<[]")
	if next < 0 {
		p.at = end
		return
	}
	p.at += next
	line := p.text[p.at:end]
	switch line[0] {
	case '`':
		if size := codeSize(line); size > runOf(line) {
			p.codeTo(p.at + size)
		} else {
			p.at += size
		}
	case '\\':
		p.at = min(p.at+2, end)
	case '<':
		switch size := p.tagSize(); {
		case size > 0:
			p.blankTo(p.at + size)
		case p.isMDX: // the placeholder of a tag
			p.blankTo(p.at + 1)
		default:
			p.at++
		}
	case '[':
		p.brackets = append(p.brackets, p.at)
		p.at++
	case ']':
		p.at++
		p.closeBracket(line[1:])
	}
}

// closeBracket reads what follows a closing bracket on its line.
func (p *plainer) closeBracket(rest []byte) {
	last := len(p.brackets) - 1
	if last < 0 {
		return
	}
	opening := p.brackets[last]
	p.brackets = p.brackets[:last]
	size, ends := destinationEnd(rest)
	if !ends && !beginsWithLabel(rest) {
		return
	}
	if isImage := opening > 0 && p.text[opening-1] == '!'; !isImage {
		p.links = append(p.links, document.Range{Start: opening, End: p.at})
	}
	if ends {
		p.blankTo(p.at + size)
	}
}

func beginsWithLabel(text []byte) bool {
	return bytes.HasPrefix(text, []byte("[")) && bytes.IndexByte(text, ']') > 0
}

// isCode reports whether a line at the beginning of a block is indented code. MDX has no such code.
func (p *plainer) isCode(line []byte) bool {
	return !p.isMDX && (line[0] == '\t' || bytes.HasPrefix(line, []byte("    ")))
}

// isDefinition reports whether a line is a link definition. Footnotes are text instead.
func isDefinition(line []byte) bool {
	label, destination, found := bytes.Cut(line, []byte("]:"))
	if !found || !bytes.HasPrefix(label, []byte("[")) || bytes.HasPrefix(label, []byte("[^")) {
		return false
	}
	words := bytes.Fields(destination)
	return len(words) == 1 || len(words) > 1 && bytes.IndexByte([]byte(`"'(`), words[1][0]) >= 0
}

// isModule reports whether a line begins an import or export of MDX, rather than a sentence
// starting with the same word.
func isModule(line []byte) bool {
	word, rest, _ := bytes.Cut(line, []byte(" "))
	switch string(word) {
	case "import":
		from := bytes.TrimRight(rest, "; \r\n")
		isWhole := len(from) > 0 && (from[len(from)-1] == '\'' || from[len(from)-1] == '"')
		return bytes.HasPrefix(rest, []byte("{")) || isWhole && (from[0] == from[len(from)-1] || bytes.Contains(from, []byte(" from ")))
	case "export":
		return exported().Match(rest)
	}
	return false
}

// exported matches the code after the word export in MDX. A single word after default must
// be followed by a semicolon, because otherwise it may be a sentence.
var exported = lazy.Regexp(`^(?:` + strings.Join([]string{
	`(?:const|let|var) +(?:[{[]|[\w$]+ *[=:])`,
	`(?:default +)?(?:async +)?function *\*? *[\w$]* *\(`,
	`(?:default +)?class\b[^.]*\{`,
	`default +(?:[({[]|[\w$.]+(?:;|\(| *=>))`,
	`\{`,
	`\* *(?:as|from)\b`,
}, "|") + `)`)

// codeSize returns the size of the code span at the beginning of a text, or of its
// backticks if the span is never closed.
func codeSize(text []byte) int {
	opening := runOf(text)
	return max(opening, codeSpanSize(text[:min(len(text), opening+longestMarkup)]))
}

// codeSpanSize returns the size of the code span at the beginning of a text, or 0 if it is
// never closed.
func codeSpanSize(text []byte) int {
	opening := runOf(text)
	for at := opening; ; {
		next := bytes.IndexByte(text[at:], '`')
		if next < 0 {
			return 0
		}
		at += next
		run := runOf(text[at:])
		if at += run; run == opening {
			return at
		}
	}
}

// Markup beyond these limits is text, so hostile pages take linear time. The depth bounds how many
// scans look at the same byte, since each scan contains the later ones.
const (
	longestMarkup = 1 << 10 // most bytes of a tag, destination or code span
	deepestMarkup = 8       // most nested braces in a tag, or nested parentheses in a destination
)

// tagSize returns the size of the tag or comment at p.at, or 0 without either. The content of a
// hidden element belongs to its tag.
func (p *plainer) tagSize() int {
	if bytes.HasPrefix(p.text[p.at:], []byte("<!--")) {
		return p.commentSize()
	}
	text := p.text[p.at:p.textEnd()]
	size, ends := tagEnd(text[:min(len(text), longestMarkup)])
	if !ends {
		return 0
	}
	element := hiddenElement(text[:size])
	if element < 0 || p.markupEnd() <= p.endless[element] {
		return size
	}
	content := hiddenSize(p.text[p.at+size:p.markupEnd()], hidden[element])
	if content < 0 {
		p.endless[element] = p.markupEnd()
		return size
	}
	return size + content
}

// hidden are the elements whose content browsers don't show.
var hidden = [...]string{"script", "style"}

// hiddenElement returns the position in hidden of the element that the tag at the beginning of a
// text opens, or -1.
func hiddenElement(text []byte) int {
	for i, name := range hidden {
		if len(text) > len(name)+1 && text[0] == '<' && bytes.EqualFold(text[1:len(name)+1], []byte(name)) &&
			tagNameEnd(text) == len(name)+1 && !bytes.HasSuffix(text, []byte("/>")) {
			return i
		}
	}
	return -1
}

// hiddenSize returns the size of the content of an element and its closing tag, or -1 if it is
// never closed.
func hiddenSize(text []byte, name string) int {
	for at := 0; ; {
		next := bytes.Index(text[at:], []byte("</"))
		if next < 0 {
			return -1
		}
		at += next + len("</")
		rest := text[at:]
		if len(rest) <= len(name) || !bytes.EqualFold(rest[:len(name)], []byte(name)) {
			continue
		}
		end := bytes.TrimLeft(rest[len(name):], " \t\r\n")
		if len(end) > 0 && end[0] == '>' {
			return len(text) - len(end) + 1
		}
	}
}

// markupEnd returns where the comment or hidden element at p.at must end. Only at the beginning of
// a block, it may contain blank lines.
func (p *plainer) markupEnd() int {
	if p.at == p.opening {
		return len(p.text)
	}
	return p.textEnd()
}

// commentSize returns the size of the comment at p.at, or 0 if it is never closed.
func (p *plainer) commentSize() int {
	end := p.markupEnd()
	if end <= p.unclosed {
		return 0
	}
	size := bytes.Index(p.text[p.at:end], []byte("-->"))
	if size < 0 {
		p.unclosed = end
		return 0
	}
	return size + len("-->")
}

// textEnd returns where the first blank line or code block after p.at begins.
func (p *plainer) textEnd() int {
	if p.at < p.stop {
		return p.stop
	}
	p.stop = paragraphEnd(p.text, p.at)
	return p.stop
}

// tagEnd looks for the end of the tag at the beginning of a text. It returns how many bytes
// it read and whether the tag ends there.
func tagEnd(text []byte) (looked int, ends bool) {
	at := tagNameEnd(text)
	if at == 0 {
		return 0, false
	}
	quote, braces := byte(0), 0
	for ; at < len(text) && braces <= deepestMarkup; at++ {
		b := text[at]
		switch {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == '{':
			braces++
		case b == '}':
			braces--
		case braces <= 0 && (b == '>' || b == '<'):
			return at + 1, b == '>'
		}
	}
	return at, false
}

// tagNameEnd returns where the name of the tag at the beginning of a text ends, or 0 if a
// tag cannot be called that: for example, <https://example.com> is a link.
func tagNameEnd(text []byte) int {
	at := 1
	if at < len(text) && text[at] == '/' {
		at++
	}
	name := at
	for at < len(text) && (isLetter(text[at]) || at > name && (isDigit(text[at]) || text[at] == '-' || text[at] == '.')) {
		at++
	}
	if at == name || at == len(text) || bytes.IndexByte([]byte(" \t\r\n/>"), text[at]) < 0 {
		return 0
	}
	return at
}

// destinationEnd looks for the end of the destination in parentheses, or of the label in
// brackets, at the beginning of a text. It returns how many bytes it read and whether the
// destination ends there.
func destinationEnd(rest []byte) (looked int, ends bool) {
	if len(rest) == 0 || rest[0] != '(' && rest[0] != '[' {
		return 0, false
	}
	rest = rest[:min(len(rest), longestMarkup)]
	closing := byte(')')
	if rest[0] == '[' {
		closing = ']'
	}
	at, depth := 1, 1
	for ; at < len(rest) && 0 < depth && depth <= deepestMarkup; at++ {
		switch rest[at] {
		case rest[0]:
			depth++
		case closing:
			depth--
		}
	}
	return at, depth == 0
}

func endsInDigit(text []byte) bool { return len(text) > 0 && isDigit(text[len(text)-1]) }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
