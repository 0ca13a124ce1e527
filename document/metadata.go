package document

import (
	"maps"
	"slices"
	"strconv"
)

// Metadata contains the front matter of a document and numbers about it, as a flat map.
// It changes neither the ID nor the version of the document.
type Metadata map[string]Value

// Keys returns the keys in the order of the document's file, which is sorted.
func (m Metadata) Keys() []string { return slices.Sorted(maps.Keys(m)) }

// A Value is either a string or a 64-bit integer, because readers of a cache accept
// nothing else. The zero Value is the empty string.
type Value struct {
	text     string
	number   int64
	isNumber bool
}

// Text returns s as a Value.
func Text(s string) Value { return Value{text: s} }

// Number returns n as a Value.
func Number(n int64) Value { return Value{number: n, isNumber: true} }

// Number returns the integer, and whether the value is an integer.
func (v Value) Number() (n int64, ok bool) { return v.number, v.isNumber }

// String returns the text of the value. Integers are decimal.
func (v Value) String() string {
	if v.isNumber {
		return strconv.FormatInt(v.number, 10)
	}
	return v.text
}
