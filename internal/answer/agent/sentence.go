package agent

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
)

// This file finds the sentence of a section with the best answer to a question.

// leastSentence is the number of bytes below which a single word is hardly a sentence.
const leastSentence = 30

// asksForName matches questions whose answer is a name in code.
var asksForName = lazy.Regexp(`(?i)\b(which|what|name of)\b.*\b(annotation|label|flag|option|command|cmdlet|parameter|property|field|variable|function|method|class|module|package|setting|key|header|argument|attribute|switch|file|directory|path|endpoint|code|type|value)s?\b`)

// A question rates sentences by how well they answer it.
type question struct {
	cover       func(text []byte) uint64 // share of the query covered by a text, in units of 1/one
	forQuantity bool
	forNumber   bool
	forName     bool
	units       map[string]bool // of the number, in the singular
}

// one is the result of [question.cover] for a text with all words of the query.
const one = selection.One

func questionOf(query string, cover func(text []byte) uint64) question {
	beginning := query[:min(len(query), mostSearched)]
	return question{cover, asksForQuantity().MatchString(query), asksForNumber().MatchString(query), asksForName().MatchString(query), unitsIn(beginning)}
}

// worth returns how well a text answers the question.
func (q question) worth(text string) uint64 { return q.rate(text, q.cover([]byte(text)), 0) }

// rate returns how well a sentence answers the question. covered is the share of the query that it
// covers, and before is the share covered by the previous sentence. If the question asks for a
// name, a name in code counts like an eighth of the query.
func (q question) rate(sentence string, covered, before uint64) uint64 {
	if q.forNumber || q.forQuantity {
		covered = q.withNumber(sentence, covered, before)
	}
	if covered == 0 {
		return 0
	}
	switch {
	case !strings.Contains(sentence, " ") && len(sentence) < leastSentence:
		covered /= 2 // it only mentions the word
	case strings.HasSuffix(sentence, ":"):
		covered -= covered / 4 // the text after the colon is not printed
	}
	if q.forName && strings.Contains(sentence, "`") {
		covered += one / 8
	}
	return covered
}

// withNumber adjusts the share covered by a sentence if the answer should contain a number. A
// number counts like a quarter of the query, and a unit next to it counts like another quarter.
// Since such sentences often say "it" or "the value", withNumber also considers half of the
// previous sentence's share. If the question asks for a quantity, a sentence without a number
// counts only half.
func (q question) withNumber(sentence string, covered, before uint64) uint64 {
	if max(covered, before/2) == 0 {
		return 0
	}
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

// mostSearched is the maximum number of bytes of a section in which sentences are compared. Only a
// section of a single block without line ends can be larger.
const mostSearched = 16 << 10

// best returns up to n sentences of a text with the best answers, in their order. Each is worth at
// least half as much as the best. If several are equal, the first wins.
func (q question) best(text []byte, n int) (best []string) {
	var all []ratedText
	before := uint64(0)
	for i, s := range markdown.Quotable(text[:min(len(text), mostSearched)]) {
		covered := q.cover([]byte(s))
		all = append(all, ratedText{i, s, q.rate(s, covered, before)})
		before = covered
	}
	best = q.bestRated(all, n)
	if len(best) == 0 && n > 0 {
		if line := q.bestLine(text); line != "" {
			best = append(best, q.cut(line))
		}
	}
	return best
}

// A ratedText is a sentence or a line of code.
type ratedText struct {
	place int
	text  string
	worth uint64
}

// bestRated returns up to n of the best texts, in their order. Each is worth at least half as much
// as the best.
func (q question) bestRated(all []ratedText, n int) (best []string) {
	slices.SortStableFunc(all, func(a, b ratedText) int { return cmp.Compare(b.worth, a.worth) })
	all = slices.DeleteFunc(all[:min(n, len(all))], func(r ratedText) bool { return r.worth == 0 || r.worth < all[0].worth/2 })
	slices.SortFunc(all, func(a, b ratedText) int { return cmp.Compare(a.place, b.place) })
	for _, r := range all {
		best = append(best, q.cut(r.text))
	}
	return best
}

// bestLine returns the line covering most of the query. It is the fallback if no sentence covers
// any of the query, since a line of code, a heading or the header of a table still may. If they
// don't either, it returns the first sentence, or the first line.
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

// readable returns the beginning of a section for reading, up to mostSearched bytes, after
// the lead of the frame from which the section is cut.
func (p cachePage) readable(part sections.Section) []byte {
	content, plain := p.doc.Content[part.Start:part.End], part.Text
	content, plain = content[:min(len(content), mostSearched)], plain[:min(len(plain), mostSearched)]
	text := slices.Concat(p.doc.Content[part.Lead.Start:part.Lead.End], markdown.Readable(content, plain))
	if p.isMDX {
		return markdown.TrimIndentation(text)
	}
	return text
}
