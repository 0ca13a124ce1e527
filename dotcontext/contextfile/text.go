package contextfile

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A text is a file as the YAML library may see it.
//
// The library reads YAML 1.1: it refuses control characters and takes U+0085,
// U+2028 and U+2029 for the ends of lines, none of which YAML 1.2 does. So each
// of these runes is masked: another rune stands for it that the text does not
// use. A masked text has as many runes on as many lines as the original, so
// positions in the one are positions in the other.
type text struct {
	original []byte
	runes    []rune // masked, without a byte order mark
	lines    []int  // where in runes each line begins
	unmask   map[rune]rune

	backslash rune // masks the backslash of some escapes; -1 if there are none
}

// none is no rune.
const none = -1

const byteOrderMark = "\uFEFF"

// readText decodes and masks the bytes of a file.
func readText(original []byte) (*text, error) {
	if err := checkEncoding(original); err != nil {
		return nil, err
	}
	t := &text{original: original, unmask: map[rune]rune{}, backslash: none}
	for at := t.start(); at < len(original); {
		r, size := decodeRune(original[at:])
		t.runes = append(t.runes, r)
		at += size
	}
	if at := loneCR(t.runes); at >= 0 {
		line := 1 + strings.Count(string(t.runes[:at]), "\n")
		return nil, invalid(line, "", "a carriage return without a line feed", "end lines with a line feed")
	}
	t.maskRunes()
	t.lines = lineStarts(t.runes)
	return t, nil
}

// start returns where the text begins: after a byte order mark.
func (t *text) start() int {
	if bytes.HasPrefix(t.original, []byte(byteOrderMark)) {
		return len(byteOrderMark)
	}
	return 0
}

func checkEncoding(original []byte) error {
	if len(original) > MaxSize {
		return invalid(0, "", "the file is larger than 1 MiB", "shorten it")
	}
	for _, mark := range []string{"\xFF\xFE", "\xFE\xFF"} {
		if bytes.HasPrefix(original, []byte(mark)) {
			return invalid(1, "", "the text is UTF-16", "save it as UTF-8")
		}
	}
	return nil
}

// decodeRune returns the first rune of s and its size. What is not UTF-8 is
// U+FFFD, one for each longest part of s that begins a rune, as in browsers
// (WHATWG) and in Unicode's recommendation; Go has one for each byte.
func decodeRune(s []byte) (rune, int) {
	r, size := utf8.DecodeRune(s)
	if r != utf8.RuneError || size != 1 {
		return r, size
	}
	for size < len(s) && size < utf8.UTFMax && isCut(s[:size+1]) {
		size++
	}
	return r, size
}

// isCut reports whether s is the beginning of a rune but not all of it.
func isCut(s []byte) bool { return !utf8.FullRune(s) }

// loneCR returns the index of a CR that no LF follows, or -1.
func loneCR(runes []rune) int {
	for i, r := range runes {
		if r == '\r' && (i+1 == len(runes) || runes[i+1] != '\n') {
			return i
		}
	}
	return -1
}

func lineStarts(runes []rune) []int {
	lines := []int{0}
	for i, r := range runes {
		if r == '\n' {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// isTrouble reports whether the library would refuse r, or end a line at it,
// though it is text like any other.
func isTrouble(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return false
	case r < ' ', r >= 0x7F && r < 0xA0:
		return true
	}
	return r == 0x2028 || r == 0x2029 || r == 0xFEFF || r == 0xFFFE || r == 0xFFFF
}

// maskRunes replaces what the library does not read as YAML 1.2 has it.
func (t *text) maskRunes() {
	free := t.freeRunes()
	masks := map[rune]rune{}
	for i, r := range t.runes {
		if !isTrouble(r) {
			continue
		}
		if masks[r] == 0 {
			masks[r] = free()
			t.unmask[masks[r]] = r
		}
		t.runes[i] = masks[r]
	}
	t.maskEscapes(free)
}

// freeRunes returns a function that returns runes that the text does not use, a
// different one each time. They do not run out: a text of MaxSize cannot use
// all the runes of four bytes.
func (t *text) freeRunes() func() rune {
	var used map[rune]bool
	next := rune(utf8.MaxRune + 1)
	return func() rune {
		if used == nil {
			used = t.highRunes()
		}
		for next--; used[next]; next-- {
		}
		return next
	}
}

// highRunes returns the runes from U+10000 on that the text uses, be it as an
// escape in a quoted scalar.
func (t *text) highRunes() map[rune]bool {
	used := map[rune]bool{}
	for i, r := range t.runes {
		if r > 0xFFFF {
			used[r] = true
		}
		if r == 'U' && i+9 <= len(t.runes) {
			used[hexRune(t.runes[i+1:i+9])] = true
		}
	}
	return used
}

// hexRune returns the rune whose hexadecimal digits are given, or some other
// rune if they are none.
func hexRune(digits []rune) rune {
	var r rune
	for _, d := range digits {
		i := strings.IndexRune("0123456789abcdef", d|0x20)
		r = r<<4 | rune(i&0xF)
	}
	return r
}

// value returns the value of a scalar as its author means it: unmasked.
func (t *text) value(scalar *yaml.Node) string {
	if len(t.unmask) == 0 && t.backslash == none {
		return scalar.Value
	}
	quoted := scalar.Style&yaml.DoubleQuotedStyle != 0
	var b strings.Builder
	for rest := []rune(scalar.Value); len(rest) > 0; {
		r, size := t.originalRune(rest[0]), 1
		if quoted && rest[0] == t.backslash {
			r, size = t.unescape(rest)
		}
		b.WriteRune(r)
		rest = rest[size:]
	}
	return b.String()
}

// originalRune returns the rune that r masks, or r.
func (t *text) originalRune(r rune) rune {
	if r == t.backslash {
		return '\\'
	}
	if original, ok := t.unmask[r]; ok {
		return original
	}
	return r
}

// index returns where in runes a position of the library's is.
func (t *text) index(line, column int) (int, error) {
	if line < 1 || line > len(t.lines) || t.lines[line-1]+column-1 > len(t.runes) {
		return 0, errors.New("a value that is nowhere in the file")
	}
	return t.lines[line-1] + column - 1, nil
}

// offset returns the byte of the original that a rune begins at.
func (t *text) offset(index int) int {
	at := t.start()
	for range index {
		_, size := decodeRune(t.original[at:])
		at += size
	}
	return at
}

// hasAt reports whether s stands at index.
func (t *text) hasAt(index int, s string) bool {
	for _, r := range s {
		if index >= len(t.runes) || t.runes[index] != r {
			return false
		}
		index++
	}
	return true
}
