package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/lazy"
)

// Quotable returns the sentences of a text suitable as quotes, each on a single line. They come
// from paragraphs, list items and table rows, but not from headings or code.
func Quotable(text []byte) (sentences []string) {
	r := sentenceReader{below: text}
	for line := range bytes.Lines(text) {
		r.below = r.below[len(line):]
		r.line(string(bytes.TrimRight(line, "\r\n")))
	}
	r.endParagraph()
	return r.sentences
}

type sentenceReader struct {
	sentences []string
	paragraph []string // its lines so far
	fence     Fence
	base      int    // indentation in columns of the text in the current list item or tab
	template  string // closing mark of the template of the previous line; "" outside of a template
	below     []byte // the following lines
}

func (r *sentenceReader) endParagraph() {
	text := []byte(strings.Join(r.paragraph, " "))
	for _, s := range SplitParagraph(text) {
		r.sentences = append(r.sentences, string(text[s.Start:s.End]))
	}
	r.paragraph = nil
}

func (r *sentenceReader) line(line string) {
	indent := IndentOf(line)
	bare := strings.TrimLeft(fold(line), "> ")
	if r.fence.IsOpen() {
		r.fence.Read([]byte(bare))
		return
	}
	bare, isClosed := r.endTemplate(bare)
	if !isClosed {
		return
	}
	if bare == "" || len(r.paragraph) == 0 && r.isCode(indent) {
		r.endParagraph()
		return
	}
	if size := itemMark([]byte(bare)); size > 0 {
		r.endParagraph()
		r.base = indent + size
		bare = bare[size:]
	}
	switch {
	case r.fence.Read([]byte(bare)):
		r.endParagraph()
	case r.isTemplate(bare):
		r.endParagraph()
	case isMarkup().MatchString(bare):
		r.endParagraph()
		if holdsTab().MatchString(bare) {
			r.base = indent + 4
		}
	case strings.HasPrefix(bare, "|"):
		r.endParagraph()
		last := len(r.sentences) - 1
		switch {
		case strings.Trim(bare, "|-: ") != "":
			r.sentences = append(r.sentences, bare)
		case last >= 0 && strings.HasPrefix(r.sentences[last], "|"): // the header row
			r.sentences = r.sentences[:last]
		}
	default:
		r.paragraph = append(r.paragraph, bare)
	}
}

// templates are the marks of text replaced by site generators: shortcodes and actions of Hugo, tags
// of Liquid, and comments of MDX, which many sites also allow in Markdown.
var templates = [][2]string{{"{{<", ">}}"}, {"{{%", "%}}"}, {"{{", "}}"}, {"{%", "%}"}, {"{/*", "*/}"}}

// isTemplate reports whether a line consists only of templates. The last of them can
// continue on the following lines. If the line also contains text, the text may need its
// template, as in `{{< term >}} is a tool.`
func (r *sentenceReader) isTemplate(line string) bool {
	for line != "" {
		i := slices.IndexFunc(templates, func(marks [2]string) bool { return strings.HasPrefix(line, marks[0]) })
		if i < 0 {
			return false
		}
		marks := templates[i]
		_, behind, isClosed := strings.Cut(line[len(marks[0]):], marks[1])
		if !isClosed && bytes.Contains(r.below, []byte(marks[1])) {
			r.template = marks[1]
			return true
		}
		if !isClosed {
			return false
		}
		line = strings.TrimLeft(behind, " ")
	}
	return true
}

// endTemplate returns the text after the template opened by an earlier line, if any. isClosed is
// false if the template continues.
func (r *sentenceReader) endTemplate(line string) (behind string, isClosed bool) {
	if r.template == "" {
		return line, true
	}
	if _, behind, isClosed = strings.Cut(line, r.template); isClosed {
		r.template = ""
	}
	return strings.TrimLeft(behind, " "), isClosed
}

// isCode reports whether a line at the beginning of a block is indented code. A line with less
// indentation than the current list item or tab ends it.
func (r *sentenceReader) isCode(indent int) bool {
	r.base = min(r.base, indent)
	return indent >= r.base+4
}

var (
	// isMarkup matches lines without text, for example headings, rules, and the first lines
	// of tabs, notes and containers.
	isMarkup = lazy.Regexp(`^(#{1,6}( |$)|---|===|\*\*\*$|:::|\[![A-Za-z]+\]$|(!!!|\?\?\?\+?) )`)
	// holdsTab matches lines whose content is indented below them.
	holdsTab = lazy.Regexp(`^(===|!!!|\?\?\?\+?) `)
)

// abbreviation matches the end of a text before a full stop that doesn't end a sentence. It
// looks at longestAbbreviation bytes and the byte before them.
var abbreviation = lazy.Regexp(`(?i)\b(e\.g|i\.e|vs|cf|etc|approx)$`)

const longestAbbreviation = len("approx")

// longestCodeSpan is the maximum size in bytes of a code span whose sentences stay together. A
// longer span wouldn't fit into a quote.
const longestCodeSpan = 280

// SplitParagraph returns the sentences of a paragraph without the spaces between them. Like
// [Sentences], it splits at marks within a line. In addition, it recognizes abbreviations,
// code spans, and the marks of Chinese and Japanese. Sentences must not learn these,
// because they would change indexes, and without them quotes would be worse.
func SplitParagraph(text []byte) (sentences []document.Range) {
	start := 0
	for i := 0; ; {
		mark := bytes.IndexFunc(text[i:], isSentenceMark)
		if i += mark; mark < 0 || i+2 >= len(text) {
			break
		}
		switch next := i + 3; {
		case text[i] == '`':
			i += codeSize(text[i:min(len(text), i+longestCodeSpan)])
			continue
		case text[i] >= utf8.RuneSelf: // of 3 bytes
			if next < len(text) {
				sentences = append(sentences, document.Range{Start: start, End: next})
				start = next + len(text[next:]) - len(bytes.TrimLeft(text[next:], " "))
			}
			i = next
			continue
		case endsSentence(text[i+1:]) && !abbreviation().Match(text[max(start, i-longestAbbreviation-1):i]):
			sentences = append(sentences, document.Range{Start: start, End: i + 1})
			start = i + 2
		}
		i++
	}
	if start < len(text) {
		sentences = append(sentences, document.Range{Start: start, End: len(text)})
	}
	return sentences
}

// isSentenceMark reports whether a character can end a sentence, also in Chinese and Japanese, or
// begins a code span.
func isSentenceMark(r rune) bool { return strings.ContainsRune("`.?!。！？", r) }
