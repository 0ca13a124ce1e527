package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// maxDepth limits the nesting of values read by [Decoder.Skip], so hostile input cannot exhaust the
// stack.
const maxDepth = 100

// A Decoder reads a single JSON document (RFC 8259), token by token. It is lenient about layout and
// strict about meaning: it refuses repeated keys, invalid UTF-8, lone surrogates, and anything
// after the document.
//
// Its errors contain the byte offset at which reading stopped.
type Decoder struct {
	data []byte
	pos  int
}

// NewDecoder returns a Decoder of data. It doesn't change data unless [Decoder.TextInPlace] is
// called.
func NewDecoder(data []byte) *Decoder { return &Decoder{data: data} }

// Object reads an object and calls member at the value of each key; member must read exactly this
// value.
func (d *Decoder) Object(member func(key string) error) error {
	if err := d.expect('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for first := true; !d.consume('}'); first = false {
		if err := d.separate(first); err != nil {
			return err
		}
		key, err := d.String()
		if err != nil {
			return err
		}
		if seen[key] {
			return d.errorf("duplicate key %q", key)
		}
		seen[key] = true
		if err := d.expect(':'); err != nil {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
	}
	return nil
}

// Array reads an array and calls element at each of its values; element must read exactly this
// value.
func (d *Decoder) Array(element func() error) error {
	if err := d.expect('['); err != nil {
		return err
	}
	for first := true; !d.consume(']'); first = false {
		if err := d.separate(first); err != nil {
			return err
		}
		if err := element(); err != nil {
			return err
		}
	}
	return nil
}

// String reads a string.
func (d *Decoder) String() (string, error) {
	raw, escaped, err := d.rawString()
	if err != nil {
		return "", err
	}
	if escaped {
		if raw, err = d.appendUnescaped(make([]byte, 0, len(raw)), raw); err != nil {
			return "", err
		}
	}
	return string(raw), nil
}

// TextInPlace reads a string and returns it as a part of the Decoder's data.
// It overwrites the encoded string, since text is never longer than its encoding.
func (d *Decoder) TextInPlace() ([]byte, error) {
	raw, escaped, err := d.rawString()
	if err != nil || !escaped {
		return raw, err
	}
	return d.appendUnescaped(raw[:0], raw)
}

// Int reads an integer of 64 bits, written without fraction or exponent.
func (d *Decoder) Int() (int64, error) {
	literal := d.number()
	n, err := strconv.ParseInt(string(literal), 10, 64)
	if err != nil || !isNumber(literal) {
		return 0, d.errorf("expected a 64-bit integer")
	}
	return n, nil
}

// NextIsString reports whether the next value is a string.
func (d *Decoder) NextIsString() bool {
	d.skipSpace()
	return d.pos < len(d.data) && d.data[d.pos] == '"'
}

// Value reads a value of any kind and returns its text as a part of the data.
func (d *Decoder) Value() ([]byte, error) {
	d.skipSpace()
	start := d.pos
	err := d.Skip()
	return d.data[start:d.pos], err
}

// Skip reads a value of any kind and discards it.
func (d *Decoder) Skip() error { return d.skip(maxDepth) }

// End reads the end of the data.
func (d *Decoder) End() error {
	if d.skipSpace(); d.pos != len(d.data) {
		return d.errorf("unexpected text after the end")
	}
	return nil
}

func (d *Decoder) skip(depth int) error {
	if depth == 0 {
		return d.errorf("nested more than %d levels deep", maxDepth)
	}
	d.skipSpace()
	if d.pos == len(d.data) {
		return d.errorf("expected a value")
	}
	switch d.data[d.pos] {
	case '{':
		return d.Object(func(string) error { return d.skip(depth - 1) })
	case '[':
		return d.Array(func() error { return d.skip(depth - 1) })
	case '"':
		_, err := d.String()
		return err
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(d.data[d.pos:], []byte(word)) {
			d.pos += len(word)
			return nil
		}
	}
	if !isNumber(d.number()) {
		return d.errorf("expected a value")
	}
	return nil
}

// separate reads the comma before every member but the first.
func (d *Decoder) separate(first bool) error {
	if first {
		return nil
	}
	return d.expect(',')
}

func (d *Decoder) expect(b byte) error {
	if !d.consume(b) {
		return d.errorf("expected %q", b)
	}
	return nil
}

// consume reads b if it is the next token.
func (d *Decoder) consume(b byte) bool {
	d.skipSpace()
	if d.pos == len(d.data) || d.data[d.pos] != b {
		return false
	}
	d.pos++
	return true
}

// Next returns the byte offset of the next token.
func (d *Decoder) Next() int {
	d.skipSpace()
	return d.pos
}

func (d *Decoder) skipSpace() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

// number reads the longest run of bytes allowed in numbers.
func (d *Decoder) number() []byte {
	d.skipSpace()
	start := d.pos
	for d.pos < len(d.data) && bytes.IndexByte([]byte("+-.0123456789Ee"), d.data[d.pos]) >= 0 {
		d.pos++
	}
	return d.data[start:d.pos]
}

// isNumber reports whether a literal of the bytes that number reads is a number in JSON's
// grammar.
func isNumber(literal []byte) bool { return json.Valid(literal) }

func (d *Decoder) errorf(format string, args ...any) error {
	return fmt.Errorf("byte %d: %s", d.pos, fmt.Sprintf(format, args...))
}
