package answers

import (
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/selection"
)

// EachDocument calls visit with each document of a cache that the filter allows, checked
// against the manifest, and with its number for [Cache.ReadAt]. It visits jobs documents at
// once: at most 8, and 0 means one per CPU. A document is only valid until visit returns.
// The results are in the order of IDs.
//
// It fails with the first error of visit in that order, with [fault.CacheInvalid] if a
// document contradicts the manifest, and with [fault.IO] if the system refuses.
func EachDocument[Out any](ctx context.Context, c *Cache, filter selection.Filter, jobs int, visit func(n int, doc document.Document) (Out, error)) ([]Out, error) {
	all, err := c.allEntries()
	if err != nil {
		return nil, err
	}
	var entries []cache.Entry
	var numbers []int
	isAllowed := pageFilter(filter).paths()
	for n, entry := range all {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if isAllowed == nil || isAllowed(string(entry.ID)) {
			entries, numbers = append(entries, entry), append(numbers, n)
		}
	}
	type visited struct {
		out   Out
		isOne bool
	}
	found, err := cache.ReadEach(ctx, c.files, jobs, entries, func(_, i int, reader *cache.Reader) (v visited, err error) {
		doc, err := reader.Read(entries[i])
		if err == nil && pageFilter(filter).allowsFields(doc) {
			v.isOne = true
			v.out, err = visit(numbers[i], doc)
		}
		return v, err
	})
	if err != nil {
		return nil, err
	}
	var outs []Out
	for _, v := range found {
		if v.isOne {
			outs = append(outs, v.out)
		}
	}
	return outs, nil
}

func (c *Cache) allEntries() ([]cache.Entry, error) {
	if c.index != nil {
		return c.index.Entries()
	}
	m, err := c.files.Manifest()
	return m.Documents, err
}
