package sections

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/analysis"
)

// distinctTerms finds the distinct terms of texts, in any order, with the same weight and field.
type distinctTerms struct {
	terms analysis.Terms
	found []words.TermWeight
	text  []byte // reused memory
}

// of returns the distinct terms of texts. They are valid until the next call.
func (d *distinctTerms) of(analyzer *analysis.Analyzer, weight uint32, field uint8, texts ...string) []words.TermWeight {
	d.terms.Reset()
	d.found = d.found[:0]
	for _, text := range texts {
		d.text = append(d.text[:0], text...)
		analyzer.Append(&d.terms, d.text)
	}
	for i := range d.terms.Len() {
		text, _ := d.terms.At(i)
		d.found = append(d.found, words.TermWeight{Text: text, Hash: d.terms.Hash(i), Weight: weight, Field: field})
	}
	slices.SortFunc(d.found, func(a, b words.TermWeight) int {
		if a.Hash != b.Hash {
			return cmp.Compare(a.Hash, b.Hash)
		}
		return bytes.Compare(a.Text, b.Text)
	})
	d.found = slices.CompactFunc(d.found, func(a, b words.TermWeight) bool { return bytes.Equal(a.Text, b.Text) })
	return d.found
}
