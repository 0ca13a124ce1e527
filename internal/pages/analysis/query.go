package analysis

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// This file finds the symbols of a query. Because a query is prose, marks count as symbols
// only where prose wouldn't use them.

// longestSearched is how many bytes of a query are searched for symbols. A longer query is
// probably a text.
const longestSearched = 1 << 16

func QuerySymbols(query []byte) (found []Symbol) {
	query = query[:min(len(query), longestSearched)]
	if !slices.ContainsFunc(query, func(b byte) bool { return marks[b] || b == '\'' }) {
		return nil
	}
	fields := fieldsOf(query)
	isInCode := codeSpans(query)
	at := 0 // the field with the symbol
	EachSymbol(query, Heading, func(s Symbol) {
		for at < len(fields)-1 && fields[at].end <= s.Start {
			at++
		}
		isAlone := s.End-s.Start == 1
		switch text := query[s.Start:s.End]; {
		case isInCode(s.Start):
		case text[0] == '\'':
			if HasWord(string(text)) && string(text) != "'static" {
				return // a quotation, or a word such as 'tis
			}
		case slices.ContainsFunc(text, beginsName):
			if text[0] == '?' {
				return
			}
		case isAlone && isCharacter(fields, at):
		case sigils[text[0]] && openers[text[len(text)-1]]:
		case codeIn(fields[at].text, at == 0, at == len(fields)-1) == "":
			return
		case isAlone && (isAmount(fields, at-1) || isAmount(fields, at+1)):
			return
		}
		found = append(found, s)
	})
	return found
}

// A QueryField is the text between two spaces in a query.
type QueryField struct {
	Text      string
	Code      string // the code in it; "" if its words of two letters or more can find it
	HasSymbol bool   // it contains a symbol which is a term
}

func QueryFields(query []byte) iter.Seq[QueryField] {
	return func(yield func(QueryField) bool) {
		symbols := QuerySymbols(query)
		fields := fieldsOf(query)
		for i, f := range fields {
			for len(symbols) > 0 && symbols[0].End <= f.start {
				symbols = symbols[1:]
			}
			hasSymbol := len(symbols) > 0 && symbols[0].Start < f.end
			if !yield(QueryField{f.text, codeIn(f.text, i == 0, i == len(fields)-1), hasSymbol}) {
				return
			}
		}
	}
}

// A fieldSpan is a field and its position in the query.
type fieldSpan struct {
	text       string
	start, end int
}

func fieldsOf(query []byte) (fields []fieldSpan) {
	for i := 0; i < len(query); {
		size := bytes.IndexFunc(query[i:], unicode.IsSpace)
		if size < 0 {
			size = len(query) - i
		}
		if size > 0 {
			fields = append(fields, fieldSpan{string(query[i : i+size]), i, i + size})
		}
		i += max(1, size)
	}
	return fields
}

// codeSpans returns a function that reports whether an offset is between backticks. Offsets
// must be passed in ascending order.
func codeSpans(query []byte) func(offset int) bool {
	isInside, at, last := false, 0, bytes.LastIndexByte(query, '`')
	return func(offset int) bool {
		isInside = isInside != (bytes.Count(query[at:offset], []byte("`"))%2 == 1)
		at = offset
		return isInside && offset < last
	}
}

// isCharacter reports whether the query asks about the character in a field: the field is
// quoted, or next to a word for such a character.
func isCharacter(fields []fieldSpan, at int) bool {
	if text := fields[at].text; len(text) > 1 {
		return len(text) == 3 && text[0] == text[2] && (text[0] == '"' || text[0] == '\'')
	}
	return isRole(fields, at-1) || isRole(fields, at+1)
}

// roles are the words for characters of code.
var roles = setOf("operator operators symbol sign character mark sigil")

func isRole(fields []fieldSpan, at int) bool {
	return 0 <= at && at < len(fields) && roles[strings.ToLower(strings.TrimRight(fields[at].text, "?.,!:;"))]
}

func isAmount(fields []fieldSpan, at int) bool {
	return 0 <= at && at < len(fields) && amount().MatchString(fields[at].text)
}

func isMark(r rune) bool {
	return r <= unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

var (
	// proseMark matches punctuation between spaces in prose: a dash, separator, bracket, ellipsis,
	// rule or the sign of a heading.
	proseMark = lazy.Regexp(`^([&/+|=<>:;,.!?(){}[\]"'*_-]|-+|#+|\*+|_+|\.+|[=-]+>)$`)
	// amount matches numbers as written in prose: "$5", "~30", ">=100", "1,000", "3:30",
	// "50%", "100+", "#12", "5k".
	amount = lazy.Regexp(`^[~<>=$#+-]*[0-9][0-9.,:/x-]*[A-Za-z]?[%+]*$`)
	// proseJoiners are the symbols between single letters in prose: "R&D", "A/B", "I'm", "U.S.",
	// "-f", "C:\", "f(x)", "user@x".
	proseJoiners = "&/-.'_:,;\\()\"!?"
)

// longestCode is the maximum size in bytes of a field with symbols of code. A longer field is a
// rule.
const longestCode = 64

// codeIn returns the code in a field, unless its words of two letters or more can find it.
// For example, it returns "2>&1" and "C++", but nothing for "--dry-run". It ignores a
// prompt at the beginning of a query and question marks at the end.
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
		isCode := func(r rune) bool { return isMark(r) && !strings.ContainsRune(proseJoiners, r) }
		if amount().MatchString(text) || !strings.ContainsFunc(text, isCode) {
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
	if proseMark().MatchString(text) || !strings.ContainsFunc(text, isMark) {
		return ""
	}
	return text
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// hasWord reports whether a text contains two letters in a row, or a letter beyond ASCII,
// because a Chinese word can be a single character.
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

// bracketed matches a letter or number in brackets, such as the checkbox of a task.
var bracketed = lazy.Regexp(`^[\[{<]([A-Za-z0-9])+[\]}>]$`)

// afterQuote matches the end of a sentence after a quote or bracket.
var afterQuote = lazy.Regexp("([)\"'`”’»])[.?!:]+$")

// withoutQuotes returns a field without the quotes and parentheses around it, and without trailing
// punctuation unless it can be code.
func withoutQuotes(field string) string {
	for {
		text := afterQuote().ReplaceAllString(field, "$1")
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
		case bracketed().MatchString(text):
			text = text[1 : len(text)-1]
		}
		if text == field {
			return text
		}
		field = text
	}
}
