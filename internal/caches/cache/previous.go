package cache

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/caches/index"
)

// A Previous is a cache whose documents a new cache can keep: the cache that it replaces,
// or one of the caches that it merges. Previous is safe for concurrent use.
//
// A document can be kept if the same compiler made its file from the same source. To
// decide this, Previous relies on the index, which names the compiler and contains the
// hash of every file. If you cannot trust the index of the old cache, set NoReuse.
type Previous struct {
	Version   document.Version
	Selection int // supported by the cache: 0 or 1
	About     document.About

	Compiler   string // of its documents; "" if the index doesn't name it
	Converters string // of the manifest

	cache   *Files
	index   *BoundIndex // nil if it doesn't exist or cannot be opened
	buffers sync.Pool   // of *findBuffer

	listed  *index.Whole // lists the documents; or nil
	damage  error        // why the index cannot be used; or nil
	entries []Entry      // if listed is nil

	position uint16       // among the caches whose documents can be kept
	whole    *index.Whole // listed; or nil if no document can be kept
	origin   []byte       // of the index, encoded
	warnings map[document.ID]string
}

// OpenPrevious opens the cache at path. Its documents can be kept if its index names the
// same compiler. It fails like [Open], and with [fault.CacheInvalid] if there is no
// manifest.
func OpenPrevious(path, compiler string) (*Previous, error) {
	return openPrevious(path, &compiler)
}

// openPrevious is OpenPrevious. If compiler is nil, it does not read the index, so no
// document can be kept.
func openPrevious(path string, compiler *string) (*Previous, error) {
	c, err := Open(path)
	if err != nil {
		return nil, err
	}
	p := newPrevious(c)
	if err := p.open(compiler); err != nil {
		p.Close()
		return nil, openError(path, err)
	}
	return p, nil
}

func newPrevious(c *Files) *Previous {
	p := &Previous{cache: c}
	p.buffers.New = func() any { return new(findBuffer) }
	return p
}

func (p *Previous) open(compiler *string) (err error) {
	if p.cache.documentsErr != nil {
		return p.cache.documentsErr
	}
	if compiler != nil {
		if listed, err := p.openIndex(*compiler); listed || err != nil {
			return err
		}
	}
	m, err := p.cache.manifest()
	p.Version, p.Selection, p.About, p.Converters = m.Version, m.Selection, m.About, m.Converters
	p.entries = sortedEntries(m.Documents)
	return err
}

// openIndex reads and checks the whole index, and reports whether it lists the
// documents. It fails only if the system refuses.
func (p *Previous) openIndex(compiler string) (listed bool, err error) {
	if p.index, err = p.cache.openIndex(); p.index == nil {
		return false, p.refusal(err)
	}
	whole, err := index.Read(p.index.Index)
	if err == nil {
		err = checkSections(whole)
	}
	if err != nil {
		return false, p.refusal(err)
	}
	p.listed = whole
	header := whole.Header()
	p.Version, p.Selection = header.CacheVersion, header.Selection
	p.About, p.Converters = p.index.About(), p.index.about.Converters
	if p.origin, err = whole.Origin(); err != nil || len(p.origin) == 0 {
		return true, p.refusal(err)
	}
	madeBy, warnings, err := decodeOrigin(p.origin)
	if err != nil {
		return true, p.refusal(fmt.Errorf("%w: its origin: %w", index.ErrInvalid, err))
	}
	if p.Compiler = madeBy; madeBy == compiler {
		p.whole, p.warnings = whole, warnings
	}
	return true, nil
}

// checkSections fails with [index.ErrInvalid] unless the sections of each document, if any, cover
// it to its end, without gaps.
func checkSections(x *index.Whole) error {
	sizes, err := x.Sizes()
	if err != nil {
		return err
	}
	document := 0
	for page, err := range x.EachPage() {
		if err != nil {
			return err
		}
		end, size := page[0].Start, int(sizes[document])
		for i := range page {
			if page[i].Start != end || page[i].Tail.End > size {
				return fmt.Errorf("%w: a section of document %d begins at %d instead of %d", index.ErrInvalid, document, page[i].Start, end)
			}
			end = page[i].End
		}
		if end != size {
			return fmt.Errorf("%w: the sections of document %d end at %d instead of %d", index.ErrInvalid, document, end, size)
		}
		document++
	}
	return nil
}

// sortedEntries returns the entries of a manifest, which may be damaged, sorted by ID and
// without duplicates.
func sortedEntries(entries []Entry) []Entry {
	byID := func(a, b Entry) int { return strings.Compare(string(a.ID), string(b.ID)) }
	if !slices.IsSortedFunc(entries, byID) {
		entries = slices.SortedStableFunc(slices.Values(entries), byID)
	}
	return slices.CompactFunc(entries, func(a, b Entry) bool { return a.ID == b.ID })
}

