package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/wire"
)

// A Writer makes a new cache beside the place where it is to be, and puts it
// there when it is whole:
//
//	Create → Put, Put, Put … → Seal → Close
//
// Of a cache that is to be replaced, documents can be kept instead of put.
//
// Until Seal succeeds, what was at the path stays as it is; whenever a Writer
// dies, what it leaves behind is cleaned up by the next one.
type Writer struct {
	target   target
	options  Options
	disk     disk
	lock     *lock
	parents  []string  // directories that Create made, the deepest first
	scaffold scaffold  // "" before it is made
	previous *Previous // nil if there is none

	names struct {
		sync.Mutex
		claimedNames
	}
	encoders sync.Pool // of *wire.Encoder
	terms    index.Builder
}

// Options say how a cache is made.
type Options struct {
	Replace bool   // a cache that is there already
	Recipe  Recipe // of the new cache
	NoReuse bool   // take nothing over from the cache that is replaced
	Jobs    int    // how much is done at once; 0 means one thing a processor
}

// Create begins a new cache at path.
//
// It fails with [fault.IO] if there is something at path that is not to be
// replaced, if what is there is not a cache, if another build of the same path
// is running, or if the system refuses.
func Create(path string, options Options) (*Writer, error) {
	return create(path, options, systemDisk{})
}

