package agent

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/selection"
)

// The index contains words and symbols of code, but a text can also be a part of a longer name, or
// be in prose or in an address. So only the pages can prove that a text is missing. They are read
// unless there are so many that a note isn't worth the time.
const (
	mostProofPages = 1000
	mostProofBytes = 2 << 20
	mostProofTexts = 16
)

// A textProof knows which texts the pages of a set contain. The zero textProof knows of none.
type textProof struct{ isFound map[string]bool }

// isAbsent reports whether it is certain that no page contains a text.
func (p textProof) isAbsent(text string) bool {
	isFound, isKnown := p.isFound[text]
	return isKnown && !isFound
}

// proofOf looks for the first mostProofTexts texts in all pages of a set, ignoring case.
func proofOf(ctx context.Context, set *answers.Set, texts []string) (textProof, error) {
	texts = texts[:min(len(texts), mostProofTexts)]
	pages := 0
	for _, of := range set.Members() {
		n, _, err := of.Size()
		if pages += n; err != nil || pages > mostProofPages || len(texts) == 0 {
			return textProof{}, context.Cause(ctx)
		}
	}
	isFound := make([]atomic.Bool, len(texts))
	var size atomic.Int64
	for _, of := range set.Members() {
		_, err := answers.EachDocument(ctx, of.Cache, selection.Filter{}, 0, func(_ int, doc document.Document) (none struct{}, err error) {
			if size.Add(int64(len(doc.Content))) > mostProofBytes {
				return none, errors.New("the pages are too large")
			}
			content := words.Fold(doc.Content)
			for i, text := range texts {
				if content.Contains(text) {
					isFound[i].Store(true)
				}
			}
			return none, context.Cause(ctx)
		})
		if err != nil { // a damaged page proves nothing, and a note is not worth the error
			return textProof{}, context.Cause(ctx)
		}
	}
	proof := textProof{map[string]bool{}}
	for i, text := range texts {
		proof.isFound[text] = isFound[i].Load()
	}
	return proof, nil
}
