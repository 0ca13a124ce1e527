package cache

import (
	"fmt"
	"io"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/markdown"
	"github.com/contextcompiler/context/passage"
	"github.com/contextcompiler/context/termindex"
)

// A passageCheck compares the index of passages with the documents, as an
// [IndexCheck] does with the index of documents. Safe for concurrent use.
type passageCheck struct {
	index    *PassageIndex
	firsts   []uint32
	audit    *termindex.Audit
	passages []termindex.Passage // as the documents have them

	mu struct {
		sync.Mutex
		position int   // of the first document that is cut in another way
		err      error // that says so; nil if there is none
	}
}

// newPassageCheck returns a check of the index of passages of c, nil if there is
// none.
func (c *Cache) newPassageCheck() (*passageCheck, error) {
	index, err := c.openPassages()
	if err != nil || index == nil {
		return nil, err
	}
	firsts, _, err := index.PassageIndex.Columns()
	if pages := len(firsts) - 1; err == nil && pages != len(c.Manifest.Documents) {
		err = fmt.Errorf("%w: it is of %d documents, not of %d", errDiffers, pages, len(c.Manifest.Documents))
	}
	if err != nil {
		index.close()
		return nil, indexError(passagesName, err)
	}
	return &passageCheck{
		index: index, firsts: firsts,
		audit: termindex.NewAudit(index.Len()), passages: make([]termindex.Passage, index.Len()),
	}, nil
}

// add takes the document at a position of the manifest.
func (k *passageCheck) add(position int, doc document.Document) {
	cut := passage.Cut(doc.Content, markdown.Parse(doc.Content).Blocks)
	first, end := int(k.firsts[position]), int(k.firsts[position+1])
	if len(cut) != end-first {
		k.fail(position, fmt.Errorf("%w: %q has %d passages, not %d", errDiffers, doc.ID, len(cut), end-first))
		return
	}
	for i, p := range cut {
		k.passages[first+i] = weigh(doc, p, func(term []byte, weight uint32) {
			k.audit.AddTerm(first+i, term, weight)
		})
	}
}

// fail notes what is wrong with a document. Of many, the first in the manifest
// counts, whichever was looked at first.
func (k *passageCheck) fail(position int, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.mu.err == nil || position < k.mu.position {
		k.mu.position, k.mu.err = position, err
	}
}

// compareWords compares the terms of the passages with those in the index.
func (k *passageCheck) compareWords() error {
	if k.mu.err != nil {
		return k.mu.err
	}
	ordinal, err := k.audit.Compare(&k.index.InvertedIndex)
	if err == nil && ordinal >= 0 {
		err = fmt.Errorf("%w: passage %d has other words", errDiffers, ordinal)
	}
	return err
}

// rewrite writes the index anew, with the terms that it has, and compares.
func (k *passageCheck) rewrite() error {
	if k.mu.err != nil {
		return k.mu.err
	}
	sources := termindex.Sources{Previous: &k.index.InvertedIndex, Kept: countTo(len(k.passages))}
	return k.index.compare(func(out io.Writer) error {
		return termindex.WritePassages(out, k.index.Header(), k.firsts, k.passages, sources)
	})
}
