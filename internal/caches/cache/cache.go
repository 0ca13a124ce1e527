// Package cache implements the format on disk: it writes, opens, reads and checks
// caches.
//
//	manifest.json      lists the documents and their versions
//	index.json         maps each ID to the path of its file
//	documents/*.json   one document each
//	selection.idx      the index, derived from the documents (package index)
//
// docs/format.md specifies every byte. A cache never changes. Instead, a rebuild puts
// another directory in its place (package replace), while readers of the old cache can
// keep using it.
package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/replace"
)

// The names in the directory of a cache.
const (
	ManifestPath = "manifest.json"
	fileListName = "index.json"
	IndexPath    = "selection.idx"
	DocumentsDir = "documents" // the only directory in a cache
)

// Files are the open files of a cache. They stay readable while rebuilds replace the
// directory at its path. Files is safe for concurrent use.
type Files struct {
	path string // as the caller named it
	dir  *replace.Directory
	root *os.Root // of dir

	documents    *os.Root                 // nil if the directory is missing
	documentsErr error                    // of opening documents
	manifest     func() (Manifest, error) // reads it once and does not check it
}

// Open opens the directory at path, but reads nothing yet. It fails with
// [fault.CacheMissing] if path is not a directory, and with [fault.IO] if the system
// refuses.
func Open(path string) (*Files, error) {
	dir, err := replace.Open(path)
	return newFiles(path, dir, err)
}

// OpenIn is [Open] for a slash path below dir. A symlink that leads out of dir counts as
// missing.
func OpenIn(dir *os.Root, path string) (*Files, error) {
	opened, err := replace.OpenIn(dir, path)
	return newFiles(path, opened, err)
}

// newFiles takes the results of opening the directory at path.
func newFiles(path string, dir *replace.Directory, err error) (*Files, error) {
	if err != nil {
		return nil, DirectoryError(path, err)
	}
	c := &Files{path: path, dir: dir, root: dir.Root}
	c.documents, err = files.OpenPlainRoot(c.root, DocumentsDir)
	c.documentsErr = readError(DocumentsDir, err)
	c.manifest = sync.OnceValues(c.readManifest)
	return c, nil
}

// Directory returns the info of the open directory. After a rebuild, [os.SameFile]
// reports that the directory at the path is another one.
func (c *Files) Directory() fs.FileInfo { return c.dir.Info }

// Path returns the path that was passed to Open.
func (c *Files) Path() string { return c.path }

// Manifest returns the checked manifest, which it reads only once.
//
// It fails with [fault.CacheInvalid] if the manifest is missing or damaged, and with
// [fault.IO] if the system refuses.
func (c *Files) Manifest() (Manifest, error) {
	m, err := c.UncheckedManifest()
	if err != nil {
		return Manifest{}, err
	}
	if findings := m.Check(); len(findings) > 0 {
		return Manifest{}, Damaged(c.path, findings[0].Err())
	}
	return m, nil
}

// UncheckedManifest is [Files.Manifest] for callers that look for damage. The manifest
// can be read, but may contradict itself.
func (c *Files) UncheckedManifest() (Manifest, error) {
	m, err := c.manifest()
	return m, openError(c.path, cmp.Or(err, c.documentsErr))
}

func (c *Files) readManifest() (Manifest, error) {
	data, err := readRegular(c.root, ManifestPath, nil, maxManifestSize)
	if err != nil {
		return Manifest{}, err
	}
	return decodeManifest(data)
}

