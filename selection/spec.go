package selection

import "strconv"

// A Spec names the rules of an answer by their number (docs/selection.md). The zero
// Spec leaves the choice open.
type Spec string

// The specs that there are.
const (
	Spec0 Spec = "0" // pages, by the share of words that match
	Spec1 Spec = "1" // sections, by BM25F
)

// SpecOf returns the Spec with a number.
func SpecOf(number int) Spec { return Spec(strconv.Itoa(number)) }

// Number returns the number of the Spec, 0 for the zero Spec.
func (s Spec) Number() int {
	n, _ := strconv.Atoi(string(s))
	return n
}
