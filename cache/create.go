package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/wire"
)

// A Writer makes a new cache beside the place where it is to be, and puts it
// there when it is whole:
//
//	Create → Put, Put, Put … → Seal → Close
//
// Until Seal succeeds, what was at the path stays as it is; whenever a Writer
// dies, what it leaves behind is cleaned up by the next one.
type Writer struct {
	target  target
	replace bool
	disk    disk
	lock    *lock
	parents []string // directories that Create made, the deepest first
	placed  bool     // the staging name holds nothing of ours any more

	names struct {
		sync.Mutex
		claimedNames
	}
	encoders sync.Pool // of *wire.Encoder
	indexer  indexer
}

// Create begins a new cache at path. replace says that a cache which is there
// already is to be replaced.
//
// It fails with [fault.IO] if there is something at path and replace is false,
// if what is there is not a cache, if another build of the same path is
// running, or if the system refuses.
func Create(path string, replace bool) (*Writer, error) {
	return create(path, replace, systemDisk{})
}

func create(path string, replace bool, disk disk) (*Writer, error) {
	target, err := targetAt(path)
	if err != nil {
		return nil, err
	}
	if err := target.admits(replace); err != nil {
		return nil, err
	}
	w := &Writer{target: target, replace: replace, disk: disk}
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
	restored, err := w.restore()
	if err == nil && restored {
		err = w.target.admits(w.replace)
	}
	if err == nil {
		err = w.cleanUp()
	}
	if err != nil {
		return err
	}
	return w.makeStaging()
}

// makeParents makes the directories that the cache is to be in.
func (w *Writer) makeParents() error {
	var missing []string
	for dir := w.target.parent(); !exists(dir); dir = filepath.Dir(dir) {
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

func (w *Writer) makeStaging() error {
	for _, dir := range []string{w.target.staging(), w.documentsDir()} {
		if err := w.disk.mkdir(dir); err != nil {
			return fault.Errorf(fault.IO, "make directory %s: %w", dir, fault.Cause(err))
		}
	}
	return nil
}

func (w *Writer) documentsDir() string { return filepath.Join(w.target.staging(), documentsName) }

// Put adds a document. The file in the entry that it returns is for Seal to
// settle. Safe for concurrent use.
func (w *Writer) Put(doc document.Document) (Entry, error) {
	w.names.Lock()
	file := w.names.claim(doc.Version, doc.ID)
	w.names.Unlock()

	e := w.encoders.Get().(*wire.Encoder)
	defer w.encoders.Put(e)
	e.Reset()
	layout := encodeDocument(e, doc)
	if err := w.disk.writeFile(filepath.Join(w.documentsDir(), file), e.Bytes()); err != nil {
		return Entry{}, fault.Errorf(fault.IO, "write the document of %s: %w", doc.Source, fault.Cause(err))
	}
	w.indexer.add(doc, int64(len(e.Bytes())), sha256.Sum256(e.Bytes()), layout)
	return Entry{doc.ID, doc.Version, file}, nil
}

// Seal makes the cache of entries, which Put returned and the caller has
// sorted by ID, and puts it in its place: durably, and in one step where the
// system can. createdAt is the manifest's created_at, in RFC 3339.
func (w *Writer) Seal(entries []Entry, createdAt string) (Manifest, error) {
	entries, err := w.settleNames(entries)
	if err != nil {
		return Manifest{}, err
	}
	manifest := NewManifest(entries, createdAt)
	encoded := manifest.encode()
	if err := w.writeSelection(manifest, len(encoded)); err != nil {
		return Manifest{}, err
	}
	for _, file := range []struct {
		name string
		data []byte
	}{
		{indexName, manifest.encodeIndex()},
		{manifestName, encoded},
	} {
		if err := w.disk.writeFile(filepath.Join(w.target.staging(), file.name), file.data); err != nil {
			return Manifest{}, fault.Errorf(fault.IO, "write %s: %w", file.name, fault.Cause(err))
		}
	}
	return manifest, w.publish()
}

// writeSelection writes the selection index of what was put.
func (w *Writer) writeSelection(manifest Manifest, manifestSize int) error {
	err := w.disk.streamFile(filepath.Join(w.target.staging(), selectionName), func(out io.Writer) error {
		return w.indexer.write(out, manifest, manifestSize)
	})
	if err != nil {
		return fault.Errorf(fault.IO, "write %s: %w", selectionName, fault.Cause(err))
	}
	w.indexer = indexer{} // it may be large, and its work is done
	return nil
}

// settleNames renames the files of documents that share a stem to the names
// that their order gives them; Put gave them out in order of arrival.
func (w *Writer) settleNames(entries []Entry) ([]Entry, error) {
	type move struct{ from, to string }
	var moves []move
	settled := make([]Entry, len(entries))
	claimed := make(claimedNames, len(entries))
	for i, e := range entries {
		name := claimed.claim(e.Version, e.ID)
		if name != e.File {
			moves = append(moves, move{e.File, name})
		}
		settled[i] = Entry{e.ID, e.Version, name}
	}
	// Names are swapped in circles, so all move out of the way first.
	const aside = ".moving"
	for _, m := range moves {
		if err := w.moveDocument(m.from, m.from+aside); err != nil {
			return nil, err
		}
	}
	for _, m := range moves {
		if err := w.moveDocument(m.from+aside, m.to); err != nil {
			return nil, err
		}
	}
	return settled, nil
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
	if w.lock != nil {
		if !w.placed {
			w.disk.removeAll(w.target.staging())
		}
		w.lock.release()
		w.lock = nil
	}
	w.removeParents()
}

// removeParents removes the directories that Create made and that are empty.
func (w *Writer) removeParents() {
	for _, dir := range w.parents {
		os.Remove(dir) // refuses what is not empty
	}
}
