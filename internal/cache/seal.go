package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/internal/wire"
)

// A NewDocument is a document of a new cache. It was either put, or kept from the
// previous cache.
type NewDocument struct {
	ID      document.ID
	Version document.Version
	Warning string // of the compiler, or ""

	// Converter is the converter that made its content, such as "html/1", or "".
	Converter string

	put      *putDocument // nil if the document is kept
	kept     int          // ordinal in the previous cache plus 1; 0 if the document was put
	modified time.Time    // of the kept file
}

// A putDocument is what Seal needs to know about a document from Put.
type putDocument struct {
	file     string // name given by Put
	document index.Record
	page     index.PageTerms
}

// IsKept reports whether the document is kept from the previous cache.
func (i NewDocument) IsKept() bool { return i.kept > 0 }

// A Recipe contains everything besides the sources and created_at that decides the bytes
// of a cache.
type Recipe struct {
	Compiler  string // of the documents
	Selection int    // to support: 0 or 1
	About     document.About
}

// contents describes everything in a cache.
type contents struct {
	items    []NewDocument
	names    []string // of the documents' files, by position
	manifest Manifest
	files    []jsonFile // with the manifest last
	origin   []byte     // for the header of selection.idx
}

// contentsOf returns the contents of a cache of items, which must be sorted by ID.
func contentsOf(items []NewDocument, createdAt string, recipe Recipe) contents {
	names := make([]string, len(items))
	entries := make([]Entry, len(items))
	var claimed claimedNames
	for i, item := range items {
		names[i] = claimed.claim(item.Version, item.ID).name(item.Version, item.ID)
		entries[i] = newEntry(item.ID, item.Version, names[i])
	}
	manifest := newManifest(entries, createdAt)
	manifest.Selection, manifest.About, manifest.Converters = recipe.Selection, recipe.About, convertersOf(items)
	files := []jsonFile{{fileListName, manifest.encodeFileListTo}, {manifestName, manifest.encodeTo}}
	return contents{items, names, manifest, files, encodeOrigin(recipe.Compiler, items)}
}

// A jsonFile is a JSON file directly in a cache. It is encoded as a stream instead of in
// memory, because the manifest of 100,000 documents takes 18 MB.
type jsonFile struct {
	name   string
	encode func(*wire.Encoder)
}

func (f jsonFile) writeTo(out io.Writer) error {
	e := wire.Indented()
	e.StreamTo(out)
	f.encode(e)
	return e.Close()
}

func (f jsonFile) size() int64 {
	var n counter
	f.writeTo(&n)
	return int64(n)
}

// A counter is a writer that counts bytes.
type counter int64

func (n *counter) Write(p []byte) (int, error) {
	*n += counter(len(p))
	return len(p), nil
}

// has reports whether data equals the file.
func (f jsonFile) has(data []byte) bool {
	rest := expectedBytes{data}
	return f.writeTo(&rest) == nil && len(rest.rest) == 0
}

// expectedBytes is a writer that fails unless it receives the bytes of rest. It removes
// them from rest.
type expectedBytes struct{ rest []byte }

var errOther = errors.New("other bytes")

func (m *expectedBytes) Write(p []byte) (int, error) {
	rest, ok := bytes.CutPrefix(m.rest, p)
	if !ok {
		return 0, errOther
	}
	m.rest = rest
	return len(p), nil
}

// lines yields the lines of selection.idx.
func (c contents) lines(yield func(index.Line) bool) {
	for i, item := range c.items {
		line := index.Line{Kept: item.kept}
		if item.put != nil {
			line.Record, line.Terms = item.put.document, item.put.page
		}
		line.Record.Name = c.names[i]
		if !yield(line) {
			return
		}
	}
}

// header returns the header of selection.idx.
func (c contents) header() index.Header {
	return index.Header{
		CacheVersion: c.manifest.Version, ManifestSize: c.files[1].size(),
		Selection: c.manifest.Selection, About: encodeAbout(newAboutFields(c.manifest.About, c.manifest.Converters)), Origin: c.origin,
	}
}

// ErrPrevious is wrapped by errors of Seal if the previous cache is damaged. A build
// with NoReuse may succeed.
var ErrPrevious = errors.New("the old cache is damaged")

