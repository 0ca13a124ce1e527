package answers

import (
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
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
	found, err := cache.ReadEach(ctx, c.files, jobs, entries, func(_, i int, reader *cache.Reader) (out *Out, err error) {
		doc, err := reader.Read(entries[i])
		if err == nil && pageFilter(filter).allowsFields(doc) {
			out = new(Out)
			*out, err = visit(numbers[i], doc)
		}
		return out, err
	})
	var outs []Out
	for _, out := range found {
		if out != nil {
			outs = append(outs, *out)
		}
	}
	return outs, err
}

func (c *Cache) allEntries() ([]cache.Entry, error) {
	if c.index != nil {
		return c.index.Entries()
	}
	m, err := c.files.Manifest()
	return m.Documents, err
}

// A PageInfo describes a page without its content.
type PageInfo struct {
	Member  Member
	Number  int // for [Cache.ReadAt]
	ID      document.ID
	Version document.Version
	Source  string
	Title   string // see [TitleOf]
	Size    int    // bytes of the content
}

// Pages returns the pages of a set that a filter allows, in the order of its members, then of
// their IDs. It reads and checks them, with jobs in flight: at most 8, and 0 means one per CPU.
func (s *Set) Pages(ctx context.Context, filter selection.Filter, jobs int) (pages []PageInfo, err error) {
	filters, err := Narrow(ctx, s.members, filter)
	if err != nil {
		return nil, err
	}
	for i, m := range s.members {
		some, err := EachDocument(ctx, m.Cache, filters[i], jobs, func(n int, doc document.Document) (PageInfo, error) {
			title, err := TitleOf(ctx, doc)
			return PageInfo{m, n, doc.ID, doc.Version, doc.Source, title, len(doc.Content)}, err
		})
		if err != nil {
			return nil, err
		}
		pages = append(pages, some...)
	}
	return pages, nil
}

// TitleOf is [stages.TitleOf] for a document. It only parses pages without a title in their
// metadata.
func TitleOf(ctx context.Context, doc document.Document) (string, error) {
	if title := stages.TitleOf(doc.Metadata, nil); title != "" {
		return title, nil
	}
	found, err := stages.SplitOf(ctx, doc)
	return stages.TitleOf(doc.Metadata, found.Blocks), err
}
