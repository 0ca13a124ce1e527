package resolve

import (
	"fmt"
	"io/fs"
	"sort"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
)

// Read returns the document with an ID, checked against the manifest. It fails with
// [fs.ErrNotExist] if the cache has no such document.
func (c *Cache) Read(id document.ID) (document.Document, error) {
	entry, err := c.find(id)
	if err != nil {
		return document.Document{}, err
	}
	return c.files.NewReader().Read(entry)
}

// find returns the manifest's entry of a document.
func (c *Cache) find(id document.ID) (found cache.Entry, err error) {
	entryOf := func(i int) (cache.Entry, error) { return c.index.Entry(i) }
	var n int
	if c.index != nil {
		n = c.index.Documents()
	} else {
		m, err := c.files.Manifest()
		if err != nil {
			return found, err
		}
		n, entryOf = len(m.Documents), func(i int) (cache.Entry, error) { return m.Documents[i], nil }
	}
	at := sort.Search(n, func(i int) bool {
		entry, wrong := entryOf(i)
		if wrong != nil {
			err = wrong
		}
		return entry.ID >= id
	})
	if err != nil || at == n {
		return found, notFound(id, err)
	}
	if found, err = entryOf(at); err != nil || found.ID != id {
		return cache.Entry{}, notFound(id, err)
	}
	return found, nil
}

// notFound returns err, or if that is nil an [fs.ErrNotExist] for the document.
func notFound(id document.ID, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("the cache has no %q: %w", id, fs.ErrNotExist)
}
