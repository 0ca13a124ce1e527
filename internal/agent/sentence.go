package agent

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/sections"
	"github.com/contextcompiler/context/selection"
)

// This file finds the sentence of a section that answers a question best.

// leastSentence is the fewest bytes of a sentence that may be one word.
const leastSentence = 30

// asksForName matches questions whose answer is a name in code.
var asksForName = regexp.MustCompile(`(?i)\b(which|what|name of)\b.*\b(annotation|label|flag|option|command|cmdlet|parameter|property|field|variable|function|method|class|module|package|setting|key|header|argument|attribute|switch|file|directory|path|endpoint|code|type|value)s?\b`)

// A question says how well a sentence answers it.
type question struct {
	cover       func(text []byte) uint64 // share of the query that the words of a text are, of one
	forQuantity bool
	forNumber   bool
	forName     bool
	units       map[string]bool // of the number, in the singular
}

// one is the whole of a query for [question.cover].
const one = selection.One

func questionOf(query string, cover func(text []byte) uint64) question {
	beginning := query[:min(len(query), mostSearched)]
	return question{cover, asksForQuantity.MatchString(query), asksForNumber.MatchString(query), asksForName.MatchString(query), unitsIn(beginning)}
}

// worth returns how well a sentence answers that follows one which covers a share of the
// query. A name in code counts as much as an eighth of the query where it asks for one.
func (q question) worth(sentence string, before uint64) uint64 {
	covered := q.cover([]byte(sentence))
	if q.forNumber || q.forQuantity {
		covered = q.withNumber(sentence, covered, before)
	}
	if covered == 0 {
		return 0
	}
	switch {
	case !strings.Contains(sentence, " ") && len(sentence) < leastSentence:
		covered /= 2 // it says nothing on the word
	case strings.HasSuffix(sentence, ":"):
		covered -= covered / 4 // what it announces is not printed
	}
	if q.forName && strings.Contains(sentence, "`") {
		covered += one / 8
	}
	return covered
}

// withNumber returns what a sentence covers that should contain a number. A number counts as
// much as a quarter of the query, and so does the unit next to it. Such a sentence often
// says "it" or "the value", so half of what the one before covers counts, too. Without a
// number, a sentence only leads to a quantity.
func (q question) withNumber(sentence string, covered, before uint64) uint64 {
	hasNumber, hasUnit := hasQuantity(sentence, q.units)
	if hasNumber {
		covered = max(covered, before/2)
	}
	switch {
	case covered == 0:
	case hasUnit:
		return covered + one/2
	case hasNumber:
		return covered + one/4
	case q.forQuantity:
		return covered / 2
	}
	return covered
}

// mostSearched is the most bytes of a section whose sentences are compared. Only a section
// of one block without line ends has more.
const mostSearched = 16 << 10

// best returns the n sentences of a section's text that answer best, in their order, or
// fewer: those that are worth half of the best one. Of equals, the first count.
func (q question) best(text []byte, n int) (best []string) {
	type rated struct {
		place int
		text  string
		worth uint64
	}
	var all []rated
	before := uint64(0)
	for i, s := range sentencesOf(text[:min(len(text), mostSearched)]) {
		all = append(all, rated{i, s, q.worth(s, before)})
		before = q.cover([]byte(s))
	}
	slices.SortStableFunc(all, func(a, b rated) int { return cmp.Compare(b.worth, a.worth) })
	all = slices.DeleteFunc(all[:min(n, len(all))], func(s rated) bool { return s.worth == 0 || s.worth < all[0].worth/2 })
	slices.SortFunc(all, func(a, b rated) int { return cmp.Compare(a.place, b.place) })
	for _, s := range all {
		best = append(best, q.cut(s.text))
	}
	if len(best) == 0 && n > 0 {
		if line := q.bestLine(text); line != "" {
			best = append(best, q.cut(line))
		}
	}
	return best
}

