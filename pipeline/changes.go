package pipeline

import (
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/cache"
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

// changesFrom returns what items change compared to previous, which may be nil. Both are
// sorted by ID.
func changesFrom(previous *cache.Previous, items []cache.NewDocument) (changes Changes, err error) {
	if previous != nil {
		changes.Replaced = previous.Version
	}
	add := func(n int) {
		for _, item := range items[:n] {
			changes.Added = append(changes.Added, item.ID)
		}
		items = items[n:]
	}
	for old, err := range previous.Entries {
		if err != nil {
			return Changes{}, err
		}
		n := 0
		for n < len(items) && items[n].ID < old.ID {
			n++
		}
		add(n)
		if len(items) == 0 || items[0].ID != old.ID {
			changes.Removed = append(changes.Removed, old.ID)
			continue
		}
		changes.compare(old, items[0])
		items = items[1:]
	}
	changes.Added = slices.Grow(changes.Added, len(items))
	add(len(items))
	return changes, nil
}

// compare adds a document that both caches contain.
func (c *Changes) compare(old cache.Entry, item cache.NewDocument) {
	if old.Version != item.Version {
		c.Changed = append(c.Changed, item.ID)
		return
	}
	c.Unchanged++
	if !item.IsKept() {
		c.Remade = append(c.Remade, item.ID)
	}
}