func openError(path string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Foreign(path)
	}
	if fault.CodeOf(err) == fault.CacheInvalid {
		return Damaged(path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// A DamagedError says that a cache is damaged. A new build repairs it.
type DamagedError struct {
	Path string // of the cache, as the caller named it
	Err  error  // never nil
}

func (e *DamagedError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e *DamagedError) Unwrap() error { return e.Err }

// Damaged wraps err in a [DamagedError] about the cache at path. It returns nil for a
// nil err.
func Damaged(path string, err error) error {
	if err == nil {
		return nil
	}
	return &DamagedError{path, err}
}

// Close closes the directory.
func (c *Files) Close() {
	if c.documents != nil {
		c.documents.Close()
	}
	c.dir.Close()
}

// A Reader reads the documents of a cache one after another, and uses the same memory
// for all of them. It is not safe for concurrent use, but a cache can have several
// Readers.
type Reader struct {
	cache *Files
	file  []byte
}

// NewReader returns a Reader of c, which must stay open while the Reader is used.
func (c *Files) NewReader() *Reader { return &Reader{cache: c} }

// Read reads the document of entry and checks its ID, its version, and the hash of its
// content. The document is valid until the next call.
//
// It fails with [fault.CacheInvalid] if the file contradicts the manifest, and with
// [fault.IO] if the system refuses.
func (r *Reader) Read(entry Entry) (document.Document, error) {
	data, finding, err := r.fetch(entry)
	if err != nil {
		return document.Document{}, err
	}
	var doc document.Document
	if finding == nil {
		doc, _, finding = decodeAs(entry, data)
	}
	if finding != nil {
		return document.Document{}, Damaged(r.cache.path, finding.Err())
	}
	return doc, nil
}

// fetch reads the file of entry. It returns a finding if the file cannot be a document.
func (r *Reader) fetch(entry Entry) ([]byte, *Finding, error) {
	name, ok := entry.name()
	if !ok {
		return nil, entry.checkFile(), nil
	}
	err := cmp.Or(r.cache.documentsErr, fs.ErrNotExist)
	var data []byte
	if r.cache.documents != nil {
		data, err = readRegular(r.cache.documents, name, r.file, maxDocumentFileSize)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, files.ErrNotRegular):
		return nil, &Finding{DocumentMissing, entry.File, "there is no regular file for " + string(entry.ID)}, nil
	case errors.Is(err, files.ErrTooLarge):
		return nil, &Finding{DocumentInvalid, entry.File, err.Error()}, nil
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %s: %w", r.cache.path, DocumentsDir, err)
	}
	r.file = data
	return data, nil, nil
}

// decodeAs decodes the file of entry in place. It returns a finding if the file contains
// another document.
func decodeAs(entry Entry, data []byte) (document.Document, fileLayout, *Finding) {
	doc, layout, err := decodeDocument(data)
	if err != nil {
		return document.Document{}, layout, &Finding{DocumentInvalid, entry.File, err.Error()}
	}
	return doc, layout, compare(doc, entry, entry.File)
}

// compare returns a finding if doc, which was read from path, contradicts entry.
func compare(doc document.Document, entry Entry, path string) *Finding {
	switch {
	case !entry.ID.IsValid():
		return &Finding{IDInvalid, path, fmt.Sprintf("%q cannot be the ID of a path", entry.ID)}
	case doc.ID != entry.ID:
		return &Finding{DocumentMismatch, path, fmt.Sprintf("contains %q, but the manifest says %q", doc.ID, entry.ID)}
	case doc.Version != entry.Version:
		return &Finding{DocumentMismatch, path, fmt.Sprintf("contains the version %s, but the manifest says %s", doc.Version, entry.Version)}
	case document.IDOf(doc.Source) != doc.ID:
		return &Finding{DocumentMismatch, path, fmt.Sprintf("the source %q does not give the ID %q", doc.Source, doc.ID)}
	}
	if version := document.VersionOf(doc.Content); version != doc.Version {
		return &Finding{ContentMismatch, path, fmt.Sprintf("the content of %s hashes to %s instead of %s", doc.ID, version, doc.Version)}
	}
	return nil
}

// largeSize is the size of a document's file, in bytes, from which on only one such file
// is read at a time.
const largeSize = 1 << 20

// MaxReaders is the largest number of documents that [ReadEach] keeps in memory at once.
const MaxReaders = 8

// ReadEach calls read with the position of each entry and a [Reader] for it. It runs at
// most jobs calls at once, but never more than MaxReaders; if jobs is below 1, it means
// one per CPU. worker is in [0, MaxReaders), and two calls with the same worker never
// run at the same time. Because large documents need much memory, only one of 1 MiB or
// more is read at a time.
//
// The results are in the order of entries. ReadEach fails with the first error in this
// order.
func ReadEach[Out any](ctx context.Context, c *Files, jobs int, entries []Entry, read func(worker, i int, r *Reader) (Out, error)) ([]Out, error) {
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	jobs = min(jobs, MaxReaders)
	var readers [MaxReaders]Reader
	for i := range readers {
		readers[i].cache = c
	}
	var turn sync.Mutex
	large := c.NewReader()
	return parallel.Each(ctx, jobs, len(entries), func(_ context.Context, worker, i int) (Out, error) {
		if size, _ := c.FileSize(entries[i]); size < largeSize { // reading it returns the same error
			return read(worker, i, &readers[worker])
		}
		turn.Lock()
		defer turn.Unlock()
		return read(worker, i, large)
	})
}
