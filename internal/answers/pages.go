package answers

import (
	"cmp"
	"context"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/selection"
)

// A PageInfo describes a page without its content.
type PageInfo struct {
	Member  Member
	Number  int // for [Cache.ReadAt]
	ID      document.ID
	Version document.Version
	Source  string
	Title   string // from its metadata, if any
	Size    int    // bytes of the content
}

// Pages returns the pages of a set that a filter allows, in the order of their IDs, then of
// their members. It reads and checks them, with jobs in flight: at most 8, and 0 means one
// per CPU.
func (s *Set) Pages(ctx context.Context, filter selection.Filter, jobs int) (pages []PageInfo, err error) {
	filters, err := Narrow(ctx, s.members, filter)
	if err != nil {
		return nil, err
	}
	for i, m := range s.members {
		some, err := EachDocument(ctx, m.Cache, filters[i], jobs, func(n int, doc document.Document) (PageInfo, error) {
			return PageInfo{m, n, doc.ID, doc.Version, doc.Source, doc.Metadata["title"].String(), len(doc.Content)}, nil
		})
		if err != nil {
			return nil, err
		}
		pages = append(pages, some...)
	}
	slices.SortStableFunc(pages, func(a, b PageInfo) int { return cmp.Compare(a.ID, b.ID) })
	return pages, nil
}
