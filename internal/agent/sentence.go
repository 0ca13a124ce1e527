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
	"github.com/contextcompiler/context/resolve"
)

// This file finds the sentence of a section that answers a question best.

// longestSentence is the most bytes of a sentence that are printed.
const longestSentence = 280

// leastSentence is the fewest bytes of a sentence that may be one word.
const leastSentence = 30

// asksForNumber matches questions whose answer is a number.
var asksForNumber = regexp.MustCompile(`(?i)\b(how (many|much|long|often|soon|quickly|late|large|big|small|old|far|fast|deep|high)|limit|limits|max|maximum|min|minimum|default|size|timeout|port|version|threshold|percent|percentage|number|count|when|quota|interval|capacity|cost|price)\b`)

// asksForName matches questions whose answer is a name in code.
var asksForName = regexp.MustCompile(`(?i)\b(which|what|name of)\b.*\b(annotation|label|flag|option|command|cmdlet|parameter|property|field|variable|function|method|class|module|package|setting|key|header|argument|attribute|switch|file|directory|path|endpoint|code|type|value)s?\b`)

// A question says how well a sentence answers it.
type question struct {
	cover     func(text []byte) uint64 // share of the query that the words of a text are, of one
	forNumber bool
	forName   bool
}

// one is the whole of a query for [question.cover].
const one = resolve.One

func questionOf(query string, cover func(text []byte) uint64) question {
	return question{cover, asksForNumber.MatchString(query), asksForName.MatchString(query)}
}

// worth returns how well a sentence answers. A number, or a name in code, counts as much
// as a quarter of the query where the question asks for one.
func (q question) worth(sentence string) uint64 {
	covered := q.cover([]byte(sentence))
	if covered == 0 {
		return 0
	}
	if q.forNumber && strings.ContainsFunc(sentence, unicode.IsDigit) {
		covered += one / 4
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
	for i, s := range sentencesOf(text[:min(len(text), mostSearched)]) {
		all = append(all, rated{i, s, q.worth(s)})
	}
	slices.SortStableFunc(all, func(a, b rated) int { return cmp.Compare(b.worth, a.worth) })
	all = slices.DeleteFunc(all[:min(n, len(all))], func(s rated) bool { return s.worth == 0 || s.worth < all[0].worth/2 })
	slices.SortFunc(all, func(a, b rated) int { return cmp.Compare(a.place, b.place) })
	for _, s := range all {
		best = append(best, q.cut(s.text))
	}
	return best
}

// cut returns the part of a long sentence that answers best.
func (q question) cut(sentence string) string {
	if len(sentence) <= longestSentence {
		return sentence
	}
	words := strings.Fields(sentence)
	best, most := "", uint64(0)
	for first := range words {
		part := joinUpTo(words[first:], longestSentence)
		if first > 0 {
			part = "… " + part
		}
		if worth := q.worth(part); worth > most {
			best, most = part, worth
		}
		if len(part) < longestSentence/2 {
			break
		}
	}
	return best + " …"
}

// joinUpTo joins words while they have no more than n bytes together, or clips the first.
func joinUpTo(words []string, n int) string {
	text := clip(words[0], n)
	for _, w := range words[1:] {
		if len(text)+1+len(w) > n {
			break
		}
		text += " " + w
	}
	return text
}

// readable returns the text of a section as it reads: with the frame that it is cut from,
// and without the brackets of links, whose destinations plain has blanked. Indentation in
// MDX is that of tags, so lines come without it.
func (p page) readable(part sections.Section) []byte {
	content, plain := p.doc.Content[part.Start:part.End], part.Text
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
	var r sentenceReader
	for line := range bytes.Lines(text) {
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
	// isMarkup matches a line without text: a heading, a rule, a shortcode, the head of
	// a tab, a note or a container.
	isMarkup = regexp.MustCompile(`^(#{1,6}( |$)|---|===|\*\*\*$|:::|\[![A-Za-z]+\]$|(!!!|\?\?\?\+?) |(\{\{[<%][^}]*[>%]\}\} ?)+$)`)
	// holdsTab matches a line whose block is indented below it.
	holdsTab = regexp.MustCompile(`^(===|!!!|\?\?\?\+?) `)
)

// abbreviation matches what ends with a full stop in a sentence.
var abbreviation = regexp.MustCompile(`(?i)\b(e\.g|i\.e|vs|cf|etc|approx)$`)

// wideMarks end sentences of Chinese and Japanese. Each has 3 bytes.
var wideMarks = []string{"。", "！", "？"}

// splitSentences splits a paragraph behind each full stop, question or exclamation mark
// that a space and no lower-case letter follow, and behind each such mark of Chinese and
// Japanese.
func splitSentences(text string) (sentences []string) {
	start := 0
	for i := 0; i+2 < len(text); i++ {
		if next := i + 3; next < len(text) && slices.Contains(wideMarks, text[i:next]) {
			sentences = append(sentences, text[start:next])
			start = next + len(text[next:]) - len(strings.TrimLeft(text[next:], " "))
		}
		if !strings.ContainsRune(".?!", rune(text[i])) || text[i+1] != ' ' {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+2:])
		if !unicode.IsLower(next) && !abbreviation.MatchString(text[start:i]) {
			sentences = append(sentences, text[start:i+1])
			start = i + 2
		}
	}
	if rest := text[start:]; rest != "" {
		sentences = append(sentences, rest)
	}
	return sentences
}
