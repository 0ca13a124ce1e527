// Package resolve answers requests to a cache, or to several caches as if they were
// one. Start with [Open] and [Cache.Resolve], or with [NewSet] and [Set.Resolve].
// [Set.Explain] gives the reasons for an answer, and [RankEach] ranks many queries.
//
// An answer takes three steps:
//
//	source → select → print
//
// A source has the numbers that a selection needs: which documents or sections have
// the terms of the query. It reads them from the index of the cache (indexSource), or
// from every document (streamSource). Both give the same answer. A unionSource joins the
// sources of several caches. Selecting is pure (packages selection and ranking). Printing reads the selected documents, and checks each
// against the manifest before it writes a byte of it.
package resolve

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/verify"
	"github.com/contextcompiler/context/selection"
)

// A Request is a question to a cache.
type Request struct {
	Query     selection.Query
	Budget    uint64         // tokens
	Selection selection.Spec // "" means the selection that the cache was built for
	Unit      Unit           // zero means the usual unit of the selection
	Filter    Filter         // pages that may be chosen; zero allows all
	MinScore  uint32         // least score of an item, as a share of the best score in units of 1/One
	Pretty    bool           // two-space JSON instead of compact
	Jobs      int            // documents in flight at once, at most 8; 0 means one per processor

	// Discardable says that the caller throws away the output if Resolve fails.
	// Then Resolve may write a document before it checks the next one, so it reads
	// each once and keeps none.
	Discardable bool
}

// A Unit is the kind of item in an answer.
type Unit int

// The units. Selection 0 selects only documents.
const (
	AnyUnit   Unit = iota // sections by selection 1, documents by selection 0
	Documents             // whole documents
	Sections              // parts of documents
)

// ErrUnit is the error of a request for sections by selection 0.
var ErrUnit = errors.New("selection 0 selects documents, not sections")

// A Cache is an open cache that answers requests. A rebuild replaces the directory at
// its path and does not change an open Cache. Safe for concurrent use.
type Cache struct {
	files   *cache.Files
	index   *cache.BoundIndex // nil if there is none
	columns *heldColumns      // of the index
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

func open(files *cache.Files) (*Cache, error) {
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
