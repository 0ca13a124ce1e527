package pipeline

import (
	"maps"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
)

// Changes lists how the documents differ from the documents of the old cache. The lists
// are sorted.
type Changes struct {
	Replaced  document.Version // version of the old cache; zero without an old cache
	Added     []document.ID
	Changed   []document.ID // in content
	Removed   []document.ID
	Remade    []document.ID // same content, but another file: see Check
	Unchanged int           // same content, including remade documents
}

// changesFrom returns what items change compared to previous, which may be nil.
func changesFrom(previous *cache.Previous, items []cache.NewDocument) Changes {
	if previous == nil {
		previous = new(cache.Previous)
	}
	changes := Changes{Replaced: previous.Version}
	old := make(map[document.ID]document.Version, len(previous.Entries))
	for _, e := range previous.Entries {
		old[e.ID] = e.Version
	}
	for _, item := range items {
		switch version, ok := old[item.ID]; {
		case !ok:
			changes.Added = append(changes.Added, item.ID)
		case version != item.Version:
			changes.Changed = append(changes.Changed, item.ID)
		default:
			changes.Unchanged++
			if !item.IsKept() {
				changes.Remade = append(changes.Remade, item.ID)
			}
		}
		delete(old, item.ID)
	}
	changes.Removed = slices.Sorted(maps.Keys(old))
	return changes
}
