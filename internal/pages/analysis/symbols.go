package analysis

import (
	"bytes"
	"slices"

	"github.com/contextcompiler/context/internal/base/words"
)

// This file finds symbols of code, which become terms: operators such as 2>&1 and ??=,
// and words with marks, as code writes them, such as --dry-run, @property and
// C++. See docs/selection.md for the rules.

// A Reading says how to read a text, because prose uses many marks as punctuation.
type Reading uint8

const (
	Prose   Reading = iota // symbols must contain a letter
	Code                   // operators are also symbols, if they consist of two characters or more, or stand alone between backticks
	Heading                // a heading without its backticks: like Code, and a character between spaces is also a symbol
)

// A Symbol is the position of a symbol in a text.
type Symbol struct{ Start, End int }

// longestOperator is the most bytes of an operator. More marks in a row are a rule or
// several operators.
const longestOperator = 5

// Sets of bytes.
var (
	marks       = bytesOf("!#$%&*+-./:<=>?@\\^|~") // parts of operators
	prefixes    = bytesOf("-.$@#%?")               // before words
	beforeThese = bytesOf("=|&!*+<>:~^")           // marks allowed before the prefix of a word
	sigils      = bytesOf("$@#%")                  // before brackets
	openers     = bytesOf("([{")
	closers     = bytesOf(")]}")
	openings    = bytesOf(" \t\r\n(\"'`,;*|>") // before a prefix in prose
	spaces      = bytesOf(" \t\r\n")

	beginsSymbol  = bytesOf("!#$%&*+-./:<=>?@\\^|~'")
	beginsInProse = bytesOf("-.$@#%+")
	unary         = bytesOf("!-&*~+") // belong to the following operand
)

func bytesOf(all string) (set [256]bool) {
	for _, b := range []byte(all) {
		set[b] = true
	}
	return set
}

func isWordByte(b byte) bool { return b == '_' || classes[b] > joiner }

func beginsName(b byte) bool { return isWordByte(b) && classes[b] != digit }

// IsSymbol reports whether a term is a symbol's, because words never contain such marks.
func IsSymbol(term string) bool {
	return slices.ContainsFunc([]byte(term), func(b byte) bool { return marks[b] || b == '\'' })
}

// HasWord reports whether a symbol contains more than a single letter, so that it can also
// be found by its words.
func HasWord(symbol string) bool {
	letters, digits := 0, 0
	for _, b := range []byte(symbol) {
		switch {
		case classes[b] == digit:
			digits++
		case classes[b] > joiner:
			letters++
		}
	}
	return letters > 0 && letters+digits > 1
}

// AppendSymbol appends the term of a symbol: its text in lower case, without spaces.
func AppendSymbol(dst, symbol []byte) []byte {
	if bytes.IndexByte(symbol, ' ') >= 0 {
		symbol = bytes.ReplaceAll(symbol, []byte(" "), nil)
	}
	return words.AppendLower(dst, symbol)
}

// EachSymbol calls visit with the symbols of a text in order. It takes linear time.
func EachSymbol(text []byte, as Reading, visit func(Symbol)) {
	s := symbolScanner{text: text, as: as, visit: visit}
	begins := &beginsSymbol
	if as == Prose {
		begins = &beginsInProse
	}
	for {
		i := s.at
		for i < len(text) && !begins[text[i]] {
			i++
		}
		if s.at = i; i == len(text) {
			return
		}
		switch b, next := text[i], s.byteAt(i+1); {
		case as == Prose && b != '#' && spaces[next]:
			s.at++ // it ends a sentence, or stands between words
		case as == Prose && b != '#' && !marks[next] && !openings[s.byteAt(i-1)]:
			s.at++ // it joins words, as in built-in
		case b == '\'':
			s.lifetime()
		default:
			s.run()
		}
	}
}

// A symbolScanner reads the symbols of a text.
type symbolScanner struct {
	text  []byte
	at    int
	as    Reading
	visit func(Symbol)
}

// byteAt returns the byte at an offset, or a space outside of the text.
func (s *symbolScanner) byteAt(i int) byte {
	if i < 0 || i >= len(s.text) {
		return ' '
	}
	return s.text[i]
}

// run reads the marks at s.at, including a word, digits or a bracket belonging to them.
func (s *symbolScanner) run() {
	start, end := s.at, s.at
	for end < len(s.text) && marks[s.text[end]] {
		end++
	}
	s.at = end
	switch {
	case s.suffix(start, end) || s.prefix(start, end) || s.as == Prose:
	case sigils[s.text[end-1]] && openers[s.byteAt(end)]:
		s.bracket(start, end)
	default:
		s.operators(start, end)
	}
}

// suffix reads a letter followed by marks, such as C++ and C#.
func (s *symbolScanner) suffix(start, end int) bool {
	run, next := s.text[start:end], s.byteAt(end)
	size := 0
	switch {
	case bytes.HasPrefix(run, []byte("++")) && (len(run) > 2 || !beginsName(next)):
		size = 2
	case run[0] == '#' && (len(run) > 1 && run[1] != '#' || len(run) == 1 && (s.as != Prose || !isWordByte(next))):
		size = 1
	}
	letter := s.byteAt(start - 1)
	if size == 0 || classes[letter] != lower && classes[letter] != upper || !s.beginsAt(start-1) {
		return false
	}
	s.visit(Symbol{start - 1, start + size})
	return true
}

// beginsAt reports whether a symbol can begin at an offset: it must not touch another name
// or mark.
func (s *symbolScanner) beginsAt(i int) bool {
	before := s.byteAt(i - 1)
	return !isWordByte(before) && (!marks[before] || before == '/')
}

