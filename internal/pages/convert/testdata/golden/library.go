// Copyright notice, which is no documentation.

// Package tank measures the level of liquids.
//
// Create a [Tank] with [New], and call [Tank.Fill]:
//
//	t := tank.New(3)
//	t.Fill(2)
//
// # Units
//
// All levels are in litres. See https://example.com/units and the [guide]. Names such as max_level
// stay as they are.
//
//   - first
//   - second,
//     which goes on
//
// Steps:
//
//  1. Open.
//
//  2. Close.
//
// [guide]: https://example.com/guide
package tank

import "errors"

// Levels of a tank.
const (
	Empty Level = iota // nothing in it
	Full
)

const limit, Most = 1, 2

// ErrFull means that a tank is full.
var ErrFull = errors.New("full")

var hidden = 3

// A Level is how full a [Tank] is.
type Level int

// String implements fmt.Stringer.
func (l Level) String() string { return "" }

// A Tank contains liquid.
//
// # Safety
//
// It is not safe for concurrent use.
type Tank struct {
	// Size is in litres.
	Size  int
	level int // hidden
}

// New returns an empty tank.
func New(size int) *Tank {
	// a comment in a body
	return &Tank{Size: size}
}

// Fill adds liquid. It fails with [ErrFull].
func (t *Tank) Fill(litres int) error { return nil }

func (t *Tank) drain() {}

// A Ring is a buffer of elements.
type Ring[T any] struct{ elements []T }

// Push adds an element.
func (r *Ring[T]) Push(element T) {}

// Filler fills.
type Filler interface {
	// Fill fills something.
	Fill(litres int) error

	secret()
}

// Measure measures.
//
// Deprecated: call [Tank.Fill].
func Measure(tanks ...*Tank) (levels map[string]Level, err error) { return nil, nil }

func unexported() {}

type private struct{ Public int }

// Method belongs to a type that isn't exported.
func (private) Method() {}
