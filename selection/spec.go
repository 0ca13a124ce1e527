package selection

import (
	"fmt"
	"strconv"
)

// A Spec names the rules of an answer by their number (docs/selection.md). The zero
// Spec leaves the choice open.
type Spec string

// The specs.
const (
	Spec0 Spec = "0" // pages, by the share of words that match
	Spec1 Spec = "1" // sections, by BM25F
)

// SpecOf returns the Spec with a number.
func SpecOf(number int) Spec { return Spec(strconv.Itoa(number)) }

// Check fails unless s is one of the specs or zero.
func (s Spec) Check() error {
	switch s {
	case "", Spec0, Spec1:
		return nil
	}
	return fmt.Errorf("there is no selection %q", string(s))
}

// Number returns the number of the Spec, 0 for the zero Spec.
func (s Spec) Number() int {
	n, _ := strconv.Atoi(string(s))
	return n
}
