package sections

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/analysis"
)

// distinctTerms finds the distinct terms of texts, in any order.
type distinctTerms struct {
	terms analysis.Terms
	found []distinctTerm // empty if terms were added
	text  []byte         // reused memory
}

type distinctTerm struct {
	text []byte
	hash uint64
}

func (t distinctTerm) weighing(weight uint32) words.TermWeight {
	return words.TermWeight{Text: t.text, Hash: t.hash, Weight: weight}
}

func (d *distinctTerms) reset() {
	d.terms.Reset()
	d.found = d.found[:0]
}

func (d *distinctTerms) append(analyzer *analysis.Analyzer, text string) {
	d.text = append(d.text[:0], text...)
	analyzer.Append(&d.terms, d.text)
}

// distinct returns the distinct terms since the last reset.
func (d *distinctTerms) distinct() []distinctTerm {
	if len(d.found) > 0 {
		return d.found
	}
	for i := range d.terms.Len() {
		text, _ := d.terms.At(i)
		d.found = append(d.found, distinctTerm{text, d.terms.Hash(i)})
	}
	slices.SortFunc(d.found, func(a, b distinctTerm) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return bytes.Compare(a.text, b.text)
	})
	d.found = slices.CompactFunc(d.found, func(a, b distinctTerm) bool { return bytes.Equal(a.text, b.text) })
	return d.found
}