// Entries yields the documents in the order of their IDs. It fails if the index can no
// longer be read. A nil Previous lists nothing.
func (p *Previous) Entries(yield func(Entry, error) bool) {
	switch {
	case p == nil:
	case p.listed != nil:
		for e, err := range entriesIn(p.listed.Index) {
			if !yield(e, p.explain(err)) {
				return
			}
		}
	default:
		for _, e := range p.entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// refusal returns err if the system refuses to read the index. It remembers any other error,
// since the cache may be useful without its index.
func (p *Previous) refusal(err error) error {
	if err == nil {
		return nil
	}
	if err = indexError(err); fault.CodeOf(err) == fault.CacheInvalid {
		p.damage = err
		return nil
	}
	return err
}

// explain adds the path of the cache, a code and [ErrPrevious] to an error of the index.
func (p *Previous) explain(err error) error {
	if err == nil {
		return nil
	}
	return openError(p.cache.path, fmt.Errorf("%w: %w", ErrPrevious, indexError(err)))
}

// Close closes the cache. It does nothing for a nil Previous.
func (p *Previous) Close() {
	if p == nil {
		return
	}
	if p.index != nil {
		p.index.Close()
	}
	p.cache.Close()
}

// isReusable reports whether any documents can be kept.
func (p *Previous) isReusable() bool { return p != nil && p.whole != nil }

// Find returns the document of an ID if compiling this source with this content would
// produce the same file. Since metadata can depend on more than the content, suits must
// report whether the source would get the metadata of the old document. Only the given key
// may decide this: suits gets no metadata at all if the document lacks the key. Find fails
// with [ErrPrevious] if the index can no longer be read, and with [fault.IO] if the system
// refuses to read the file.
func (p *Previous) Find(id document.ID, source string, content []byte, key string, suits func(document.Metadata) bool) (item NewDocument, ok bool, err error) {
	return p.find(id, source, key, func(d *index.Record) bool {
		return d.Size == len(content) && d.Version == document.VersionOf(content)
	}, suits)
}

// FindConverted is [Previous.Find] for a source whose content differs from the content of
// its document, because it was converted. Only suits decides whether both still match.
func (p *Previous) FindConverted(id document.ID, source string, suits func(document.Metadata) bool) (item NewDocument, ok bool, err error) {
	return p.find(id, source, "", func(*index.Record) bool { return true }, suits)
}

// A findBuffer is the memory for finding a document.
type findBuffer struct {
	file []byte
	head wire.Encoder
}

func (p *Previous) find(id document.ID, source, key string, isSame func(*index.Record) bool, suits func(document.Metadata) bool) (item NewDocument, ok bool, err error) {
	if !p.isReusable() {
		return NewDocument{}, false, nil
	}
	d, ordinal, err := p.whole.Find(id)
	if err != nil {
		return NewDocument{}, false, p.explain(err)
	}
	if ordinal < 0 || !isSame(&d) {
		return NewDocument{}, false, nil
	}
	buf := p.buffers.Get().(*findBuffer)
	defer p.buffers.Put(buf)
	data, found, err := p.cache.readRecorded(&d, buf.file)
	if err != nil {
		if fault.CodeOf(err) == fault.IO {
			return NewDocument{}, false, fmt.Errorf("%s: %w", p.cache.path, err)
		}
		return NewDocument{}, false, nil
	}
	buf.file = data
	buf.head.Reset()
	encodeHead(&buf.head, d.ID, d.Version, source)
	if head := buf.head.Bytes(); !bytes.HasPrefix(data, head) || int64(len(head)) != d.ContentOffset {
		return NewDocument{}, false, nil
	}
	metadata, err := metadataAt(data, d.ContentOffset+d.ContentLength, key)
	if err != nil || !suits(metadata) {
		return NewDocument{}, false, nil
	}
	return p.itemOf(&d, ordinal, found), true, nil
}

func (p *Previous) itemOf(d *index.Record, ordinal int, found fs.FileInfo) NewDocument {
	item := NewDocument{ID: d.ID, Version: d.Version, kept: uint32(ordinal) + 1, from: p.position, modified: found.ModTime().UnixNano()}
	item.Note(Notes{Warning: p.warnings[d.ID]})
	return item
}

var errNotAsMade = errors.New("its bytes have changed since it was written")

// readRecorded returns the file of d and what is known about it. It uses the memory of buf if
// that is large enough. It fails with [fault.CacheInvalid] if the hash of the file does not
// match, and with [fault.IO] if the system refuses.
func (c *Files) readRecorded(d *index.Record, buf []byte) (data []byte, found fs.FileInfo, err error) {
	path := DocumentsDir + "/" + d.Name
	changed := func() error { return fault.Errorf(fault.CacheInvalid, "%s: %w", path, errNotAsMade) }
	if !isNameOf(d.Name, d.Version) {
		return nil, nil, changed()
	}
	if c.documents == nil {
		return nil, nil, cmp.Or(c.documentsErr, readError(path, fs.ErrNotExist))
	}
	f, found, err := files.OpenPlain(c.documents, d.Name)
	if err != nil {
		return nil, nil, readError(path, err)
	}
	defer f.Close()
	if found.Size() != d.FileSize {
		return nil, nil, changed()
	}
	data, err = files.Read(f, buf, d.FileSize)
	switch {
	case err != nil:
		return nil, nil, readError(path, err)
	case int64(len(data)) != d.FileSize || sha256.Sum256(data) != d.FileSum:
		return nil, nil, changed()
	}
	return data, found, nil
}

// Differences returns the names of the files that differ between this cache and a cache
// of items for the same selection, ignoring created_at. It leaves out documents that
// Find did not return. It reads at most jobs files at once; below 1, it means one per CPU.
func (p *Previous) Differences(items []NewDocument, compiler string, about document.About, jobs int) ([]string, error) {
	createdAt, err := p.createdAt()
	var names []string
	if err == nil || fault.CodeOf(err) == fault.CacheInvalid {
		names, err = p.filesUnlike(contentsOf(items, createdAt, Recipe{Compiler: compiler, Selection: p.Selection, About: about}), jobs)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.cache.path, err)
	}
	return names, nil
}

// createdAt returns the created_at of the manifest, or Epoch if it cannot be read.
func (p *Previous) createdAt() (string, error) {
	if p.listed != nil {
		at, err := p.cache.createdAt()
		return cmp.Or(at, Epoch), err
	}
	m, err := p.cache.manifest()
	return cmp.Or(m.CreatedAt, Epoch), err
}

// filesUnlike returns the names of the files that differ from c. It leaves out the
// documents in both. It reads at most jobs files at once.
func (p *Previous) filesUnlike(c contents, jobs int) ([]string, error) {
	differing := []string{c.files[0].name, c.files[1].name, IndexPath}
	found, err := parallel.Each(context.Background(), jobs, len(differing)+1, func(_ context.Context, _, i int) (names []string, err error) {
		var isThere bool
		switch i {
		case len(differing):
			unexpected, err := p.cache.CheckFiles(c.entries)
			for _, finding := range unexpected {
				names = append(names, finding.Path)
			}
			return names, err
		case len(differing) - 1:
			isThere, err = p.hasIndexOf(c)
		default:
			isThere, err = c.files[i].isIn(p.cache.root)
		}
		if isThere || err != nil {
			return nil, err
		}
		return differing[i : i+1], nil
	})
	names := slices.Concat(found...)
	if p.cache.documents == nil && !slices.Contains(names, DocumentsDir) {
		names = append(names, DocumentsDir) // even an empty cache contains it
	}
	return names, err
}

// hasIndexOf reports whether the index matches c. Its postings must be right, because
// openIndex has already checked every block.
func (p *Previous) hasIndexOf(c contents) (bool, error) {
	isAlike := p.isReusable() && bytes.Equal(p.origin, c.origin) && p.About == c.manifest.About && p.Converters == c.manifest.Converters &&
		p.whole.Header().CacheVersion == c.manifest.Version
	if !isAlike {
		return false, nil
	}
	return p.lists(c.entries)
}

// lists reports whether the index lists exactly these entries.
func (p *Previous) lists(entries iter.Seq[Entry]) (bool, error) {
	next, stop := iter.Pull2(p.Entries)
	defer stop()
	for e := range entries {
		if listed, err, more := next(); err != nil || !more || listed != e {
			return false, err
		}
	}
	_, err, more := next()
	return !more, err
}

// encodeOrigin returns the origin to store in the index, which contains the compiler and
// its warnings. If it would be too long, encodeOrigin returns nil, so later builds
// cannot keep the documents.
func encodeOrigin(compiler string, items []NewDocument) []byte {
	var e wire.Encoder
	e.BeginObject()
	e.Key("compiler")
	e.String(compiler)
	e.Key("warnings")
	e.BeginObject()
	for _, item := range items {
		if warning := item.Notes().Warning; warning != "" {
			e.Key(string(item.ID))
			e.String(warning)
		}
	}
	e.EndObject()
	e.EndObject()
	if len(e.Bytes()) > index.MaxOrigin {
		return nil
	}
	return e.Bytes()
}

func decodeOrigin(data []byte) (compiler string, warnings map[document.ID]string, err error) {
	d := wire.NewDecoder(data)
	warnings = map[document.ID]string{}
	err = d.Object(func(key string) (err error) {
		switch key {
		case "compiler":
			compiler, err = d.String()
			return err
		case "warnings":
			return d.Object(func(id string) (err error) {
				warnings[document.ID(id)], err = d.String()
				return err
			})
		}
		return d.Skip()
	})
	if err == nil {
		err = d.End()
	}
	return compiler, warnings, err
}
