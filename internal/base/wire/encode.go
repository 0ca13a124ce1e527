// Package wire encodes and decodes the product's JSON.
//
// The contract specifies every byte of our output, but encoding/json writes other
// bytes: for example, it escapes U+2028. It also accepts too much: it ignores the
// case of keys, takes the last of two equal keys, and replaces invalid UTF-8.
package wire

import (
	"io"
	"slices"
	"strconv"
)

// An Encoder writes a single JSON document, token by token, in the order of the calls. The zero
// Encoder writes compact JSON into memory.
//
// Calls must nest like JSON values, but an Encoder does not check this.
type Encoder struct {
	buf      []byte
	out      io.Writer // nil to keep everything in buf
	err      error     // from out
	indented bool
	depth    int
	empty    bool // whether the innermost object or array is empty so far
	afterKey bool
}

// Indented returns an Encoder whose members and elements are each on their own line, indented by
// two spaces per level.
func Indented() *Encoder { return &Encoder{indented: true} }

// StreamTo makes the Encoder write to out while it encodes. The caller must
// call Close at the end.
func (e *Encoder) StreamTo(out io.Writer) { e.out = out }

// Err returns the first error of the writer so far.
func (e *Encoder) Err() error { return e.err }

// Close writes the rest and returns the first error of the writer.
func (e *Encoder) Close() error {
	e.flush()
	return e.err
}

// Inner returns an Encoder for writing a value into memory. Literal can then write this value after
// keys of e, at the same depth.
func (e *Encoder) Inner() *Encoder {
	return &Encoder{indented: e.indented, depth: e.depth, afterKey: true}
}

// Bytes returns the document, unless StreamTo was called. It is valid until the next call.
func (e *Encoder) Bytes() []byte { return e.buf }

// Reset makes the Encoder ready for another document, keeping its memory.
func (e *Encoder) Reset() { *e = Encoder{buf: e.buf[:0], indented: e.indented} }

// fullSize is how many bytes an Encoder collects before it writes them.
const fullSize = 64 << 10

func (e *Encoder) flushIfFull() {
	if e.out != nil && len(e.buf) >= fullSize {
		e.flush()
	}
}

func (e *Encoder) flush() {
	if e.err == nil {
		_, e.err = e.out.Write(e.buf)
	}
	e.buf = e.buf[:0]
}

// BeginObject opens an object.
func (e *Encoder) BeginObject() { e.open('{') }

// EndObject closes the innermost object.
func (e *Encoder) EndObject() { e.close('}') }

// BeginArray opens an array.
func (e *Encoder) BeginArray() { e.open('[') }

// EndArray closes the innermost array.
func (e *Encoder) EndArray() { e.close(']') }

// Key writes the name of the next member of an object.
func (e *Encoder) Key(key string) {
	e.next()
	e.buf = append(e.buf, '"')
	e.buf = appendEscaped(e.buf, key)
	e.buf = append(e.buf, `":`...)
	if e.indented {
		e.buf = append(e.buf, ' ')
	}
	e.afterKey = true
}

// String writes a string.
func (e *Encoder) String(s string) {
	e.next()
	e.buf = append(e.buf, '"')
	e.buf = appendEscaped(e.buf, s)
	e.buf = append(e.buf, '"')
}

// Text writes a string consisting of parts. The bytes must be UTF-8. After StreamTo, the Encoder
// escapes at most fullSize of them in memory at once.
func (e *Encoder) Text(parts ...[]byte) {
	e.next()
	e.buf = append(e.buf, '"')
	for _, part := range parts {
		for some := range slices.Chunk(part, fullSize) {
			e.buf = appendEscaped(e.buf, some)
			e.flushIfFull()
		}
	}
	e.buf = append(e.buf, '"')
}

// Int writes an integer.
func (e *Encoder) Int(n int64) {
	e.next()
	e.buf = strconv.AppendInt(e.buf, n, 10)
}

// Uint writes a non-negative integer.
func (e *Encoder) Uint(n uint64) {
	e.next()
	e.buf = strconv.AppendUint(e.buf, n, 10)
}

// Bool writes true or false.
func (e *Encoder) Bool(b bool) {
	e.next()
	e.buf = strconv.AppendBool(e.buf, b)
}

// Literal writes text which is already JSON.
func (e *Encoder) Literal(json string) {
	e.next()
	e.buf = append(e.buf, json...)
}

// Newline ends the document with a line feed.
func (e *Encoder) Newline() { e.buf = append(e.buf, '\n') }

// next writes the separator between the previous and the next value.
func (e *Encoder) next() {
	e.flushIfFull()
	if e.afterKey {
		e.afterKey = false
		return
	}
	if e.depth == 0 {
		return
	}
	if !e.empty {
		e.buf = append(e.buf, ',')
	}
	e.empty = false
	e.newLine()
}

func (e *Encoder) open(bracket byte) {
	e.next()
	e.buf = append(e.buf, bracket)
	e.depth++
	e.empty = true
}

func (e *Encoder) close(bracket byte) {
	e.depth--
	if !e.empty {
		e.newLine()
	}
	e.empty = false
	e.buf = append(e.buf, bracket)
}

func (e *Encoder) newLine() {
	if !e.indented {
		return
	}
	e.buf = append(e.buf, '\n')
	for range e.depth {
		e.buf = append(e.buf, "  "...)
	}
}
