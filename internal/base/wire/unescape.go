package wire

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// rawString reads a string. It returns the bytes between the quotation marks,
// and whether they contain escapes.
func (d *Decoder) rawString() (raw []byte, escaped bool, err error) {
	if err := d.expect('"'); err != nil {
		return nil, false, err
	}
	start := d.pos
	length, escaped := stringLength(d.data[start:])
	if length < 0 {
		return nil, false, d.errorf("unterminated string")
	}
	raw = d.data[start : start+length]
	d.pos = start + length + 1
	return raw, escaped, check(d, raw)
}

// stringLength returns the number of bytes before the closing quotation mark of a string, or -1,
// and whether they contain backslashes.
func stringLength(s []byte) (length int, escaped bool) {
	start := 0 // of the unread bytes
	for {
		quote := bytes.IndexByte(s[start:], '"')
		if quote < 0 {
			return -1, escaped
		}
		quote += start
		for start <= quote {
			backslash := bytes.IndexByte(s[start:quote], '\\')
			if backslash < 0 {
				return quote, escaped
			}
			escaped = true
			start += backslash + 2 // may skip the quotation mark, if it is escaped
		}
	}
}

// check refuses bytes not allowed in JSON strings.
func check(d *Decoder, raw []byte) error {
	for _, b := range raw {
		if b < 0x20 {
			return d.errorf("control character in a string")
		}
	}
	if !utf8.Valid(raw) {
		return d.errorf("string is not UTF-8")
	}
	return nil
}

// unescaped maps the letter after a backslash to its byte, or to 0.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// appendUnescaped appends raw without its escapes to dst, which may share its
// first byte with raw.
func (d *Decoder) appendUnescaped(dst, raw []byte) ([]byte, error) {
	for {
		backslash := bytes.IndexByte(raw, '\\')
		if backslash < 0 {
			return append(dst, raw...), nil
		}
		dst = append(dst, raw[:backslash]...)
		letter := raw[backslash+1] // exists, as stringLength has checked
		raw = raw[backslash+2:]
		if letter == 'u' {
			r, size := hexRune(raw)
			if size == 0 {
				return nil, d.errorf("invalid \\u escape")
			}
			dst = utf8.AppendRune(dst, r)
			raw = raw[size:]
			continue
		}
		if unescaped[letter] == 0 {
			return nil, d.errorf("invalid escape")
		}
		dst = append(dst, unescaped[letter])
	}
}

// hexRune decodes the text after `\u`, which is four hex digits or a surrogate
// pair. It returns the number of bytes read, or 0 if they are not a character.
func hexRune(s []byte) (r rune, size int) {
	high, ok := hexUnit(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(high) {
		return high, 4
	}
	if len(s) < 10 || s[4] != '\\' || s[5] != 'u' {
		return 0, 0
	}
	low, ok := hexUnit(s[6:])
	if r = utf16.DecodeRune(high, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 10
}

func hexUnit(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[:4]), 16, 16)
	return rune(n), err == nil
}
