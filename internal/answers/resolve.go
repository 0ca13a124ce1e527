// Package answers answers requests to a cache, or to several caches as if they were
// one. Start with [Open] and [Cache.Resolve], or with [NewSet] and [Set.Resolve].
// [Set.Explain] gives the reasons for an answer, and [ScoreEach] scores many queries.
//
// An answer takes three steps:
//
//	stats → select → print
//
// The stats are the numbers that a selection needs: which documents or sections have the
// terms of the query. They come from the index of the cache (indexStats) or from every
// document (streamStats), and both give the same answer. unionStats joins those of several
// caches. Selecting is pure (packages selection and ranking). Printing reads the selected documents, and checks each
// against the manifest before it writes a byte of it.
package answers

import (
	"cmp"
	"context"
	"io/fs"
	"os"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/verify"
	"github.com/contextcompiler/context/selection"
)

// A Cache is an open cache that answers requests. A rebuild replaces the directory at
// its path and does not change an open Cache. Safe for concurrent use.
type Cache struct {
	files   *cache.Cache
	index   *cache.Index // nil if there is none
	columns *heldColumns // of the index
	version document.Version
	built   selection.Spec
	about   document.About
}

// Open opens the cache at path. If the cache has an index, the cost does not grow with
// the number of documents, and only [Cache.Verify] finds damage elsewhere in the cache.
// The caller closes the Cache.
//
// Open fails with [fault.CacheMissing] without a directory at path, with
// [fault.CacheInvalid] if the manifest is missing or damaged or the index is damaged,
// and with [fault.IO] if the system refuses.
func Open(path string) (*Cache, error) {
	files, err := cache.Open(path)
	if err != nil {
		return nil, err
	}
	return open(files)
}

// OpenIn is [Open] for the directory at a slash path below dir. It never looks outside
// dir: a symlink that leads out is missing.
func OpenIn(dir *os.Root, path string) (*Cache, error) {
	files, err := cache.OpenIn(dir, path)
	if err != nil {
		return nil, err
	}
	return open(files)
}

func open(files *cache.Cache) (*Cache, error) {
	index, err := files.OpenIndex()
	if index != nil {
		h := index.Header()
		return &Cache{files, index, new(heldColumns), h.CacheVersion, selection.SpecOf(h.Selection), index.About()}, nil
	}
	m, damage := files.Manifest() // if both are damaged, the error is about the manifest
	if err := cmp.Or(damage, err); err != nil {
		files.Close()
		return nil, err
	}
	return &Cache{files, nil, nil, m.Version, selection.SpecOf(m.Selection), m.About}, nil
}

// Close releases the directory.
func (c *Cache) Close() {
	if c.index != nil {
		c.index.Close()
	}
	c.files.Close()
}

// Version returns the cache_version.
func (c *Cache) Version() document.Version { return c.version }

// About returns what the cache is about, as its build said.
func (c *Cache) About() document.About { return c.about }

// Directory returns the info of the open directory. [os.SameFile] tells whether a path
// still names it.
func (c *Cache) Directory() fs.FileInfo { return c.files.Directory() }

// Verify checks the whole cache, jobs documents at once: at most 8, and 0 means one per
// processor. It fails with [fault.CacheInvalid] if anything is wrong, and with
// [fault.IO] if the system refuses.
func (c *Cache) Verify(ctx context.Context, jobs int) error {
	report, err := verify.Cache(ctx, c.files, jobs)
	return cmp.Or(err, cache.Damaged(c.files.Path(), report.Err()))
}
