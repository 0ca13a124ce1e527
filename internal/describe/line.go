package describe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// oneLine folds the white space of s and drops what no reader sees: control
// characters, and the marks that turn the direction of text around.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || isInvisible(r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// isInvisible leaves the joiners alone, which emoji and some scripts need.
func isInvisible(r rune) bool {
	switch {
	case r == 0xAD, r == 0x200B, r == 0x2060, r == 0xFEFF:
		return true
	}
	return 0x200E <= r && r <= 0x200F || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}

// minSentence is the fewest characters that are worth being cut at: a text
// must not be reduced to its "Hello!".
const minSentence = 30

// shorten cuts a line to at most limit characters: at the end of a sentence,
// else between words, which an ellipsis then tells. Only a single word that is
// too long is cut itself.
func shorten(line string, limit int) string {
	if utf8.RuneCountInString(line) <= limit {
		return line
	}
	runes := []rune(line)[:limit+1]
	if end := lastSentence(runes); end >= minSentence {
		return string(runes[:end])
	}
	end := lastWord(runes[:limit])
	return strings.TrimRight(string(runes[:end]), " ,;:-–—(，、；：（") + "…"
}

// firstSentence returns the first sentence of a line that has words, or the line
// if none ends.
func firstSentence(line string) string {
	runes := []rune(line + " ")
	for i := range len(runes) - 1 {
		if end := sentenceEnd(runes, i); end > 0 && hasWords(string(runes[:end])) {
			return string(runes[:end])
		}
	}
	return line
}

// wholeSentences returns the sentences of a line without what follows the last
// of them, "" if none ends.
func wholeSentences(line string) string {
	runes := []rune(line + " ")
	return string(runes[:lastSentence(runes)])
}

// lastSentence returns the length of the sentences in runes, of which the last
// one is only looked at: it tells whether the one before it ends something.
func lastSentence(runes []rune) int {
	for i := len(runes) - 2; i >= 0; i-- {
		if end := sentenceEnd(runes, i); end > 0 {
			return end
		}
	}
	return 0
}

// sentenceEnd returns where the sentence ends of which runes[i] is the full
// stop, and 0 if it is none. Closing quotes and brackets belong to the sentence.
func sentenceEnd(runes []rune, i int) int {
	wide := strings.ContainsRune("。！？｡", runes[i])
	if !wide && !strings.ContainsRune(".!?", runes[i]) {
		return 0
	}
	end := i + 1
	for end < len(runes) && strings.ContainsRune(")]\"'”’»」』）】", runes[end]) {
		end++
	}
	switch {
	case end == len(runes):
		return 0
	case wide:
		return end
	case runes[end] != ' ' || end+1 < len(runes) && unicode.IsLower(runes[end+1]):
		return 0
	case runes[i] == '.' && isAbbreviation(runes[:i]):
		return 0
	}
	return end
}

// abbreviations end with a full stop that ends no sentence.
var abbreviations = map[string]bool{
	"e.g": true, "i.e": true, "etc": true, "vs": true, "cf": true, "mr": true, "mrs": true, "ms": true, "dr": true,
	"st": true, "no": true, "vol": true, "approx": true, "incl": true, "resp": true, "bzw": true, "z.b": true,
}

// isAbbreviation reports whether the last word of runes is abbreviated by the
// full stop after it: a known one, or an initial.
func isAbbreviation(runes []rune) bool {
	start := len(runes)
	for start > 0 && len(runes)-start < 8 && (unicode.IsLetter(runes[start-1]) || runes[start-1] == '.') {
		start--
	}
	word := runes[start:]
	if len(word) == 1 && unicode.IsUpper(word[0]) {
		return true
	}
	return abbreviations[strings.ToLower(string(word))]
}

// lastWord returns the length of the words in runes, of which there may be more
// to come, with room for an ellipsis.
func lastWord(runes []rune) int {
	for i := len(runes) - 1; i > 0; i-- {
		if runes[i] == ' ' || isUnspaced(runes[i]) && (isUnspaced(runes[i-1]) || strings.ContainsRune("，、；：）」』】", runes[i-1])) {
			return i
		}
	}
	end := len(runes) - 1
	for end > 1 && (unicode.Is(unicode.M, runes[end]) || runes[end] == 0x200D || runes[end-1] == 0x200D) {
		end--
	}
	return end
}

// isUnspaced reports whether r is of a script that puts no spaces between words.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
