package index_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/caches/index"
)

// The dictionaries consist of a leaf, of several leaves, and of several levels above
// them.
func TestEachWithPrefixVisitsTheTermsInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 64, 65, 20_000} {
		var terms []string
		for i := range n {
			terms = append(terms, fmt.Sprintf("%c%d", 'a'+i%26, i))
		}
		slices.Sort(terms)
		data := modelOf(0, [][]byte{[]byte(strings.Join(terms, " "))}).write(t)
		x, err := index.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, prefix := range []string{"", "a", "b1", "b1999", "m", "z", "zz", "\xff", "A"} {
			var got, want []string
			if err := x.EachWithPrefix(prefix, func(term []byte, postings int) error {
				if postings != 1 { // there is one document
					return fmt.Errorf("%s occurs in %d postings", term, postings)
				}
				got = append(got, string(term))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for _, term := range terms {
				if strings.HasPrefix(term, prefix) {
					want = append(want, term)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q of %d: got %d terms, want %d", prefix, n, len(got), len(want))
			}
		}
	}
}
