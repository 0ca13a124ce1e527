// Package cache is the format on disk: it opens, reads and checks caches, and
// replaces them so that a cache is whole or absent at every moment.
//
//	manifest.json      which documents there are, and their versions
//	index.json         ID -> path of its file
//	documents/*.json   one document each
//	selection.idx      the index, which is derived from them (package index)
//
// docs/format.md says it byte by byte. A cache never changes once it is
// there: a rebuild puts another directory in its place, and whoever has the
// old one open goes on reading the old one.
package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
)

// The names in a cache's directory.
const (
	manifestName  = "manifest.json"
	indexName     = "index.json"
	selectionName = "selection.idx"
	documentsName = "documents"
)

// A Cache is an open cache. It stays readable as it was opened while rebuilds
// replace the directory at its path. Safe for concurrent use.
type Cache struct {
	Manifest Manifest
	Index    *Index // nil unless the cache was opened to select and has one

	path      string // as the caller named it
	root      *os.Root
	found     fs.FileInfo // of root
	documents *os.Root    // nil if there is no such directory
	inUse     *os.File    // its lock tells builds not to delete the directory yet
}

// Open opens the cache in the directory at path and checks its manifest. The
// documents are checked one by one as they are read. No index is opened, so a
// query would read them all: to ask a cache, use pipeline.Open.
//
// It fails with [fault.CacheMissing] if there is no directory at path, with
// [fault.CacheInvalid] if that holds no sound manifest, and with [fault.IO] if
// the system refuses.
func Open(path string) (*Cache, error) { return open(atPath(path)) }

// OpenIn is [Open] for the directory of that slash path below dir. It never
// looks at anything outside of dir: what a symlink leads out to is missing.
func OpenIn(dir *os.Root, path string) (*Cache, error) { return open(below(dir, path)) }

// OpenUnchecked is [Open] for those who look for damage: the manifest must be
// readable, but may disagree with itself.
func OpenUnchecked(path string) (*Cache, error) { return openUnchecked(atPath(path)) }

func open(place place) (*Cache, error) {
	c, err := openUnchecked(place)
	if err != nil {
		return nil, err
	}
	if findings := c.Manifest.Check(); len(findings) > 0 {
		c.Close()
		return nil, Damaged(place.path, findings[0].Err())
	}
	return c, nil
}

func openUnchecked(place place) (*Cache, error) {
	c, err := openDirectory(place)
	if err != nil {
		return nil, err
	}
	if c.Manifest, err = c.readManifest(); err == nil {
		err = c.openDocuments()
	}
	if err != nil {
		c.Close()
		return nil, openError(place.path, err)
	}
	return c, nil
}

func (c *Cache) openDocuments() (err error) {
	c.documents, err = openPlainDirectory(c.root, documentsName)
	return err
}

func (c *Cache) readManifest() (Manifest, error) {
	data, err := readRegular(c.root, manifestName, nil, maxManifestSize)
	if err != nil {
		return Manifest{}, err
	}
	return DecodeManifest(data)
}

// errNoManifest is what is wrong with a directory that is no cache at all.
var errNoManifest = errors.New("it has no " + manifestName)

func openError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Errorf(fault.CacheInvalid, "%s is not a cache: %w", path, errNoManifest)
	}
	if fault.CodeOf(err) == fault.CacheInvalid {
		return Damaged(path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// A DamagedError says what is wrong with a cache that a build made, so that
// another build mends it.
type DamagedError struct {
	Path string // of the cache, as the caller named it
	Err  error  // never nil
}

func (e *DamagedError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *DamagedError) Unwrap() error { return e.Err }

// Damaged returns err as a [DamagedError] of the cache at path. A nil err is nil.
func Damaged(path string, err error) error {
	if err == nil {
		return nil
	}
	return &DamagedError{path, err}
}

// Close releases the directory.
func (c *Cache) Close() {
	if c.Index != nil {
		c.Index.Close()
	}
	if c.documents != nil {
		c.documents.Close()
	}
	if c.inUse != nil {
		unlock(c.inUse)
		c.inUse.Close()
	}
	c.root.Close()
}

// A Reader reads the documents of a cache, one after another, into the same
// memory. It is not safe for concurrent use; several Readers are.
type Reader struct {
	cache *Cache
	file  []byte
}

// NewReader returns a Reader on c, which must stay open as long.
func (c *Cache) NewReader() *Reader { return &Reader{cache: c} }

// Read reads the document of entry and checks it: its ID, its version, and
// that the content hashes to that version. The document is valid until the
// next call.
//
// It fails with [fault.CacheInvalid] if the file is not what the manifest
// says, and with [fault.IO] if the system refuses.
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

// fetch reads the file of entry and returns what is wrong with that as a file,
// nil for nothing.
func (r *Reader) fetch(entry Entry) ([]byte, *Finding, error) {
	name, ok := entry.name()
	if !ok {
		return nil, entry.checkFile(), nil
	}
	data, err := r.readFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular):
		return nil, &Finding{DocumentMissing, entry.File, "there is no such regular file for " + string(entry.ID)}, nil
	case errors.Is(err, errTooLarge):
		return nil, &Finding{DocumentInvalid, entry.File, err.Error()}, nil
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %s: %w", r.cache.path, documentsName, err)
	}
	return data, nil, nil
}

// decodeAs decodes the file of entry, using data up, and returns what is wrong
// with the document, nil for nothing.
func decodeAs(entry Entry, data []byte) (document.Document, fileLayout, *Finding) {
	doc, layout, err := decodeDocument(data)
	if err != nil {
		return document.Document{}, layout, &Finding{DocumentInvalid, entry.File, err.Error()}
	}
	return doc, layout, compare(doc, entry, entry.File)
}

func (r *Reader) readFile(name string) ([]byte, error) {
	if r.cache.documents == nil {
		return nil, fs.ErrNotExist
	}
	data, err := readRegular(r.cache.documents, name, r.file, maxDocumentFileSize)
	if err == nil {
		r.file = data
	}
	return data, err
}

// compare returns how doc, read from path, differs from what entry promises.
func compare(doc document.Document, entry Entry, path string) *Finding {
	switch {
	case !entry.ID.IsValid():
		return &Finding{IDInvalid, path, fmt.Sprintf("%q is the ID of no path", entry.ID)}
	case doc.ID != entry.ID:
		return &Finding{DocumentMismatch, path, fmt.Sprintf("holds %q, the manifest says %q", doc.ID, entry.ID)}
	case doc.Version != entry.Version:
		return &Finding{DocumentMismatch, path, fmt.Sprintf("has %s, the manifest says %s", doc.Version, entry.Version)}
	case document.IDOf(doc.Source) != doc.ID:
		return &Finding{DocumentMismatch, path, fmt.Sprintf("source %q does not make the ID %q", doc.Source, doc.ID)}
	}
	if version := document.VersionOf(doc.Content); version != doc.Version {
		return &Finding{ContentMismatch, path, fmt.Sprintf("content of %s hashes to %s, not to %s", doc.ID, version, doc.Version)}
	}
	return nil
}
