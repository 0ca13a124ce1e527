// Package resolve answers requests to a cache.
//
//	Open → Cache.Resolve, Cache.Explain, Rank
//
// An answer takes three steps:
//
//	source → select → print
//
// A source has the numbers that a selection needs: which documents or sections have
// the terms of the query. Either the index of the cache is the source (indexed), or
// every document is read (streamed). Both give the same answer. Selecting is pure
// (packages selection and ranking). Printing reads what was selected, and checks it
// against the manifest before a byte of it goes out.
package resolve

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/verify"
	"github.com/contextcompiler/context/selection"
)

// A Request is a question to a cache.
type Request struct {
	Query     selection.Query
	Budget    uint64         // tokens
	Selection selection.Spec // "": the one that the cache was built for
	Unit      Unit           // zero: the usual one of the selection
	Filter    Filter         // pages that may be chosen; zero: all
	MinScore  uint32         // share of the best score that an item must have, in units of 1/One
	Pretty    bool           // two-space JSON instead of compact
	Jobs      int            // documents in flight at once; 0 means one a processor; at most 8

	// Discardable says that the caller throws away the output if Resolve fails.
	// Then a document may be written before the next one is checked, so that
	// each is read once and none is kept.
	Discardable bool
}

// A Unit is what an answer consists of.
type Unit int

// Units. Selection 0 knows documents alone.
const (
	AnyUnit   Unit = iota // sections by selection 1, documents by selection 0
	Documents             // whole
	Sections              // parts of documents
)

// ErrUnit is the error of a request for sections by selection 0.
var ErrUnit = errors.New("selection 0 selects documents, not sections")

// A Cache is an open cache that answers requests. It answers as it was opened while
// rebuilds replace the directory at its path. Safe for concurrent use.
type Cache struct {
	files   *cache.Cache
	index   *cache.Index // nil if there is none
	version document.Version
	built   selection.Spec
}

// Open opens the cache at path. With an index, its cost does not grow with the number
// of documents, and damage elsewhere in the cache is left to [Cache.Verify].
//
// It fails with [fault.CacheMissing] if there is no directory at path, with
// [fault.CacheInvalid] if that is no sound cache, and with [fault.IO] if the system
// refuses.
func Open(path string) (*Cache, error) {
	files, err := cache.Open(path)
	if err != nil {
		return nil, err
	}
	return open(files)
}

// OpenIn is [Open] for the directory at a slash path below dir. It never looks at
// anything outside of dir: a symlink that leads out is missing.
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
		return &Cache{files, index, h.CacheVersion, selection.SpecOf(h.Selection)}, nil
	}
	m, damage := files.Manifest() // of two damaged files, it is the manifest that counts
	if err := cmp.Or(damage, err); err != nil {
		files.Close()
		return nil, err
	}
	return &Cache{files, nil, m.Version, selection.SpecOf(m.Selection)}, nil
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

// Directory returns what the system says of the open directory. [os.SameFile] tells
// whether it is still the one at a path.
func (c *Cache) Directory() fs.FileInfo { return c.files.Directory() }

// Verify checks the whole cache, jobs documents at once: at most 8, and 0 means one a
// processor. It fails with [fault.CacheInvalid] if anything is wrong, and with
// [fault.IO] if the system refuses.
func (c *Cache) Verify(ctx context.Context, jobs int) error {
	report, err := verify.Cache(ctx, c.files, jobs)
	return cmp.Or(err, cache.Damaged(c.files.Path(), report.Err()))
}

// sourceFor returns a source for a selection: the index if it was made for that.
func (c *Cache) sourceFor(ctx context.Context, by selection.Spec, query selection.Query, terms []string, jobs int) (source, error) {
	if c.index != nil && by == c.built {
		return &indexed{index: c.index, terms: terms, entries: map[uint32]cache.Entry{}}, nil
	}
	m, err := c.files.Manifest()
	if err != nil {
		return nil, err
	}
	if by == selection.Spec0 {
		return streamPages(ctx, c.files, m.Documents, query, jobs)
	}
	return streamSections(ctx, c.files, m.Documents, terms, jobs)
}

// Resolve writes the answer to a request to out, as it goes. Nothing is written before
// all that was selected has been checked against the manifest, unless the output is
// discardable. An error of out ends the work at once.
//
// With an index for the request's selection, only the selected documents are read.
// Else every document is read and checked, in bounded memory. The answer is the same.
//
// It fails with [fault.CacheInvalid] if a document is not what the manifest says,
// with [fault.IO] if the system refuses or out fails, and with [ErrUnit].
func (c *Cache) Resolve(ctx context.Context, request Request, out io.Writer) error {
	a, err := c.answer(ctx, request)
	if err != nil {
		return err
	}
	p := printer{answer: a, reader: c.files.NewReader()}
	if !request.Discardable {
		if err := p.hold(ctx); err != nil {
			return err
		}
	}
	result := selection.NewResultWriter(out, request.Query, a.terms, request.Pretty)
	for i := range a.chosen {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		next, err := p.print(i)
		if err != nil {
			return err
		}
		if err := result.Document(next.version, next.content, next.item); err != nil {
			return writeError(err)
		}
	}
	return writeError(result.Close(a.totals))
}

// writeError says that a result cannot be written. A nil err is nil.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	return fault.Errorf(fault.IO, "write the result: %w", err)
}

// methodOf returns the selection and the unit of a request.
func (c *Cache) methodOf(request Request) (by selection.Spec, unit Unit, err error) {
	by, unit = cmp.Or(request.Selection, c.built), request.Unit
	if err := by.Check(); err != nil {
		return by, unit, err
	}
	if by == selection.Spec0 && unit == Sections {
		return by, unit, ErrUnit
	}
	if unit == AnyUnit {
		unit = map[selection.Spec]Unit{selection.Spec0: Documents, selection.Spec1: Sections}[by]
	}
	return by, unit, nil
}
