package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/caches/index"
)

// A NewDocument is a document of a new cache. It was either put, or kept from a previous
// cache. It is small, because a build keeps all of them in memory: the rest is in the
// index.Builder or in the previous index.
type NewDocument struct {
	ID      document.ID
	Version document.Version

	notes    *Notes   // nil for most documents
	stored   int64    // result of index.Builder.Store; 0 if the document is kept
	modified int64    // time of the kept file, in nanoseconds
	kept     uint32   // ordinal in a previous cache plus 1; 0 if the document was put
	from     uint16   // position of that cache
	form     nameForm // of the name given by Put
}

// Notes contain what only few documents need.
type Notes struct {
	Warning   string // of the compiler, or ""
	Converter string // that made the content, such as "html/1", or ""
}

// Note adds notes to the document.
func (i *NewDocument) Note(n Notes) {
	before := i.Notes()
	n = Notes{cmp.Or(n.Warning, before.Warning), cmp.Or(n.Converter, before.Converter)}
	if n != before {
		i.notes = &n
	}
}

// Notes returns the notes of the document.
func (i NewDocument) Notes() Notes {
	if i.notes == nil {
		return Notes{}
	}
	return *i.notes
}

// IsKept reports whether the document is kept from the previous cache.
func (i NewDocument) IsKept() bool { return i.kept > 0 }

// A Recipe contains everything besides the sources and created_at that decides the bytes
// of a cache.
type Recipe struct {
	Compiler  string // of the documents
	Selection int    // to support: 0 or 1
	About     document.About

	Converters []string // of documents whose notes don't name them
}

// contents describes everything in a cache.
type contents struct {
	items    []NewDocument
	forms    []nameForm // of the names of their files
	manifest Manifest   // without its documents
	files    []jsonFile // with the manifest last
	origin   []byte     // for the header of selection.idx
}

// contentsOf returns the contents of a cache of items, which must be sorted by ID.
func contentsOf(items []NewDocument, createdAt string, recipe Recipe) contents {
	c := contents{items: items, forms: make([]nameForm, len(items)), origin: encodeOrigin(recipe.Compiler, items)}
	var claimed claimedNames
	sum := newVersionSum()
	for i, item := range items {
		c.forms[i] = claimed.claim(item.Version, item.ID)
		sum.add(item.ID, item.Version)
	}
	c.manifest = Manifest{
		Version: sum.version(), CreatedAt: createdAt, DocumentCount: int64(len(items)),
		Selection: recipe.Selection, About: recipe.About, Converters: convertersOf(items, recipe.Converters),
	}
	c.files = c.manifest.files(c.entries)
	return c
}

// name returns the name of the file of a document.
func (c contents) name(i int) string { return c.forms[i].name(c.items[i].Version, c.items[i].ID) }

// entries yields the entries of all documents.
func (c contents) entries(yield func(Entry) bool) {
	for i, item := range c.items {
		if !yield(newEntry(item.ID, item.Version, c.name(i))) {
			return
		}
	}
}