// bestLine returns the line that covers most of the query in a text whose sentences cover
// none of it: a line of code, a heading, or the header row of a table. If no line does, it
// returns the first sentence, or else the first line.
func (q question) bestLine(text []byte) (best string) {
	text = text[:min(len(text), mostSearched)]
	first, rest, most := "", "", uint64(0)
	for line := range bytes.Lines(text) {
		bare := strings.Join(strings.Fields(string(line)), " ")
		rest = cmp.Or(rest, bare)
		heading := strings.TrimLeft(bare, "#")
		if isHeading := heading != bare && strings.HasPrefix(heading, " "); isHeading {
			bare = heading[1:]
		} else if isMarkup.MatchString(bare) || fence.MatchString(bare) || strings.Trim(bare, "|-: ") == "" {
			continue
		}
		first = cmp.Or(first, bare)
		if covered := q.cover([]byte(bare)); covered > most {
			best, most = bare, covered
		}
	}
	if sentences := sentencesOf(text); len(sentences) > 0 {
		first = sentences[0]
	}
	return cmp.Or(best, first, rest)
}

// readable returns the text of a section as it reads, as much as is searched: with the frame that it is cut from,
// and without the brackets of links, whose destinations plain has blanked. Indentation in
// MDX is that of tags, so lines come without it.
func (p page) readable(part sections.Section) []byte {
	content, plain := p.doc.Content[part.Start:part.End], part.Text
	content, plain = content[:min(len(content), mostSearched)], plain[:min(len(plain), mostSearched)]
	text := bytes.Clone(p.doc.Content[part.Lead.Start:part.Lead.End])
	var brackets []int // offsets of open brackets in text
	for i := 0; i < len(plain); i++ {
		b := plain[i]
		last := len(brackets) - 1
		switch {
		case b == '[':
			brackets = append(brackets, len(text))
		case b != ']' || last < 0:
		case i+1 < len(plain) && plain[i+1] == ' ' && (content[i+1] == '(' || content[i+1] == '['):
			text = withoutBracket(text, brackets[last])
			brackets = brackets[:last]
			i = destinationEnd(content, i+1) - 1
			continue
		default:
			brackets = brackets[:last]
		}
		text = append(text, b)
	}
	if p.isMDX {
		return indentation.ReplaceAll(text, nil)
	}
	return text
}

var indentation = regexp.MustCompile(`(?m)^[ \t]+`)

// withoutBracket returns text without the bracket that opens a link or an image.
func withoutBracket(text []byte, at int) []byte {
	from := at
	if from > 0 && text[from-1] == '!' {
		from--
	}
	return slices.Delete(text, from, at+1)
}

// destinationEnd returns where the destination in parentheses or brackets ends that
// begins at an offset.
func destinationEnd(content []byte, at int) int {
	opening, closing := content[at], byte(')')
	if opening == '[' {
		closing = ']'
	}
	depth := 0
	for i, b := range content[at:] {
		switch b {
		case opening:
			depth++
		case closing:
			depth--
		}
		if depth == 0 {
			return at + i + 1
		}
	}
	return len(content)
}

// sentencesOf returns the sentences of a section's text, each on one line: of paragraphs
// and items of lists. The row of a table is a sentence. Headings and code have none.
func sentencesOf(text []byte) (sentences []string) {
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
	r.sentences = append(r.sentences, splitSentences(strings.Join(r.paragraph, " "))...)
	r.paragraph = nil
}

func (r *sentenceReader) line(line string) {
	indent := indentOf(line)
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

// indentOf returns the columns that a line is indented by.
func indentOf(line string) (columns int) {
	for _, b := range []byte(line) {
		switch b {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
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

// splitSentences splits a paragraph behind each full stop, question or exclamation mark
// that a space and no lower-case letter follow, and behind each such mark of Chinese and
// Japanese.
func splitSentences(text string) (sentences []string) {
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
	for i := at + ticks; i < min(len(text), at+longestSentence); {
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if n == ticks {
			return i + n
		}
		i += max(1, n)
	}
	return at + ticks
}
