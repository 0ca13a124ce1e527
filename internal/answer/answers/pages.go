package answers

import (
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

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
