package cache

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/caches/index"
)

// A BoundIndex is the index of an open cache, bound to its manifest. Its methods fail
// with [fault.CacheInvalid] if the index is damaged, and with [fault.IO] if the system
// refuses. It is safe for concurrent use.
type BoundIndex struct {
	*index.Index
	path  string      // of the cache
	file  *os.File    // nil if the index is only in memory
	about aboutFields // from the manifest, once the index is bound

	lookups sync.Pool // of *index.Lookup

	columns struct { // nil until they are read
		sync.Mutex
		ids          []document.ID
		words, sizes []uint32
		firsts       []uint32
		sections     *index.SectionNumbers
	}
}

// OpenIndex opens the index of c, or returns nil if c contains no index. The caller must
// close the index. To avoid decoding the manifest, OpenIndex checks only that the
// version and the size of the manifest match the index. Any other damage is left to
// package verify.
//
// It fails with [fault.CacheInvalid] if the index is damaged or belongs to another
// manifest, and with [fault.IO] if the system refuses.
func (c *Files) OpenIndex() (*BoundIndex, error) {
	x, err := c.openIndex()
	return x, openError(c.path, err)
}

func (c *Files) openIndex() (*BoundIndex, error) {
	x, err := c.openUnboundIndex()
	if x == nil || err != nil {
		return nil, err
	}
	if err := cmp.Or(c.bind(x), c.documentsErr); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// openUnboundIndex opens the index, or returns nil if c contains no index. The index may
// belong to another manifest.
func (c *Files) openUnboundIndex() (*BoundIndex, error) {
	f, found, err := files.OpenPlain(c.root, IndexPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, readError(IndexPath, err)
	}
	x := &BoundIndex{path: c.path, file: f}
	if x.Index, err = index.Open(f, found.Size()); err != nil {
		x.Close()
		return nil, indexError(err)
	}
	return x, nil
}

// MakeIndex makes the index of a selection in memory, as a build would. add must add the terms of a
// document. It reads jobs documents at once, and fails as [ReadEach] does.
func (c *Files) MakeIndex(ctx context.Context, selection, jobs int, add func(to index.Adder, doc document.Document) (index.PageTerms, error)) (*BoundIndex, error) {
	m, err := c.Manifest()
	if err != nil {
		return nil, err
	}
	var b index.Builder
	defer b.Close()
	lines, err := ReadEach(ctx, c, jobs, m.Documents, func(_, i int, r *Reader) (line index.Line, err error) {
		doc, err := r.Read(m.Documents[i])
		if err != nil {
			return line, err
		}
		line.Record = index.Record{ID: doc.ID, Version: doc.Version, Size: len(doc.Content)}
		line.Record.Name, _ = m.Documents[i].name()
		line.Terms, err = add(&b, doc)
		return line, err
	})
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := b.Write(&file, index.Header{CacheVersion: m.Version, Selection: selection}, slices.Values(lines), nil, jobs); err != nil {
		return nil, openError(c.path, indexError(err))
	}
	x, err := index.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	return &BoundIndex{Index: x, path: c.path}, openError(c.path, indexError(err))
}

// About returns the description and base URL in the manifest.
func (x *BoundIndex) About() document.About { return x.about.about() }

// Close closes the file of the index, if it has one.
func (x *BoundIndex) Close() {
	if x.file != nil {
		x.file.Close()
	}
}

// File returns a reader of the file of the index.
func (x *BoundIndex) File() io.Reader { return io.NewSectionReader(x.file, 0, math.MaxInt64) }

// Disproved returns the error of an index that contradicts its cache.
func (x *BoundIndex) Disproved(format string, args ...any) error {
	return x.explain(fmt.Errorf("%w: %s", index.ErrInvalid, fmt.Sprintf(format, args...)))
}

// explain adds the path of the cache and a code to an error of the index.
func (x *BoundIndex) explain(err error) error {
	return openError(x.path, indexError(err))
}

// ErrIndex is wrapped by errors about an index that is damaged or doesn't match the documents. A
// build that reuses the cache may not notice all of them.
var ErrIndex = errors.New(IndexPath)

func indexError(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, index.ErrInvalid) && !errors.Is(err, ErrIndex) {
		return fault.Errorf(fault.CacheInvalid, "%w: %w", ErrIndex, err)
	}
	if _, coded := errors.AsType[*fault.Error](err); coded {
		return err
	}
	return fault.Errorf(fault.IO, "read %s: %w", IndexPath, fault.Cause(err))
}

// IDs returns the IDs of all documents by position. The caller must not change them.
func (x *BoundIndex) IDs() ([]document.ID, error) { return column(x, &x.columns.ids, x.Index.IDs) }

// Words returns the number of words in the content of each document. It is only for an
// index of selection 0. The caller must not change the result.
func (x *BoundIndex) Words() ([]uint32, error) { return column(x, &x.columns.words, x.Index.Words) }

// Sizes returns the size of each document's content in bytes. The caller must not change
// the result.
func (x *BoundIndex) Sizes() ([]uint32, error) { return column(x, &x.columns.sizes, x.Index.Sizes) }

// SectionNumbers returns the length and the traits of all sections. It is only for an index of
// selection 1.
//
// A second call shows that callers use the index often. From then on, it keeps blocks in
// memory.
func (x *BoundIndex) SectionNumbers() (*index.SectionNumbers, error) {
	x.columns.Lock()
	defer x.columns.Unlock()
	if x.columns.sections != nil {
		x.Hold()
		return x.columns.sections, nil
	}
	columns, err := x.Index.SectionNumbers()
	if err != nil {
		return nil, x.explain(err)
	}
	x.columns.sections = columns
	return columns, nil
}

