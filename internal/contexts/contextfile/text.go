package contextfile

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A maskedText is a file in a form that the YAML library reads correctly.
//
// The library follows YAML 1.1, so it refuses control characters and ends lines at
// U+0085, U+2028 and U+2029, while YAML 1.2 does not. For this reason, each of
// these runes is masked by another rune, which the text does not use. Positions
// stay the same as in the original, since masks keep the number of runes on each
// line.
type maskedText struct {
	original []byte
	runes    []rune // masked, without a byte order mark
	lines    []int  // where lines begin in runes
	unmask   map[rune]rune

	backslash rune // mask of the backslash of some escapes, or none
}

const none = -1

const byteOrderMark = "\uFEFF"

func readText(original []byte) (*maskedText, error) {
	if len(original) > MaxSize {
		return nil, newProblem(0, "the file is larger than 1 MiB", "shorten it")
	}
	if bytes.HasPrefix(original, []byte("\xFF\xFE")) || bytes.HasPrefix(original, []byte("\xFE\xFF")) {
		return nil, newProblem(1, "the text is UTF-16", "save it as UTF-8")
	}
	t := &maskedText{original: original, lines: []int{0}, unmask: map[rune]rune{}, backslash: none}
	for at := t.start(); at < len(original); {
		r, size := decodeRune(original[at:])
		at += size
		if r == '\r' && (at == len(original) || original[at] != '\n') {
			return nil, newProblem(len(t.lines), "a carriage return without a line feed", "end lines with a line feed")
		}
		t.runes = append(t.runes, r)
		if r == '\n' {
			t.lines = append(t.lines, len(t.runes))
		}
	}
	t.mask()
	return t, nil
}

// start returns the offset of the text, which may follow a byte order mark.
func (t *maskedText) start() int {
	if bytes.HasPrefix(t.original, []byte(byteOrderMark)) {
		return len(byteOrderMark)
	}
	return 0
}

// decodeRune returns the first rune of s and its size. Invalid UTF-8 becomes
// U+FFFD, once for each longest part of s that begins a rune, as in browsers
// (WHATWG) and as Unicode recommends. Go would return it once for each byte.
func decodeRune(s []byte) (rune, int) {
	r, size := utf8.DecodeRune(s)
	if r != utf8.RuneError || size != 1 {
		return r, size
	}
	for size < len(s) && size < utf8.UTFMax && !utf8.FullRune(s[:size+1]) {
		size++
	}
	return r, size
}

// toText returns s as a reader of the file gets it: with U+FFFD for invalid UTF-8.
func toText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for rest := []byte(s); len(rest) > 0; {
		r, size := decodeRune(rest)
		b.WriteRune(r)
		rest = rest[size:]
	}
	return b.String()
}

// needsMask reports whether the library would refuse r or end a line at it.
func needsMask(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return false
	case r < ' ', r >= 0x7F && r < 0xA0:
		return true
	}
	return r == 0x2028 || r == 0x2029 || r == 0xFEFF || r == 0xFFFE || r == 0xFFFF
}

// mask replaces the runes and escapes that the library would not read as YAML 1.2
// does.
//
// The library doesn't know two escapes of double-quoted text: \/, and \u with half
// of a surrogate pair. Their backslash gets a mask of its own, for
// [maskedText.unmasked] to read. In other styles, this mask is a backslash again.
// Two backslashes outside of double quotes are not an escape, but treating them as
// one makes no difference.
func (t *maskedText) mask() {
	free := t.freeRunes()
	masks := map[rune]rune{}
	for i, r := range t.runes {
		if !needsMask(r) {
			continue
		}
		if masks[r] == 0 {
			masks[r] = free()
			t.unmask[masks[r]] = r
		}
		t.runes[i] = masks[r]
	}
	for i := 0; i < len(t.runes); i++ {
		if t.runes[i] != '\\' {
			continue
		}
		if rest := t.runes[i+1:]; len(rest) > 0 && (rest[0] == '/' || utf16.IsSurrogate(unitOf(rest))) {
			if t.backslash == none {
				t.backslash = free()
				t.unmask[t.backslash] = '\\'
			}
			t.runes[i] = t.backslash
		}
		i++ // the next rune is escaped
	}
}

// freeRunes returns a function that returns another unused rune on each call. It
// cannot run out of them, because a text of MaxSize is too small to use every rune
// of four bytes.
func (t *maskedText) freeRunes() func() rune {
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

// highRunes returns the runes from U+10000 on that the text contains, including
// escaped runes.
func (t *maskedText) highRunes() map[rune]bool {
	used := map[rune]bool{}
	for i, r := range t.runes {
		if r > 0xFFFF {
			used[r] = true
		}
		if r == 'U' && i+9 <= len(t.runes) {
			escaped, _ := strconv.ParseUint(string(t.runes[i+1:i+9]), 16, 32)
			used[rune(escaped)] = true
		}
	}
	return used
}

// unmaskValues gives the scalars of a tree their values in the original. It follows
// no alias.
func (t *maskedText) unmaskValues(node *yaml.Node) {
	if len(t.unmask) == 0 {
		return
	}
	if node.Kind == yaml.ScalarNode {
		node.Value = t.unmasked(node.Value, node.Style&yaml.DoubleQuotedStyle != 0)
	}
	for _, child := range node.Content {
		t.unmaskValues(child)
	}
}

// unmasked returns masked text as in the original. With escapes, it also reads
// escapes with a masked backslash.
func (t *maskedText) unmasked(masked string, escapes bool) string {
	var b strings.Builder
	for rest := []rune(masked); len(rest) > 0; {
		r, size := rest[0], 1
		if escapes && r == t.backslash {
			r, size = t.unescape(rest)
		} else if original, ok := t.unmask[r]; ok {
			r = original
		}
		b.WriteRune(r)
		rest = rest[size:]
	}
	return b.String()
}

// unescape reads the masked escape at the beginning of rest, and returns its size
// in runes. Half of a surrogate pair becomes U+FFFD.
func (t *maskedText) unescape(rest []rune) (rune, int) {
	const unit = len(`\uD83D`)
	high := unitOf(rest[1:])
	if high == 0 {
		return rest[1], 2
	}
	if len(rest) > unit && rest[unit] == t.backslash {
		if r := utf16.DecodeRune(high, unitOf(rest[unit+1:])); r != utf8.RuneError {
			return r, 2 * unit
		}
	}
	return utf8.RuneError, unit
}

// unitOf returns the UTF-16 unit of an escape, given without its backslash, or 0.
func unitOf(rest []rune) rune {
	if len(rest) < 5 || rest[0] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(rest[1:5]), 16, 16)
	return rune(n)
}

// offset returns the byte of the original at which a rune begins.
func (t *maskedText) offset(index int) int {
	at := t.start()
	for range index {
		_, size := decodeRune(t.original[at:])
		at += size
	}
	return at
}

// line returns line i, counted from 0, without its end.
func (t *maskedText) line(i int) string {
	end := len(t.runes)
	if i+1 < len(t.lines) {
		end = t.lines[i+1]
	}
	return strings.TrimRight(string(t.runes[t.lines[i]:end]), "\r\n")
}
