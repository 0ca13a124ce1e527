package agent

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/selection"
)

// This file finds what a query contains that search drops because it is no word: the
// symbols of code.

// unsearched returns the parts of a query with symbols of code that are not searched, each
// once. Of a query without any term, these are all parts.
func unsearched(ctx context.Context, query string) (parts []string, err error) {
	fields := strings.Fields(query)
	hasTerms := len(termsIn(query)) > 0
	isSeen := map[string]bool{}
	for i, field := range fields {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		part := codeIn(field, i == 0, i == len(fields)-1)
		if part == "" && !hasTerms {
			part = field
		}
		if part != "" && !isSeen[part] && !areSymbolsTerms(part) {
			isSeen[part] = true
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// areSymbolsTerms reports whether the analyzer finds other terms in a text than without
// its symbols.
func areSymbolsTerms(text string) bool {
	blank := strings.Map(func(r rune) rune {
		if isSymbol(r) {
			return ' '
		}
		return r
	}, text)
	return !slices.Equal(termsIn(text), termsIn(blank))
}

// termsIn returns the terms of a text.
func termsIn(text string) (terms []string) {
	query, err := selection.ParseQuery(strings.ToValidUTF8(text, " "))
	if err != nil {
		return nil // no query and no section is as large
	}
	return ranking.ParseQuery(query).Texts()
}

func isSymbol(r rune) bool {
	return r <= unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

var (
	// proseMark matches a field of punctuation that stands alone in prose: a dash, a
	// separator, a bracket, an ellipsis, a heading's sign, a rule.
	proseMark = regexp.MustCompile(`^([&/+|=<>:;,.!?(){}[\]"'*_-]|-+|#+|\*+|_+|\.+|[=-]+>)$`)
	// amount matches a number as prose has it: "$5", "~30", ">=100", "1,000", "3:30",
	// "50%", "100+", "#12", "5k".
	amount = regexp.MustCompile(`^[~<>=$#+-]*[0-9][0-9.,:/x-]*[A-Za-z]?[%+]*$`)
	// proseJoiners are the symbols that join single letters in prose: "R&D", "A/B",
	// "I'm", "U.S.", "-f", "C:\", "f(x)", "user@x".
	proseJoiners = "&/-.'_:,;\\()\"!?"
)

// longestCode is the most bytes of a field that may be symbols of code: more is a rule.
const longestCode = 64

// codeIn returns what is code in a field of a query, if no word of at least two letters
// stands for it: "2>&1" and "C++", but not "--dry-run", which its words find. A prompt may
// stand first in a query, and question marks last.
func codeIn(field string, isFirst, isLast bool) string {
	if len(field) > longestCode {
		return ""
	}
	text := withoutQuotes(field)
	if hasWord(text) {
		return ""
	}
	if strings.ContainsFunc(text, isLetterOrDigit) {
		text = strings.TrimRight(text, ".,;:!?")
		isCode := func(r rune) bool { return isSymbol(r) && !strings.ContainsRune(proseJoiners, r) }
		if amount.MatchString(text) || !strings.ContainsFunc(text, isCode) {
			return ""
		}
		return text
	}
	if isFirst && (text == "$" || text == "%") {
		return ""
	}
	if without := strings.TrimRight(text, "?!"); isLast && len(without) != 1 {
		text = without // but "$?" is code
	}
	if proseMark.MatchString(text) || !strings.ContainsFunc(text, isSymbol) {
		return ""
	}
	return text
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// hasWord reports whether a text contains two letters in a row, or a letter that is not
// ASCII: a word of Chinese may be a single one.
func hasWord(text string) bool {
	last := ' '
	for _, r := range text {
		if unicode.IsLetter(r) && (unicode.IsLetter(last) || r > unicode.MaxASCII) {
			return true
		}
		last = r
	}
	return false
}

// bracketed matches a letter or number in brackets, such as the mark of a task.
var bracketed = regexp.MustCompile(`^[\[{<]([A-Za-z0-9])+[\]}>]$`)

// afterQuote matches the end of a sentence after a quote or a bracket.
var afterQuote = regexp.MustCompile("([)\"'`”’»])[.?!:]+$")

// withoutQuotes returns a field of a query without the quotes and parentheses around it,
// and without the punctuation after it that ends no code.
func withoutQuotes(field string) string {
	for {
		text := afterQuote.ReplaceAllString(field, "$1")
		text = strings.Trim(text, "\"'`“”‘’«»„‚")
		text = strings.TrimRight(text, ",;。，、")
		if len(text) > 1 && text[len(text)-1] == '.' {
			text = text[:len(text)-1]
		}
		inside, isOpen := strings.CutPrefix(text, "(")
		before, isClosed := strings.CutSuffix(text, ")")
		switch {
		case isOpen && isClosed && len(text) > 2:
			text = text[1 : len(text)-1]
		case isOpen && inside != "" && !strings.Contains(inside, ")"):
			text = inside
		case isClosed && before != "" && !strings.Contains(before, "("):
			text = before
		case bracketed.MatchString(text):
			text = text[1 : len(text)-1]
		}
		if text == field {
			return text
		}
		field = text
	}
}
