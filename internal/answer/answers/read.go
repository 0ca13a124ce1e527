package answers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"sort"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/recent"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
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
	return c.read(c.files.NewReader(), n, entry)
}

// heldDocuments contains up to 8 MiB of the documents that were read last from all caches
// of the process. They were checked when they were read.
var heldDocuments = recent.New[documentKey, document.Document](8 << 20)

type documentKey struct {
	owner  recent.Owner
	number int
}

// mostHeld is the most bytes of a held document, because a larger one would take the place
// of too many others.
const mostHeld = 1 << 20

// read returns the n-th document, whose entry is given, checked against the manifest. Its
// content must not be changed.
func (c *Cache) read(reader *cache.Reader, n int, entry cache.Entry) (document.Document, error) {
	key := documentKey{c.owner, n}
	if doc, isHeld := heldDocuments.Get(key); isHeld {
		return doc, nil
	}
	doc, err := reader.Read(entry)
	if err != nil || len(doc.Content) > mostHeld {
		return doc, err
	}
	doc.Content = bytes.Clone(doc.Content) // the reader will overwrite it
	const overhead = 1 << 10               // of the metadata, the names and the place in heldDocuments
	heldDocuments.Put(key, doc, overhead+len(doc.Content))
	return doc, nil
}

func cut(doc document.Document) ([]sections.Section, error) {
	found, err := stages.SplitOf(context.Background(), doc)
	return found.Sections, err
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

// Contains reports whether the cache contains a document with an ID.
func (c *Cache) Contains(id document.ID) bool {
	_, err := c.NumberOf(id)
	return err == nil
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

// Selection returns the selection for which the cache was built.
func (c *Cache) Selection() selection.Spec { return c.built }

// Size returns the number of pages, and the number of sections in the index: 0 without an
// index and for selection 0. It fails like [Open].
func (c *Cache) Size() (pages, sections int, err error) {
	if c.index != nil {
		return c.index.Documents(), c.index.Sections(), nil
	}
	m, err := c.files.Manifest()
	return len(m.Documents), 0, err
}
