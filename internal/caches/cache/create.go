package cache

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
)

// A Writer writes a new cache and, once it is complete, puts it in its place:
//
//	Create → Put, Put, Put … → Seal → Close
//
// Instead of putting a document, a caller can keep one of the cache that is being replaced, or of
// other caches. Until Seal succeeds, the old cache does not change; package replace explains how.
type Writer struct {
	path     string // passed to Create
	options  CreateOptions
	staging  *replace.Staging
	previous *Previous   // nil without an old cache
	kept     []*Previous // whose documents can be kept

	names struct {
		sync.Mutex
		claimedNames
	}
	encoders sync.Pool // of *wire.Encoder
	terms    index.Builder
}

// CreateOptions say how to make a cache.
type CreateOptions struct {
	Replace       bool        // replace an existing cache
	Recipe        Recipe      // of the new cache
	KeepSelection bool        // take over the selection of the old cache, if it is known
	NoReuse       bool        // keep no document of the old cache
	Keep          []*Previous // keep documents of these caches instead of the old one; Close closes them
	Jobs          int         // steps at once; 0 means one per CPU
	Memory        int         // bytes of terms to keep in memory; 0 means the default of index.Builder
}

// Create begins a new cache at path. It fails with [fault.IO] if path contains something
// that it must not replace, if another build of the same path is running, or if the
// system refuses.
func Create(path string, options CreateOptions) (*Writer, error) { return create(path, options, nil) }

func create(path string, options CreateOptions, disk replace.Disk) (*Writer, error) {
	w := &Writer{path: path, options: options, kept: options.Keep}
	for i, p := range w.kept {
		p.position = uint16(i)
	}
	w.encoders.New = func() any { return new(wire.Encoder) }
	var err error
	if w.staging, err = begin(path, options.Replace, disk); err != nil {
		return nil, err
	}
	if err := w.openPrevious(); err != nil {
		w.Close()
		return nil, err
	}
	w.terms.Memory = options.Memory
	w.terms.Scratch = w.staging.Scratch
	return w, nil
}

// begin makes the directory of a new cache at path.
func begin(path string, mayReplace bool, disk replace.Disk) (*replace.Staging, error) {
	staging, err := replace.Begin(path, replace.Options{
		Replace: mayReplace,
		Admit:   func(at string) error { return admit(at, path, mayReplace) },
		Disk:    disk,
	})
	if err != nil {
		return nil, err
	}
	if err := staging.Mkdir(DocumentsDir); err != nil {
		staging.Close()
		return nil, fault.Errorf(fault.IO, "make directory %s of %s: %w", DocumentsDir, path, fault.Cause(err))
	}
	return staging, nil
}

// openPrevious opens the cache to be replaced, if it exists and is not too damaged.
func (w *Writer) openPrevious() error {
	if !w.options.Replace || w.options.Keep != nil {
		return nil
	}
	compiler := &w.options.Recipe.Compiler
	if w.options.NoReuse {
		compiler = nil
	}
	previous, err := openPrevious(w.staging.Path(), compiler)
	if err != nil && compiler != nil && fault.CodeOf(err) == fault.IO {
		previous, err = openPrevious(w.staging.Path(), nil) // maybe only its index cannot be read
	}
	if err != nil {
		if code := fault.CodeOf(err); code == fault.CacheMissing || code == fault.CacheInvalid {
			w.salvageSelection()
			return nil
		}
		return err
	}
	w.previous = previous
	if w.options.KeepSelection {
		w.options.Recipe.Selection = previous.Selection
	} else if previous.Selection != w.options.Recipe.Selection {
		previous.whole = nil // its index contains other terms
	}
	if previous.whole != nil {
		w.kept = []*Previous{previous}
	}
	return nil
}

// salvageSelection takes the selection from the index of a cache whose manifest cannot
// be read.
func (w *Writer) salvageSelection() {
	if !w.options.KeepSelection {
		return
	}
	c, err := Open(w.staging.Path())
	if err != nil {
		return
	}
	defer c.Close()
	if x, _ := c.openUnboundIndex(); x != nil {
		w.options.Recipe.Selection = x.Header().Selection
		x.Close()
	}
}

// Selection returns the selection of the new cache: 0 or 1.
func (w *Writer) Selection() int { return w.options.Recipe.Selection }

// Previous returns the cache to be replaced, or nil if it doesn't exist or cannot be
// read. Seal and Close close it.
func (w *Writer) Previous() *Previous { return w.previous }

// ReplacesDocuments reports whether the cache that will be replaced contains documents,
// even if it is damaged.
func (w *Writer) ReplacesDocuments() bool {
	entries, err := os.ReadDir(filepath.Join(w.staging.Path(), DocumentsDir))
	return len(entries) > 0 || err != nil && !errors.Is(err, os.ErrNotExist)
}

// Terms returns the Adder that collects the terms of the documents before Put.
func (w *Writer) Terms() index.Adder { return &w.terms }

// KeepTerms returns a function that adds the terms of a kept document, whose sections gain terms,
// to [Writer.Terms]. If it isn't ok, they must be added from the content.
func (w *Writer) KeepTerms(kept NewDocument) func(gained []words.TermWeight) (page index.PageTerms, ok bool, err error) {
	return func(gained []words.TermWeight) (index.PageTerms, bool, error) {
		from := w.kept[kept.from]
		page, ok, err := w.terms.AddKept(from.whole, int(kept.from), int(kept.kept-1), gained)
		return page, ok, from.explain(err)
	}
}

// Put adds a document. page is the result of adding its terms to [Writer.Terms]. Put is
// safe for concurrent use.
func (w *Writer) Put(doc document.Document, page index.PageTerms) (NewDocument, error) {
	if err := w.terms.Err(); err != nil {
		return NewDocument{}, fault.Errorf(fault.IO, "%s: %w", w.path, err)
	}
	w.names.Lock()
	form := w.names.claim(doc.Version, doc.ID) // Seal decides on the final name
	w.names.Unlock()
	file := form.name(doc.Version, doc.ID)

	e := w.encoders.Get().(*wire.Encoder)
	defer w.encoders.Put(e)
	e.Reset()
	layout := encodeDocument(e, doc)
	if err := w.staging.WriteFile(DocumentsDir+"/"+file, e.Bytes()); err != nil {
		return NewDocument{}, writeError(w.staging, "the document of "+doc.Source, err)
	}
	described := describe(doc, layout, len(e.Bytes()), sha256.Sum256(e.Bytes()))
	return NewDocument{ID: doc.ID, Version: doc.Version, stored: w.terms.Store(described, page), form: form}, nil
}

// Close closes a Writer at any time. Unless Seal has succeeded, nothing of the new cache
// remains. A second Close does nothing.
func (w *Writer) Close() {
	w.closeKept()
	w.terms.Close()
	w.staging.Close()
}

func (w *Writer) closeKept() {
	w.previous.Close()
	for _, p := range w.options.Keep {
		p.Close()
	}
	w.previous, w.kept, w.options.Keep = nil, nil, nil
}