// Firsts returns the ordinal of the first section of each document, followed by the
// number of sections. It is only for an index of selection 1. The caller must not change
// the result.
func (x *BoundIndex) Firsts() ([]uint32, error) { return column(x, &x.columns.firsts, x.Index.Firsts) }

// column returns a column after reading it at most once.
func column[T any](x *BoundIndex, column *[]T, read func() ([]T, error)) ([]T, error) {
	x.columns.Lock()
	defer x.columns.Unlock()
	if *column != nil {
		return *column, nil
	}
	numbers, err := read()
	if err != nil {
		return nil, x.explain(err)
	}
	*column = numbers
	return numbers, nil
}

// Entry returns the entry of the document at a position.
func (x *BoundIndex) Entry(position int) (Entry, error) {
	doc, err := x.Document(position)
	return newEntry(doc.ID, doc.Version, doc.Name), x.explain(err)
}

// Entries returns the entries of all documents. For many documents, it is faster than
// Entry.
func (x *BoundIndex) Entries() ([]Entry, error) {
	entries := make([]Entry, 0, x.Documents())
	for e, err := range entriesIn(x.Index) {
		if err != nil {
			return nil, x.explain(err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// entriesIn yields the entries of all documents that an index lists, from a file instead of
// memory.
func entriesIn(x *index.Index) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		const ahead = 256 << 10
		r := x.NewRecordReader(ahead)
		for d, err := r.Next(); d != nil || err != nil; d, err = r.Next() {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if !yield(newEntry(d.ID, d.Version, d.Name), nil) {
				return
			}
		}
	}
}

// List is [index.Lookup.List]. It is fastest if terms arrive in order.
func (x *BoundIndex) List(term string) (index.List, error) {
	lookup, isKnown := x.lookups.Get().(*index.Lookup)
	if !isKnown {
		lookup = x.NewLookup()
	}
	list, err := lookup.List(term)
	if err != nil {
		return list, x.explain(err)
	}
	x.lookups.Put(lookup)
	return list, nil
}

// EachWithPrefix is [index.Index.EachWithPrefix].
func (x *BoundIndex) EachWithPrefix(prefix string, visit func(term []byte, postings int) error) error {
	return x.explain(x.Index.EachWithPrefix(prefix, visit))
}

// Section is [index.Index.Section].
func (x *BoundIndex) Section(ordinal int) (index.SectionRecord, error) {
	s, err := x.Index.Section(ordinal)
	return s, x.explain(err)
}

// manifestHead is the beginning of all manifests that builds write. Its verb is replaced
// by the version.
const manifestHead = `{
  "cache_version": "%s",
  "build_config": {
    "version": "` + FormatVersion + `",
    "hash_algorithm": "` + hashAlgorithm + `"
  },
`

// bind fails unless the index belongs to the manifest. It compares the size, the
// beginning and the end of the manifest.
func (c *Files) bind(x *BoundIndex) (err error) {
	h := x.Header()
	if x.about, err = decodeAbout(h.About); err != nil {
		return fault.Errorf(fault.CacheInvalid, "%s: what the cache is about: %w", IndexPath, err)
	}
	f, found, err := files.OpenPlain(c.root, ManifestPath)
	if err != nil {
		return readError(ManifestPath, err)
	}
	defer f.Close()
	wantHead, wantEnd := fmt.Sprintf(manifestHead, h.CacheVersion), manifestEnd(h.Selection, x.about)
	head, err := readAt(f, 0, len(wantHead))
	if err != nil {
		return err
	}
	end, err := readAt(f, max(0, found.Size()-int64(len(wantEnd))), len(wantEnd))
	if err != nil {
		return err
	}
	if bytes.HasPrefix(head, []byte("{\r\n")) {
		return fault.Errorf(fault.CacheInvalid, "%s: %s", ManifestPath, hasCRLF)
	}
	if found.Size() != h.ManifestSize || string(head) != wantHead || string(end) != wantEnd {
		return fault.Errorf(fault.CacheInvalid, "%s: %s was made for another manifest", ManifestPath, IndexPath)
	}
	return nil
}

func readAt(f *os.File, offset int64, n int) ([]byte, error) {
	b := make([]byte, n)
	got, err := f.ReadAt(b, offset)
	if err != nil && err != io.EOF {
		return nil, readError(ManifestPath, err)
	}
	return b[:got], nil
}

// createdAt returns the time in a manifest whose beginning [Files.bind] has checked.
func (c *Files) createdAt() (string, error) {
	f, _, err := files.OpenPlain(c.root, ManifestPath)
	if err != nil {
		return "", readError(ManifestPath, err)
	}
	defer f.Close()
	head, err := readAt(f, 0, maxManifestHead)
	if err != nil {
		return "", err
	}
	return createdAtOf(head)
}

// maxManifestHead is how much of a manifest is enough to read its time, in bytes.
const maxManifestHead = 1 << 10

func createdAtOf(head []byte) (string, error) {
	_, rest, _ := strings.Cut(string(head), "\n  },\n  \"created_at\":")
	text, err := decodeTime(wire.NewDecoder([]byte(rest)))
	if err != nil {
		return "", fault.Errorf(fault.CacheInvalid, "%s: created_at: %w", ManifestPath, err)
	}
	return text, nil
}
