package agent

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/resolve"
)

// This file finds the sentence of a section that answers a question best.

// longestSentence is the most bytes of a sentence that are printed.
const longestSentence = 280

// asksForNumber matches questions whose answer is a number.
var asksForNumber = regexp.MustCompile(`(?i)\b(how (many|much|long|often|large|big|small|old|far|fast|deep|high)|limit|limits|max|maximum|min|minimum|default|size|timeout|port|version|threshold|percent|percentage|number|count|when|quota|interval|capacity|cost|price)\b`)

// asksForName matches questions whose answer is a name in code.
var asksForName = regexp.MustCompile(`(?i)\b(which|what|name of)\b.*\b(flag|option|command|cmdlet|parameter|property|field|variable|function|method|class|module|package|setting|key|header|argument|attribute|switch|file|directory|path|endpoint|code|type|value)s?\b`)

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
	if q.forName && strings.Contains(sentence, "`") {
		covered += one / 8
	}
	return covered
}

// best returns the sentence of a section's text that answers best, the first of equals,
// or "" if none has a word of the query.
func (q question) best(text []byte) (best string) {
	most := uint64(0)
	for _, s := range sentencesOf(text) {
		if worth := q.worth(s); worth > most {
			best, most = s, worth
		}
	}
	return q.cut(best)
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

// sentencesOf returns the sentences of a section's text, each on one line: of paragraphs
// and items of lists. The row of a table is a sentence. Headings and code have none.
func sentencesOf(text []byte) (sentences []string) {
	var paragraph []string
	flush := func() {
		sentences = append(sentences, splitSentences(strings.Join(paragraph, " "))...)
		paragraph = nil
	}
	fence := ""
	for line := range bytes.Lines(text) {
		words := strings.Join(strings.Fields(string(line)), " ")
		bare := strings.TrimLeft(words, "> ")
		switch {
		case fence != "":
			if strings.HasPrefix(bare, fence) {
				fence = ""
			}
		case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
			flush()
			fence = bare[:3]
		case bare == "", strings.HasPrefix(bare, "#"), strings.HasPrefix(bare, "---"), strings.HasPrefix(bare, "==="):
			flush()
		case strings.HasPrefix(bare, "|"):
			flush()
			if strings.ContainsFunc(bare, unicode.IsLetter) {
				sentences = append(sentences, bare)
			}
		default:
			if item := withoutBullet(bare); item != bare {
				flush()
				bare = item
			}
			paragraph = append(paragraph, bare)
		}
	}
	flush()
	return sentences
}

// bullet matches what begins an item of a list.
var bullet = regexp.MustCompile(`^([-*+]|[0-9]{1,9}[.)]) `)

func withoutBullet(line string) string { return line[len(bullet.FindString(line)):] }

// abbreviation matches what ends with a full stop in a sentence.
var abbreviation = regexp.MustCompile(`(?i)\b(e\.g|i\.e|vs|cf|etc|approx)$`)

// splitSentences splits a paragraph behind each full stop, question or exclamation mark
// that a space and no lower-case letter follow.
func splitSentences(text string) (sentences []string) {
	start := 0
	for i := 0; i+2 < len(text); i++ {
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
