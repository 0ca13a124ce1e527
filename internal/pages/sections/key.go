package sections

import (
	"bytes"
	"crypto/sha256"
	"strings"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/analysis"
)

// A KeyKind is the kind of text a key is made from.
type KeyKind byte

// The kinds of keys. They are part of the format of the index.
const (
	TitleKey      KeyKind = 't' // the words of a page's title as written
	TitleTermsKey KeyKind = 'n' // the terms of a page's title
	HeadingKey    KeyKind = 'h' // the terms of a heading
	SubjectKey    KeyKind = 'd' // the terms of the subject defined by a sentence, as in "A span is ..."
	SymbolKey     KeyKind = 's' // a symbol of code, see [StoredTerm]
)

// keyMark begins every key. Words never begin with a space. Fields of front matter do (see
// [index.FieldTerm]), but a name follows their space.
const keyMark = " \x01"

// longestKeyText is the maximum size in bytes of unhashed text in a key. Because an index contains
// many keys, longer texts are hashed to this size.
const longestKeyText = 8

// TextKey returns the [TitleKey] of a text: its words in lower case, without the
// punctuation around them. It returns "" if the text contains no words or is too long to be
// a title.
func TextKey(text string) string {
	if len(text) > LongestHeading {
		return ""
	}
	var all []string
	for _, word := range strings.FieldsFunc(words.Lower(text), words.IsSpace) {
		if word = strings.Trim(word, "?!.,:;\"'`*"); word != "" {
			all = append(all, word)
		}
	}
	return keyOf(TitleKey, all)
}

// StoredTerm returns how an index stores a term: words unchanged, and symbols as unhashed keys.
// Keys keep symbols from adding to the length of a section, and from being suggested for a
// misspelled word.
func StoredTerm(term string) string {
	if !analysis.IsSymbol(term) {
		return term
	}
	return keyMark + string(SymbolKey) + term
}

// SplitSymbols returns the distinct terms of the symbols found in a text, in order. rest is the
// text without symbols that words cannot find. For example, the single letter of C++ would be
// indexed otherwise.
func SplitSymbols(text []byte, found []analysis.Symbol) (terms []string, rest []byte) {
	rest = bytes.Clone(text)
	isKnown := map[string]bool{}
	for _, s := range found {
		term := string(analysis.AppendSymbol(nil, text[s.Start:s.End]))
		if !isKnown[term] {
			isKnown[term] = true
			terms = append(terms, term)
		}
		for i := s.Start; i < s.End && !analysis.HasWord(term); i++ {
			rest[i] = ' '
		}
	}
	return terms, rest
}

// TermsKey returns a key of terms in order, without stop words and wholes, followed by
// symbols. It returns "" if nothing is left.
func TermsKey(kind KeyKind, terms *analysis.Terms, symbols ...string) string {
	var all []string
	for i := range terms.Len() {
		if term, ofTerm := terms.At(i); ofTerm == 0 {
			all = append(all, string(term))
		}
	}
	return keyOf(kind, append(all, symbols...))
}

func keyOf(kind KeyKind, parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, " ")
	if len(text) > longestKeyText {
		sum := sha256.Sum256([]byte(text))
		text = string(sum[:longestKeyText])
	}
	return keyMark + string(kind) + text
}

// isDefiningVerb reports whether a term is that of a verb after the subject of a definition.
func isDefiningVerb(term []byte) bool {
	switch string(term) {
	case "is", "are", "mean", "repres", "refer", "describ":
		return true
	}
	return false
}

// isStopInSubject reports whether a stop word may be part of a subject.
func isStopInSubject(term []byte) bool {
	switch string(term) {
	case "a", "an", "the", "of", "in", "and", "s", "to", "for":
		return true
	}
	return false
}

// Limits for the subject of a definition.
const (
	mostBeforeVerb = 7 // terms and stop words
	mostOfSubject  = 4 // terms
)

// subjectKey returns the [SubjectKey] of a sentence if it defines its subject, or "".
func subjectKey(sentence *analysis.Terms) string {
	var places [mostOfSubject]int // of the subject's terms
	n := 0
	for i := range min(sentence.Len(), mostBeforeVerb+1) {
		switch term, kind := sentence.At(i); {
		case kind&analysis.Whole != 0:
		case isDefiningVerb(term):
			return keyOf(SubjectKey, textsAt(sentence, places[:n]))
		case kind != 0 && !isStopInSubject(term), kind == 0 && n == mostOfSubject:
			return ""
		case kind == 0:
			places[n] = i
			n++
		}
	}
	return ""
}

func textsAt(terms *analysis.Terms, places []int) (texts []string) {
	for _, i := range places {
		term, _ := terms.At(i)
		texts = append(texts, string(term))
	}
	return texts
}