// files returns the JSON files of a cache with these entries, with the manifest last.
func (m Manifest) files(all iter.Seq[Entry]) []jsonFile {
	return []jsonFile{
		{fileListName, func(e *wire.Encoder) { encodeFileList(all, e) }},
		{ManifestPath, func(e *wire.Encoder) { m.encodeWith(all, e) }},
	}
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

// isIn reports whether dir contains the same file. It fails with [fault.IO] if the system
// refuses to read it.
func (f jsonFile) isIn(dir *os.Root) (bool, error) {
	file, found, err := files.OpenPlain(dir, f.name)
	if err != nil {
		if err = readError(f.name, err); fault.CodeOf(err) == fault.CacheInvalid {
			err = nil
		}
		return false, err
	}
	defer file.Close()
	if found.Size() > maxManifestSize {
		return false, nil // other readers refuse it, too
	}
	rest := files.Comparer{With: file}
	err = cmp.Or(f.writeTo(&rest), rest.End())
	if errors.Is(err, files.ErrDiffers) {
		return false, nil
	}
	return err == nil, readError(f.name, err)
}

// lines yields the lines of selection.idx.
func (c contents) lines(yield func(index.Line) bool) {
	for i, item := range c.items {
		named := index.Record{ID: item.ID, Version: item.Version, Name: c.name(i)}
		if !yield(index.Line{Record: named, Kept: int(item.kept), From: int(item.from), Stored: item.stored}) {
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

// ErrPrevious is wrapped by errors of Seal, [Previous.Find] and [Previous.Entries] if a
// previous cache is damaged or can no longer be read. A build with NoReuse may succeed.
var ErrPrevious = errors.New("its documents cannot be kept")

// Seal writes the cache of items, puts it in its place, and returns its manifest without the
// documents. The items come from Put and [Previous.Find], and must be sorted by ID. createdAt
// is the created_at of the manifest, in RFC 3339. If the cache in place already contains the
// same bytes, it stays there and written is false.
func (w *Writer) Seal(ctx context.Context, items []NewDocument, createdAt string) (m Manifest, written bool, err error) {
	c := contentsOf(items, createdAt, w.options.Recipe)
	w.names.claimedNames = claimedNames{} // frees memory
	if w.previous.holdsAll(c, w.options.Jobs) {
		return c.manifest, false, nil
	}
	if err := w.renamePut(c); err != nil {
		return Manifest{}, false, err
	}
	if err := w.keepAndIndex(ctx, c); err != nil {
		return Manifest{}, false, err
	}
	for _, file := range c.files {
		if err := w.staging.StreamFile(file.name, file.writeTo); err != nil {
			return Manifest{}, false, writeError(w.staging, file.name, err)
		}
	}
	w.closeKept() // because Commit could not remove a cache in use
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
		if !item.IsKept() && c.forms[i] != item.form {
			put := item.form.name(item.Version, item.ID)
			there = append(there, move{put, put + aside})
			back = append(back, move{put + aside, c.name(i)})
		}
	}
	for _, m := range append(there, back...) {
		if err := w.staging.Rename(DocumentsDir+"/"+m.from, DocumentsDir+"/"+m.to); err != nil {
			return fault.Errorf(fault.IO, "%s: rename %s to %s: %w", w.path, m.from, m.to, fault.Cause(err))
		}
	}
	return nil
}

// keepAndIndex keeps documents and writes the index at the same time, because one of them
// mostly waits for the system, and the other needs a single processor.
func (w *Writer) keepAndIndex(ctx context.Context, c contents) error {
	steps := []func() error{
		func() error { return w.keepDocuments(ctx, c) },
		func() error { return w.writeIndex(ctx, c) },
	}
	_, err := parallel.Each(ctx, w.options.Jobs, len(steps), func(_ context.Context, _, i int) (struct{}, error) {
		return struct{}{}, steps[i]()
	})
	return err
}

func (w *Writer) keepDocuments(ctx context.Context, c contents) error {
	if !slices.ContainsFunc(c.items, NewDocument.IsKept) {
		return nil
	}
	_, err := parallel.Each(ctx, w.options.Jobs, len(c.items), func(_ context.Context, _, i int) (struct{}, error) {
		if !c.items[i].IsKept() {
			return struct{}{}, nil
		}
		return struct{}{}, w.keep(c.items[i], c.name(i))
	})
	for _, p := range w.kept {
		if err == nil && !p.cache.dir.IsCurrent() {
			err = fault.Errorf(fault.IO, "%s was moved during the build: try again", p.cache.path)
		}
	}
	return err
}

// keep gives the file of a kept document a second name, which takes half the time of a
// copy and no space. But if the name in the new cache is different, it makes a copy,
// because tools that compare only size and time could confuse the file with the previous
// owner of that name.
func (w *Writer) keep(item NewDocument, name string) error {
	p := w.kept[item.from]
	d, _, err := p.whole.Find(item.ID)
	if err != nil {
		return p.explain(err)
	}
	to := DocumentsDir + "/" + name
	if name == d.Name && w.staging.Keep(p.cache.documents.Name()+"/"+name, time.Unix(0, item.modified), to) {
		return nil
	}
	data, _, err := p.cache.readRecorded(&d, nil)
	if err != nil && fault.CodeOf(err) == fault.CacheInvalid {
		return fault.Errorf(fault.IO, "%s changed during the build (%w): try again", p.cache.path, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.cache.path, err)
	}
	if err := w.staging.WriteFile(to, data); err != nil {
		return writeError(w.staging, "the document of "+string(item.ID), err)
	}
	return nil
}

// writeIndex writes selection.idx.
func (w *Writer) writeIndex(ctx context.Context, c contents) error {
	var kept []*index.Whole
	for _, p := range w.kept {
		kept = append(kept, p.whole)
	}
	var failed error
	err := w.staging.StreamFile(IndexPath, func(out io.Writer) error {
		failed = w.terms.Write(interruptedWriter{ctx, out}, c.header(), c.lines, kept, w.options.Jobs)
		return failed
	})
	w.terms.Close()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(failed, index.ErrScratch):
		return fault.Errorf(fault.IO, "%s: %w", w.path, failed)
	}
	if of, ok := errors.AsType[*index.KeptError](failed); ok {
		return w.kept[of.From].explain(of.Err)
	}
	return writeError(w.staging, IndexPath, err)
}

// An interruptedWriter fails once a context ends.
type interruptedWriter struct {
	ctx context.Context
	out io.Writer
}

func (w interruptedWriter) Write(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	return w.out.Write(p)
}

// writeError says what cannot be written to which cache.
func writeError(to *replace.Staging, what string, err error) error {
	return fault.Errorf(fault.IO, "%s: write %s: %w", to.Path(), what, fault.Cause(err))
}

// holdsAll reports whether the cache contains exactly c, so that nothing needs to be
// written.
func (p *Previous) holdsAll(c contents, jobs int) bool {
	isPut := func(item NewDocument) bool { return !item.IsKept() }
	if !p.isReusable() || slices.ContainsFunc(c.items, isPut) {
		return false
	}
	unlike, err := p.filesUnlike(c, jobs)
	return err == nil && len(unlike) == 0
}
