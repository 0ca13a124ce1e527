package answers

import (
	"cmp"
	"fmt"
	"io/fs"
	"sort"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
)

// Read returns the document with an ID, checked against the manifest. It fails with
// [fs.ErrNotExist] if the cache contains no such document.
func (c *Cache) Read(id document.ID) (document.Document, error) {
	n, err := c.NumberOf(id)
	if err != nil {
		return document.Document{}, err
	}
	return c.ReadAt(n)
}

// ReadAt returns the n-th document in the order of IDs, counted from 0, checked against the
// manifest. It fails with [fs.ErrNotExist] if the cache contains no such document.
func (c *Cache) ReadAt(n int) (document.Document, error) {
	count, entryAt, err := c.entries()
	if err != nil {
		return document.Document{}, err
	}
	if n < 0 || n >= count {
		return document.Document{}, fmt.Errorf("the cache contains %d pages: %w", count, fs.ErrNotExist)
	}
	entry, err := entryAt(n)
	if err != nil {
		return document.Document{}, err
	}
	return c.files.NewReader().Read(entry)
}

// NumberOf returns the number of the document with an ID, for [Cache.ReadAt]. It fails with
// [fs.ErrNotExist] if the cache contains no such document.
func (c *Cache) NumberOf(id document.ID) (int, error) {
	count, entryAt, err := c.entries()
	if err != nil {
		return 0, err
	}
	n, isFound := sort.Find(count, func(i int) int {
		entry, wrong := entryAt(i)
		err = cmp.Or(err, wrong)
		return cmp.Compare(id, entry.ID)
	})
	if err == nil && !isFound {
		err = fmt.Errorf("the cache contains no %q: %w", id, fs.ErrNotExist)
	}
	return n, err
}

// entries returns the number of documents and a function for their entries, so that an index
// needn't decode all of them.
func (c *Cache) entries() (count int, entryAt func(int) (cache.Entry, error), err error) {
	if c.index != nil {
		return c.index.Documents(), c.index.Entry, nil
	}
	m, err := c.files.Manifest()
	return len(m.Documents), func(i int) (cache.Entry, error) { return m.Documents[i], nil }, err
}