// prefix reads a word preceded by marks, such as --dry-run, $_ and #[derive.
func (s *symbolScanner) prefix(start, end int) bool {
	last, word := s.text[end-1], end
	from := end - 1
	switch {
	case s.byteAt(end) == '[' && (last == '#' || bytes.HasSuffix(s.text[start:end], []byte("#!"))):
		word++
		from = bytes.LastIndexByte(s.text[:end], '#')
	case !prefixes[last] || last == '?' && s.as == Prose:
		return false
	case last == '-' && from > start && s.text[from-1] == '-':
		from--
	}
	if first := s.byteAt(word); !beginsName(first) && (s.as == Prose || last != '$' || classes[first] != digit) || !s.isPrefix(start, from) {
		return false
	}
	stop := word
	for stop < len(s.text) && (isWordByte(s.text[stop]) || joins(last, s.text[stop]) && isWordByte(s.byteAt(stop+1))) {
		stop++
	}
	if stop-from > MaxTerm {
		return false
	}
	if s.as != Prose {
		s.operators(start, from)
	}
	s.at = stop
	s.visit(Symbol{from, stop})
	return true
}

// isPrefix reports whether a word can begin with the marks at from, in a run that begins at
// start. Dots and hyphens must not join it to the word before, and other marks must not end
// that word.
func (s *symbolScanner) isPrefix(start, from int) bool {
	mark, before := s.text[from], s.byteAt(from-1)
	switch {
	case from > start:
		return beforeThese[before] && mark != '.'
	case s.as == Prose || mark == '.' || mark == '#':
		return openings[before]
	}
	return !isWordByte(before) && !closers[before]
}

func joins(prefix, b byte) bool {
	return b == '-' && (prefix == '-' || prefix == '.') || b == '.' && prefix == '-'
}

// bracket reads an opening bracket preceded by a mark, such as @{ and ${{.
func (s *symbolScanner) bracket(start, end int) {
	s.operators(start, end-1)
	stop := end + 1
	for s.byteAt(stop) == ' ' && stop < end+2 {
		stop++
	}
	switch next := s.byteAt(stop); {
	case closers[next]:
		stop++
	case next == s.text[end] && stop == end+1:
		stop++
	default:
		stop = end + 1
	}
	s.at = stop
	s.visit(Symbol{end - 1, stop})
}

// operators reads marks without a word. A dollar sign begins another operator.
func (s *symbolScanner) operators(start, end int) {
	for start < end {
		stop := start + 1
		for stop < end && (s.text[stop] != '$' || s.text[stop-1] == '$') {
			stop++
		}
		s.operator(start, stop)
		start = stop
	}
}

func (s *symbolScanner) operator(start, end int) {
	if s.text[start] == '$' {
		end -= len(s.text[start+1:end]) - len(bytes.TrimRight(s.text[start+1:end], ".:")) // punctuation
	}
	marks := s.text[start:end]
	switch next := s.byteAt(end); {
	case bytes.HasSuffix(marks, []byte(">&")) && classes[next] == digit && !isWordByte(s.byteAt(end+1)):
		end++ // as in 2>&1
		s.at = max(s.at, end)
	case isWordByte(next) || openers[next] || next == '\'' || next == '"' || next == '$':
		end = start + len(withoutUnary(marks))
	}
	if before := start - 1; marks[0] == '>' && classes[s.byteAt(before)] == digit && !isWordByte(s.byteAt(before-1)) {
		start = before
	}
	if text := s.text[start:end]; len(text) > 1 && len(text) <= longestOperator && !isRule(text) || len(text) == 1 && s.isAlone(start) {
		s.visit(Symbol{start, end})
	}
}

// withoutUnary removes the final mark if it belongs to what follows, as in =-1.
func withoutUnary(marks []byte) []byte {
	n := len(marks)
	if n < 2 || !unary[marks[n-1]] || marks[n-1] == marks[n-2] || marks[n-2] == '.' || string(marks) == "<-" {
		return marks
	}
	return marks[:n-1]
}

// isRule reports whether marks draw a line or belong to a URL.
func isRule(marks []byte) bool {
	isSame := len(bytes.Trim(marks, string(marks[:1]))) == 0
	return len(marks) > 2 && isSame && marks[0] != '.' && marks[0] != '=' || len(marks) > 3 && isSame || string(marks) == "://"
}

// isAlone reports whether a character stands alone between backticks or, in a heading,
// between spaces or quotes.
func (s *symbolScanner) isAlone(i int) bool {
	before, after := s.byteAt(i-1), s.byteAt(i+1)
	return before == '`' && after == '`' ||
		s.as == Heading && before == after && (before == ' ' && s.text[i] != '-' || before == '\'' || before == '"')
}

// lifetime reads a word after an apostrophe, unless this opens a string, such as 'static.
func (s *symbolScanner) lifetime() {
	start, word := s.at, s.at+1
	s.at = word
	before := s.byteAt(start - 1)
	if !beginsName(s.byteAt(word)) || isWordByte(before) || closers[before] {
		return
	}
	stop := word
	for stop < len(s.text) && isWordByte(s.text[stop]) {
		stop++
	}
	next := stop + max(0, bytes.IndexAny(s.text[stop:], "'\n"))
	isString := s.byteAt(next) == '\'' && !beginsName(s.byteAt(next+1))
	if s.at = stop; !isString && stop-start <= MaxTerm {
		s.visit(Symbol{start, stop})
	}
}
