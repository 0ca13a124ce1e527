package selection

import (
	"fmt"
	"strconv"
)

// A Spec is the number of the rules for an answer (docs/selection.md). The zero Spec leaves
// the choice to the cache.
type Spec string

// The specs.
const (
	Spec0 Spec = "0" // pages, by the share of words that match
	Spec1 Spec = "1" // sections, by BM25F
)

// SpecOf returns the Spec with that number. Call Check if it may be unknown.
func SpecOf(number int) Spec { return Spec(strconv.Itoa(number)) }

// Check fails unless s is a known Spec or zero.
func (s Spec) Check() error {
	switch s {
	case "", Spec0, Spec1:
		return nil
	}
	return fmt.Errorf("unknown selection %q: expected 0 or 1", string(s))
}

// Number returns the number of the Spec, and 0 for the zero Spec.
func (s Spec) Number() int {
	n, _ := strconv.Atoi(string(s))
	return n
}