// Seal writes the cache of items and puts it in its place. The items come from Put and
// [Previous.Find], and must be sorted by ID. createdAt is the created_at of the
// manifest, in RFC 3339. If the cache in place already contains the same bytes, it stays
// there and written is false.
func (w *Writer) Seal(ctx context.Context, items []NewDocument, createdAt string) (m Manifest, written bool, err error) {
	c := contentsOf(items, createdAt, w.options.Recipe)
	if w.previous.holdsAll(c) {
		return c.manifest, false, nil
	}
	if err := w.renamePut(c); err != nil {
		return Manifest{}, false, err
	}
	if err := w.keepDocuments(ctx, c); err != nil {
		return Manifest{}, false, err
	}
	if err := w.writeIndex(c); err != nil {
		return Manifest{}, false, err
	}
	for _, file := range c.files {
		if err := w.staging.StreamFile(file.name, file.writeTo); err != nil {
			return Manifest{}, false, fault.Errorf(fault.IO, "write %s: %w", file.name, fault.Cause(err))
		}
	}
	w.closePrevious() // because Commit could not remove a cache in use
	return c.manifest, true, w.staging.Commit()
}

// renamePut renames documents that share a stem, because their names depend on the order
// of their IDs and Put could only name them in the order of their arrival.
func (w *Writer) renamePut(c contents) error {
	// Two files may need each other's name, so all of them move aside first.
	const aside = ".moving"
	type move struct{ from, to string }
	var there, back []move
	for i, item := range c.items {
		if name := c.names[i]; !item.IsKept() && name != item.put.file {
			there = append(there, move{item.put.file, item.put.file + aside})
			back = append(back, move{item.put.file + aside, name})
		}
	}
	for _, m := range append(there, back...) {
		if err := w.staging.Rename(documentsName+"/"+m.from, documentsName+"/"+m.to); err != nil {
			return fault.Errorf(fault.IO, "rename %s to %s: %w", m.from, m.to, fault.Cause(err))
		}
	}
	return nil
}

func (w *Writer) keepDocuments(ctx context.Context, c contents) error {
	if !slices.ContainsFunc(c.items, NewDocument.IsKept) {
		return nil
	}
	_, err := parallel.Each(ctx, w.options.Jobs, len(c.items), func(_ context.Context, _, i int) (struct{}, error) {
		if !c.items[i].IsKept() {
			return struct{}{}, nil
		}
		return struct{}{}, w.keep(c.items[i], c.names[i])
	})
	if err == nil && !w.previous.cache.dir.IsCurrent() {
		err = fault.Errorf(fault.IO, "%s was moved during the build: try again", w.path)
	}
	return err
}

// keep gives the file of a kept document a second name, which takes half the time of a
// copy and no space. But if the name in the new cache is different, it makes a copy,
// because tools that compare only size and time could confuse the file with the previous
// owner of that name.
func (w *Writer) keep(item NewDocument, name string) error {
	d := w.previous.of(item)
	to := documentsName + "/" + name
	if name == d.Name && w.staging.Keep(to, item.modified) {
		return nil
	}
	data, _, err := w.previous.read(d, nil)
	if err != nil && fault.CodeOf(err) == fault.CacheInvalid {
		return fault.Errorf(fault.IO, "%s changed during the build (%w): try again", w.path, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	if err := w.staging.WriteFile(to, data); err != nil {
		return fault.Errorf(fault.IO, "write the document of %s: %w", item.ID, fault.Cause(err))
	}
	return nil
}

// writeIndex writes selection.idx. If it fails although writing to the disk works, the
// index of the previous cache must be damaged.
func (w *Writer) writeIndex(c contents) error {
	var old *index.Whole
	if w.previous != nil {
		old = w.previous.whole
	}
	var watched errorKeeper
	var failed error
	err := w.staging.StreamFile(indexName, func(out io.Writer) error {
		watched.Writer = out
		failed = w.terms.Write(&watched, c.header(), c.lines, old, w.options.Jobs)
		return failed
	})
	w.terms.Close()
	switch {
	case err == nil:
		return nil
	case errors.Is(failed, index.ErrScratch):
		return fault.Errorf(fault.IO, "%w", failed)
	case failed != nil && watched.err == nil && old != nil:
		return fmt.Errorf("%w: %w", ErrPrevious, failed)
	}
	return fault.Errorf(fault.IO, "write %s: %w", indexName, fault.Cause(err))
}

// An errorKeeper remembers the last error of a writer.
type errorKeeper struct {
	io.Writer
	err error
}

func (k *errorKeeper) Write(p []byte) (n int, err error) {
	n, k.err = k.Writer.Write(p)
	return n, k.err
}

// holdsAll reports whether the cache contains exactly c, so that nothing needs to be
// written.
func (p *Previous) holdsAll(c contents) bool {
	isPut := func(item NewDocument) bool { return !item.IsKept() }
	if !p.isReusable() || slices.ContainsFunc(c.items, isPut) {
		return false
	}
	unlike, err := p.filesUnlike(c)
	return err == nil && len(unlike) == 0
}
