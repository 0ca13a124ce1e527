package describe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// oneLine folds the white space of s. It drops invisible characters, except for the
// joiners of emoji and some scripts.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != 0x200C && r != 0x200D:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.Fields(s), " ")
}

// minSentence is the fewest characters left by shorten, because a sentence such
// as "Hello!" says nothing.
const minSentence = 30

// shorten cuts a line to at most limit characters: at the end of a sentence, or
// between words with an ellipsis. It cuts a word only if this is longer than limit.
func shorten(line string, limit int) string {
	if utf8.RuneCountInString(line) <= limit {
		return line
	}
	for _, sentences := range slices.Backward(sentencesOf(line)) {
		if n := utf8.RuneCountInString(sentences); minSentence <= n && n <= limit {
			return sentences
		}
	}
	runes := []rune(line)[:limit]
	return strings.TrimRight(string(runes[:lastWord(runes)]), " ,;:-–—(，、；：（") + "…"
}

// lastWord returns the length of the words in runes, with room for an ellipsis. The
// last word may continue after runes.
func lastWord(runes []rune) int {
	end := len(runes) - 1
	for i := end; i > 0; i-- {
		if runes[i] == ' ' || isUnspaced(runes[i]) {
			return i
		}
	}
	for end > 1 && unicode.Is(unicode.M, runes[end]) {
		end--
	}
	return end
}

// firstSentence returns the first sentence of a line with words. If no
// sentence ends, it returns the line.
func firstSentence(line string) string {
	for _, sentences := range sentencesOf(line) {
		if hasWords(sentences) {
			return sentences
		}
	}
	return line
}

// sentencesOf returns each beginning of a line that ends with a sentence.
func sentencesOf(line string) (beginnings []string) {
	for _, m := range fullStop().FindAllStringSubmatchIndex(line, -1) {
		next, _ := utf8.DecodeRuneInString(line[m[1]:])
		if m[2] >= 0 && !unicode.IsLower(next) {
			beginnings = append(beginnings, strings.TrimSuffix(line[:m[1]], " "))
		}
	}
	return beginnings
}

// fullStop is an initial or an abbreviation, or a group with the end of a sentence:
// a stop and its closing quotes and brackets.
var fullStop = lazy.Regexp(`\b(?:\p{Lu}|(?i:e\.g|i\.e|etc|vs|cf|mr|mrs|ms|dr|st|no|vol|approx|incl|resp|bzw|z\.b))\.` +
	`|([。！？｡]` + closers + `|[.!?]` + closers + `(?:$| ))`)

const closers = `[)\]"'”’»」』）】]*`

func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
