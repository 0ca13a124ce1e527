package resolve

import (
	"cmp"
	"context"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
)

// A PageInfo is what a page is, without its content.
type PageInfo struct {
	Member  Member
	Number  int // for [Cache.ReadAt]
	ID      document.ID
	Version document.Version
	Source  string
	Title   string // of its metadata; "" if it has none
	Size    int    // bytes of the content
}

// Pages returns the pages of a set that patterns allow, as in [Filter.Paths], in the order
// of their IDs, then of their members. It reads and checks them, jobs at once: at most 8,
// and 0 means one per processor.
func (s *Set) Pages(ctx context.Context, paths []string, jobs int) (pages []PageInfo, err error) {
	isAllowed := Filter{Paths: paths}.paths()
	for _, m := range s.members {
		count, entryAt, err := m.entries()
		if err != nil {
			return nil, err
		}
		var entries []cache.Entry
		var numbers []int
		for n := range count {
			entry, err := entryAt(n)
			if err != nil {
				return nil, err
			}
			if isAllowed == nil || isAllowed(string(entry.ID)) {
				entries, numbers = append(entries, entry), append(numbers, n)
			}
		}
		some, err := cache.ReadEach(ctx, m.files, jobs, entries, func(_, i int, reader *cache.Reader) (PageInfo, error) {
			doc, err := reader.Read(entries[i])
			return PageInfo{m, numbers[i], doc.ID, doc.Version, doc.Source, doc.Metadata["title"].String(), len(doc.Content)}, err
		})
		if err != nil {
			return nil, err
		}
		pages = append(pages, some...)
	}
	slices.SortStableFunc(pages, func(a, b PageInfo) int { return cmp.Compare(a.ID, b.ID) })
	return pages, nil
}
