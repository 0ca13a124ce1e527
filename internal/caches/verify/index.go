package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/stages"
)

// An indexCheck compares the index of a cache with the documents while verify reads
// them. It is safe for concurrent use.
type indexCheck struct {
	cache *cache.Files
	index *cache.BoundIndex // nil if it doesn't exist or cannot be opened
	terms *index.TermCheck  // nil if there is nothing to compare
	found *cache.Finding
}

// newIndexCheck returns a check of the index of c, which contains n documents. A cache
// without an index passes the check.
func newIndexCheck(c *cache.Files, n int) (k *indexCheck, err error) {
	k = &indexCheck{cache: c}
	if k.index, err = c.OpenIndex(); err == nil && k.index != nil {
		k.terms, err = index.NewTermCheck(k.index.Index, n)
	}
	k.found, err = c.IndexFinding(err)
	if err != nil {
		k.close()
	}
	return k, err
}

func (k *indexCheck) close() {
	if k.index != nil {
		k.index.Close()
	}
}

// document checks the document at a position. The finding is nil if the document is
// sound.
func (k *indexCheck) document(reader *cache.Reader, position int, entry cache.Entry) (checked checkedDocument, err error) {
	doc, described, finding, err := reader.Check(entry)
	checked.finding = finding
	checked.converter = strings.Clone(stages.ConverterIn(doc)) // because the next document reuses its memory
	if finding != nil || err != nil || k.terms == nil {
		return checked, err
	}
	page, err := stages.IndexAgain(k.terms.At(position, doc.ID), k.index.Header().Selection, doc)
	if err == nil {
		k.terms.Add(position, described, page)
	}
	return checked, err
}

// compareConverters returns a finding if the manifest names other converters than the
// documents. Call it only after all documents were found to be sound.
func compareConverters(manifest cache.Manifest, converters map[string]bool) []cache.Finding {
	made := strings.Join(slices.Sorted(maps.Keys(converters)), ", ")
	if made == manifest.Converters {
		return nil
	}
	message := fmt.Sprintf("converters is %q, but the documents give %q", manifest.Converters, made)
	return []cache.Finding{{Code: cache.ConvertMismatch, Path: "manifest.json", Message: message}}
}

// finding returns a finding about the index, or nil if the index is sound. Call it only
// after all documents were found to be sound.
func (k *indexCheck) finding(ctx context.Context, jobs int) (*cache.Finding, error) {
	if k.found != nil || k.terms == nil {
		return k.found, nil
	}
	checks := []func() error{
		k.terms.CompareTerms,
		func() error { return k.terms.CompareBytes(k.index.File()) },
	}
	findings, err := parallel.Each(ctx, jobs, len(checks), func(_ context.Context, _, i int) (*cache.Finding, error) {
		return k.cache.IndexFinding(checks[i]())
	})
	for _, finding := range findings {
		if finding != nil && err == nil {
			return finding, nil
		}
	}
	return nil, err
}
