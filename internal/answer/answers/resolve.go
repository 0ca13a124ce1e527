// Package answers is the engine of package resolve and of the agent tools: it answers
// requests to a cache, or to several caches as if they were one.
//
// Start with [Open] and [Cache.Resolve], or with [NewSet] and [Set.Resolve]. [Set.Rank] is
// for callers who choose sections themselves, [Set.Explain] returns the reasons for an answer,
// and [ScoreEach] scores many queries for an evaluation.
//
// An answer takes three steps:
//
//	join → score → print
//
// joined are the indexes of the caches as if they were a single index. A cache without an index for
// the selection gets one in memory, so the answer is the same. Scores are those of pages
// (pageScores) by selection 0, or those of sections (Ranking and package ranking) by selection 1.
// Printing reads the chosen documents and compares each with its checksum in the manifest before
// it writes the first byte of it.
package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/recent"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/selection"
)

// A Cache is an open cache that answers requests. A rebuild replaces the directory at the
// path, so it doesn't change an open Cache. It is safe for concurrent use.
type Cache struct {
	files   *cache.Files
	index   *openIndex   // nil without an index
	owner   recent.Owner // of held documents
	version document.Version
	built   selection.Spec
	about   document.About

	making *parallel.Room // held while made is used
	made   map[selection.Spec]*openIndex
}

// Open opens the cache at path. With an index, the cost doesn't grow with the number of
// documents, but only [Cache.Verify] finds damage elsewhere in the cache. The caller must
// close the Cache.
//
// Open fails with [fault.CacheMissing] if there is no directory at path, with
// [fault.CacheInvalid] if the manifest is missing or damaged or the index is damaged,
// and with [fault.IO] if the system refuses.
func Open(path string) (*Cache, error) {
	return open(cache.Open(path))
}

// OpenIn is like [Open], but for the directory at a slash path below dir. Since it never
// leaves dir, a cache outside that is reached by a symlink is missing.
func OpenIn(dir *os.Root, path string) (*Cache, error) {
	return open(cache.OpenIn(dir, path))
}

// open takes the results of opening a directory.
func open(files *cache.Files, err error) (*Cache, error) {
	if err != nil {
		return nil, withLimit(err)
	}
	c, err := openIndexed(files)
	return c, withLimit(err)
}

// filesOfCache is how many files and directories an open cache keeps open. It must,
// because a build may replace the cache meanwhile.
const filesOfCache = 4

// withLimit says how many files a cache needs if the system allows no more of them.
func withLimit(err error) error {
	if errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("%w (each cache needs %d)", err, filesOfCache)
	}
	return err
}

func openIndexed(files *cache.Files) (*Cache, error) {
	c := &Cache{files: files, owner: recent.NewOwner(), making: parallel.NewRoom(1), made: map[selection.Spec]*openIndex{}}
	index, err := files.OpenIndex()
	if index != nil {
		h := index.Header()
		c.index, c.version, c.built, c.about = &openIndex{BoundIndex: index}, h.CacheVersion, selection.SpecOf(h.Selection), index.About()
		return c, nil
	}
	m, damage := files.Manifest() // if both are damaged, the error is about the manifest
	if err := cmp.Or(damage, err); err != nil {
		files.Close()
		return nil, err
	}
	c.version, c.built, c.about = m.Version, selection.SpecOf(m.Selection), m.About
	return c, nil
}

// Close releases the directory.
func (c *Cache) Close() {
	if c.index != nil {
		c.index.Close()
	}
	c.files.Close()
}

func (c *Cache) hasIndexFor(by selection.Spec) bool { return c.index != nil && by == c.built }

// Version returns the cache_version.
func (c *Cache) Version() document.Version { return c.version }

// About returns the description and the base URL that the build was given.
func (c *Cache) About() document.About { return c.about }

// Directory returns the info of the open directory. Compare it with [os.SameFile] to see
// whether a path still leads to it.
func (c *Cache) Directory() fs.FileInfo { return c.files.Directory() }

// Verify checks the whole cache, with jobs documents in flight: at most 8, and 0 means one
// per CPU. It fails with [fault.CacheInvalid] if anything is wrong, and with [fault.IO] if
// the system refuses.
func (c *Cache) Verify(ctx context.Context, jobs int) error {
	report, err := verify.Cache(ctx, c.files, jobs)
	return cmp.Or(err, cache.Damaged(c.files.Path(), report.Err()))
}
