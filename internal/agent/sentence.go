package agent

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/markdown"
	"github.com/contextcompiler/context/internal/sections"
	"github.com/contextcompiler/context/resolve"
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
const one = resolve.One

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
	for i, s := range markdown.Quotable(text[:min(len(text), mostSearched)]) {
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
	for bare, hasText := range markdown.BareLines(text) {
		rest = cmp.Or(rest, bare)
		if !hasText {
			continue
		}
		first = cmp.Or(first, bare)
		if covered := q.cover([]byte(bare)); covered > most {
			best, most = bare, covered
		}
	}
	if sentences := markdown.Quotable(text); len(sentences) > 0 {
		first = sentences[0]
	}
	return cmp.Or(best, first, rest)
}

// readable returns the text of a section as it reads, as much as is searched: with the frame
// that it is cut from.
func (p page) readable(part sections.Section) []byte {
	content, plain := p.doc.Content[part.Start:part.End], part.Text
	content, plain = content[:min(len(content), mostSearched)], plain[:min(len(plain), mostSearched)]
	text := slices.Concat(p.doc.Content[part.Lead.Start:part.Lead.End], markdown.Readable(content, plain))
	if p.isMDX {
		return markdown.TrimIndentation(text)
	}
	return text
}
