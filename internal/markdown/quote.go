package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quotable returns the sentences of a text that a reader can quote, each on one line: of paragraphs
// and items of lists. The row of a table is a sentence. Headings and code have none.
func Quotable(text []byte) (sentences []string) {
	r := sentenceReader{below: text}
	for line := range bytes.Lines(text) {
		r.below = r.below[len(line):]
		r.line(string(bytes.TrimRight(line, "\r\n")))
	}
	r.endParagraph()
	return r.sentences
}

// A sentenceReader reads the sentences of a text line by line.
type sentenceReader struct {
	sentences []string
	paragraph []string // its lines so far
	fence     string   // that opened the code block; "" outside of one
	base      int      // columns that the text of the current list item or tab is indented by
	template  string   // mark that closes the template of the line before; "" outside of one
	below     []byte   // lines that follow
}

func (r *sentenceReader) endParagraph() {
	r.sentences = append(r.sentences, SplitParagraph(strings.Join(r.paragraph, " "))...)
	r.paragraph = nil
}

func (r *sentenceReader) line(line string) {
	indent := IndentOf(line)
	bare := strings.TrimLeft(strings.Join(strings.Fields(line), " "), "> ")
	if r.fence != "" {
		if strings.HasPrefix(bare, r.fence) && strings.Trim(bare, r.fence[:1]) == "" {
			r.fence = ""
		}
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
	if marks := bullet.FindString(bare); marks != "" {
		r.endParagraph()
		r.base = indent + len(marks)
		bare = bare[len(marks):]
	}
	if r.fence = fence.FindString(bare); r.fence != "" && !strings.Contains(bare[len(r.fence):], "`") {
		r.endParagraph()
		return
	}
	r.fence = ""
	switch {
	case r.isTemplate(bare):
		r.endParagraph()
	case isMarkup.MatchString(bare):
		r.endParagraph()
		if holdsTab.MatchString(bare) {
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

// templates are the marks of what a site generator replaces: shortcodes and actions of Hugo,
// tags of Liquid, and comments of MDX, which many sites allow in Markdown.
var templates = [][2]string{{"{{<", ">}}"}, {"{{%", "%}}"}, {"{{", "}}"}, {"{%", "%}"}, {"{/*", "*/}"}}

// isTemplate reports whether a line consists of templates. The last of them may go on in
// the lines below. Text around a template may need it, as in `{{< term >}} is a tool.`
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

// endTemplate returns what follows the template of the lines before, if there is one. It is
// not closed if the template goes on.
func (r *sentenceReader) endTemplate(line string) (behind string, isClosed bool) {
	if r.template == "" {
		return line, true
	}
	if _, behind, isClosed = strings.Cut(line, r.template); isClosed {
		r.template = ""
	}
	return strings.TrimLeft(behind, " "), isClosed
}

// isCode reports whether a line that begins a block is indented code. A line that is
// indented less than the list item or tab before ends that.
func (r *sentenceReader) isCode(indent int) bool {
	r.base = min(r.base, indent)
	return indent >= r.base+4
}

var (
	// bullet matches what begins an item of a list.
	bullet = regexp.MustCompile(`^([-*+]|[0-9]{1,9}[.)]) `)
	// fence matches what opens a block of code.
	fence = regexp.MustCompile("^(`{3,}|~{3,})")
	// isMarkup matches a line without text: a heading, a rule, the head of a tab, a note or
	// a container.
	isMarkup = regexp.MustCompile(`^(#{1,6}( |$)|---|===|\*\*\*$|:::|\[![A-Za-z]+\]$|(!!!|\?\?\?\+?) )`)
	// holdsTab matches a line whose block is indented below it.
	holdsTab = regexp.MustCompile(`^(===|!!!|\?\?\?\+?) `)
)

// abbreviation matches what ends with a full stop in a sentence. It needs no more than
// longestAbbreviation bytes, and the one before.
var abbreviation = regexp.MustCompile(`(?i)\b(e\.g|i\.e|vs|cf|etc|approx)$`)

const longestAbbreviation = len("approx")

// wideMarks end sentences of Chinese and Japanese. Each has 3 bytes.
var wideMarks = []string{"。", "！", "？"}

// SplitParagraph splits a paragraph behind each full stop, question or exclamation mark
// that a space and no lower-case letter follow, and behind each such mark of Chinese and
// Japanese.
func SplitParagraph(text string) (sentences []string) {
	start := 0
	for i := 0; i+2 < len(text); i++ {
		if text[i] == '`' {
			i = codeSpanEnd(text, i) - 1
			continue
		}
		if next := i + 3; next < len(text) && slices.Contains(wideMarks, text[i:next]) {
			sentences = append(sentences, text[start:next])
			start = next + len(text[next:]) - len(strings.TrimLeft(text[next:], " "))
		}
		if !strings.ContainsRune(".?!", rune(text[i])) || text[i+1] != ' ' {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+2:])
		if !unicode.IsLower(next) && !abbreviation.MatchString(text[max(start, i-longestAbbreviation-1):i]) {
			sentences = append(sentences, text[start:i+1])
			start = i + 2
		}
	}
	if rest := text[start:]; rest != "" {
		sentences = append(sentences, rest)
	}
	return sentences
}

// codeSpanEnd returns the end of the code span that the backticks at an offset open, or
// their own if no span closes within what is quoted.
func codeSpanEnd(text string, at int) int {
	ticks := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
	for i := at + ticks; i < min(len(text), at+longestMarkup); {
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if n == ticks {
			return i + n
		}
		i += max(1, n)
	}
	return at + ticks
}