func create(path string, options Options, disk disk) (*Writer, error) {
	target, err := targetAt(path)
	if err != nil {
		return nil, err
	}
	if err := target.admits(options.Replace); err != nil {
		return nil, err
	}
	w := &Writer{target: target, options: options, disk: disk}
	w.names.claimedNames = claimedNames{}
	w.encoders.New = func() any { return new(wire.Encoder) }
	if err := w.prepare(); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// prepare takes the lock, cleans up after others and makes the directories.
func (w *Writer) prepare() (err error) {
	if err := w.makeParents(); err != nil {
		return err
	}
	if w.lock, err = acquire(w.target.lock()); err != nil {
		return fmt.Errorf("%s: %w", w.target.shown, err)
	}
	if err := w.clear(); err != nil {
		return err
	}
	w.removeRetired()
	if err := w.openPrevious(); err != nil {
		return err
	}
	w.scaffold = w.target.scaffold()
	return w.scaffold.make(w.disk)
}

// openPrevious opens the cache that is to be replaced. One that is too damaged
// to be opened is as good as none.
func (w *Writer) openPrevious() error {
	if !w.options.Replace {
		return nil
	}
	recipe := &w.options.Recipe
	if w.options.NoReuse {
		recipe = nil
	}
	previous, err := openPrevious(w.target.path, recipe)
	if err != nil && recipe != nil && fault.CodeOf(err) == fault.IO {
		previous, err = openPrevious(w.target.path, nil) // what cannot be read is not reused
	}
	if err != nil {
		if code := fault.CodeOf(err); code == fault.CacheMissing || code == fault.CacheInvalid {
			return nil
		}
		return err
	}
	w.previous = previous
	return nil
}

// Previous returns the cache that is to be replaced, nil if there is none that
// can be read. It is closed by Seal or Close.
func (w *Writer) Previous() *Previous { return w.previous }

// ReplacesDocuments reports whether there are documents in the cache that is to
// be replaced, even if that cache is damaged.
func (w *Writer) ReplacesDocuments() bool {
	if !w.options.Replace {
		return false
	}
	entries, err := os.ReadDir(filepath.Join(w.target.path, documentsName))
	return len(entries) > 0 || err != nil && !errors.Is(err, os.ErrNotExist)
}

// makeParents makes the directories that the cache is to be in.
func (w *Writer) makeParents() error {
	var missing []string
	for dir := w.target.parent(); ; dir = filepath.Dir(dir) {
		found, err := lookAt(dir)
		if err != nil {
			return err
		}
		if found != nil {
			break
		}
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := w.disk.mkdir(missing[i]); err != nil && !errors.Is(err, os.ErrExist) {
			return fault.Errorf(fault.IO, "make directory %s: %w", missing[i], fault.Cause(err))
		}
		w.parents = missing[i:]
	}
	return nil
}

func (w *Writer) documentsDir() string { return filepath.Join(w.scaffold.cache(), documentsName) }

// Terms takes the terms of the documents that are put.
func (w *Writer) Terms() index.Terms { return &w.terms }

// Put adds a document. page is what [Writer.Terms] returned for it. Safe for
// concurrent use.
func (w *Writer) Put(doc document.Document, page index.Page) (Item, error) {
	w.names.Lock()
	file := w.names.claim(doc.Version, doc.ID) // for Seal to settle
	w.names.Unlock()

	e := w.encoders.Get().(*wire.Encoder)
	defer w.encoders.Put(e)
	e.Reset()
	layout := encodeDocument(e, doc)
	if err := w.disk.writeFile(filepath.Join(w.documentsDir(), file), e.Bytes()); err != nil {
		return Item{}, fault.Errorf(fault.IO, "write the document of %s: %w", doc.Source, fault.Cause(err))
	}
	described := describe(doc, layout, len(e.Bytes()), sha256.Sum256(e.Bytes()))
	return Item{ID: doc.ID, Version: doc.Version, put: &putDocument{file, described, page}}, nil
}

// A Sealed says what came of a new cache.
type Sealed struct {
	Manifest Manifest
	Written  bool // false if the cache in its place is the same, byte for byte
}

// ErrPrevious is wrapped by the error of Seal if the previous cache turned out
// to be of no use. A build that takes nothing over from it may succeed.
var ErrPrevious = errors.New("the cache that was to be replaced is of no use")

// Seal makes the cache of items, which Put or [Previous.Find] returned and the
// caller has sorted by ID, and puts it in its place: durably, and in one step
// where the system can. If the cache there is the same already, it stays.
// createdAt is the manifest's created_at, in RFC 3339.
func (w *Writer) Seal(ctx context.Context, items []Item, createdAt string) (Sealed, error) {
	s := settle(items, createdAt, w.options.Recipe)
	if w.isThere(s) {
		return Sealed{Manifest: s.manifest}, nil
	}
	if err := w.settleNames(s); err != nil {
		return Sealed{}, err
	}
	if err := w.keepDocuments(ctx, s); err != nil {
		return Sealed{}, err
	}
	if err := w.writeIndex(s); err != nil {
		return Sealed{}, err
	}
	for _, file := range s.files() {
		if err := w.disk.writeFile(filepath.Join(w.scaffold.cache(), file.name), file.data); err != nil {
			return Sealed{}, fault.Errorf(fault.IO, "write %s: %w", file.name, fault.Cause(err))
		}
	}
	w.closePrevious() // or it would be in use
	return Sealed{s.manifest, true}, w.publish()
}

// isThere reports whether the cache in its place is what is to be written. One
// that cannot be read is not.
func (w *Writer) isThere(s settled) bool {
	isPut := func(item Item) bool { return !item.IsKept() }
	if !w.previous.isReusable() || slices.ContainsFunc(s.items, isPut) {
		return false
	}
	unlike, err := w.previous.filesUnlike(s)
	return err == nil && len(unlike) == 0
}

// writeIndex writes the index. If that fails and the disk is not to blame, the
// index of the previous cache is.
func (w *Writer) writeIndex(s settled) error {
	var watched errorKeeper
	var failed error
	err := w.disk.streamFile(filepath.Join(w.scaffold.cache(), selectionName), func(out io.Writer) error {
		watched.Writer = out
		failed = w.terms.Write(&watched, s.header(), s.lines(), w.previous.whole(), w.options.Jobs)
		return failed
	})
	w.terms = index.Builder{} // it may be large, and its work is done
	switch {
	case err == nil:
		return nil
	case failed != nil && watched.err == nil && w.previous.isReusable():
		return fmt.Errorf("%w: %w", ErrPrevious, failed)
	}
	return fault.Errorf(fault.IO, "write %s: %w", selectionName, fault.Cause(err))
}

// An errorKeeper keeps the last error of a writer.
type errorKeeper struct {
	io.Writer
	err error
}

func (k *errorKeeper) Write(p []byte) (n int, err error) {
	n, k.err = k.Writer.Write(p)
	return n, k.err
}

// settleNames renames the files of documents that share a stem to the names
// that their order gives them; Put gave them out in order of arrival.
func (w *Writer) settleNames(s settled) error {
	type move struct{ from, to string }
	var moves []move
	for i, item := range s.items {
		if name := s.names[i]; !item.IsKept() && name != item.put.file {
			moves = append(moves, move{item.put.file, name})
		}
	}
	// Names are swapped in circles, so all move out of the way first.
	const aside = ".moving"
	for _, m := range moves {
		if err := w.moveDocument(m.from, m.from+aside); err != nil {
			return err
		}
	}
	for _, m := range moves {
		if err := w.moveDocument(m.from+aside, m.to); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) moveDocument(from, to string) error {
	dir := w.documentsDir()
	if err := w.disk.rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		return fault.Errorf(fault.IO, "rename %s to %s: %w", from, to, fault.Cause(err))
	}
	return nil
}

// Close removes what Seal did not publish and lets other builds of the path
// go ahead. It may be called at any time, and more than once.
func (w *Writer) Close() {
	w.closePrevious()
	if w.lock != nil {
		if w.scaffold != "" {
			w.removeScaffold(w.scaffold)
		}
		w.lock.release()
		w.lock = nil
	}
	w.removeParents()
}

func (w *Writer) closePrevious() {
	w.previous.Close()
	w.previous = nil
}

// removeParents removes the directories that Create made and that are empty.
func (w *Writer) removeParents() {
	for _, dir := range w.parents {
		os.Remove(dir) // refuses what is not empty
	}
}
