package cache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/wire"
)

// A Previous is the cache that stands where a new one is to be, as far as the
// new one can take documents over from it. Safe for concurrent use.
//
// That a file is what the same compiler made of the same source rests on the
// selection index: it names the compiler and has the hash of every file. Only a
// cache whose index was forged together with its checksums gives another
// answer; who has to fear that builds without reuse.
type Previous struct {
	Version document.Version
	Entries []Entry // sorted by ID, if the manifest is sound

	cache   *Cache
	index   *Index    // nil if there is none that can be opened
	reuse   *reusable // nil if there is nothing to take over
	buffers sync.Pool // of *[]byte
}

// A reusable is what the index of a previous cache knows.
type reusable struct {
	*index.Whole
	origin   []byte // as it stands in the index
	ordinals map[document.ID]int
	warnings map[document.ID]string
}

// OpenPrevious opens the cache at path. Its documents can be reused if it has
// a sound index for the recipe's selection, and was made by its compiler.
//
// It fails as [Open] does, and with [fault.CacheInvalid] if there is no manifest.
func OpenPrevious(path string, recipe Recipe) (*Previous, error) {
	return openPrevious(path, &recipe)
}

// openPrevious is OpenPrevious, but that the recipe may be nil: then nothing is
// to be reused, and no index is looked at.
func openPrevious(path string, recipe *Recipe) (*Previous, error) {
	c, err := openDirectory(atPath(path))
	if err != nil {
		return nil, err
	}
	p := &Previous{cache: c}
	p.buffers.New = func() any { return new([]byte) }
	if err := p.open(recipe); err != nil {
		p.Close()
		return nil, openError(path, err)
	}
	return p, nil
}

func (p *Previous) open(recipe *Recipe) (err error) {
	if p.cache.documentsErr != nil {
		return p.cache.documentsErr
	}
	if recipe != nil {
		if opened, err := p.openIndex(*recipe); opened || err != nil {
			return err
		}
	}
	m, err := p.cache.manifest()
	p.Version, p.Entries = m.Version, m.Documents
	return err
}

// openIndex opens the index and reports whether it says which documents there are.
// A damaged index makes nothing reusable. openIndex fails only if the system
// refuses.
func (p *Previous) openIndex(recipe Recipe) (opened bool, err error) {
	known, err := p.readIndex()
	if err != nil {
		return false, refusal(err)
	}
	header := known.Header()
	p.Version, p.Entries = header.CacheVersion, entriesOf(known.All)
	isSame, err := known.takeOrigin(recipe.Compiler)
	if err == nil && isSame && header.Selection == recipe.Selection {
		p.reuse = known
	}
	return true, refusal(err)
}

// refusal returns an error of the index if the system is to blame. It is nil if
// the index is damaged or is not there.
func refusal(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err = indexError(err); fault.CodeOf(err) == fault.CacheInvalid {
		return nil
	}
	return err
}

// readIndex reads and verifies all of the index. An index that is not there is an
// error.
func (p *Previous) readIndex() (_ *reusable, err error) {
	if p.index, err = p.cache.openIndex(); err != nil {
		return nil, err
	}
	if p.index == nil {
		return nil, fs.ErrNotExist
	}
	whole, err := index.Read(p.index.Index)
	if err != nil {
		return nil, err
	}
	r := &reusable{Whole: whole, ordinals: make(map[document.ID]int, len(whole.All))}
	for i, d := range whole.All {
		r.ordinals[d.ID] = i
	}
	return r, nil
}

func entriesOf(documents []index.Document) []Entry {
	entries := make([]Entry, len(documents))
	for i, d := range documents {
		entries[i] = newEntry(d.ID, d.Version, d.Name)
	}
	return entries
}

// takeOrigin reads how the documents were made, and reports whether it was by
// that compiler.
func (r *reusable) takeOrigin(compiler string) (isSame bool, err error) {
	if r.origin, err = r.Origin(); err != nil {
		return false, err
	}
	made, warnings, err := decodeOrigin(r.origin)
	r.warnings = warnings
	return err == nil && made == compiler, nil
}

// Close releases the cache. A nil Previous has nothing to release.
func (p *Previous) Close() {
	if p == nil {
		return
	}
	if p.index != nil {
		p.index.Close()
	}
	p.cache.Close()
}

// isReusable reports whether there is anything to take over. A nil Previous has
// nothing.
func (p *Previous) isReusable() bool { return p != nil && p.reuse != nil }

// whole returns the index to take documents over from, nil for none.
func (p *Previous) whole() *index.Whole {
	if !p.isReusable() {
		return nil
	}
	return p.reuse.Whole
}

// Find returns the document of that ID if it was made of the source at that path
// with that content, so that compiling it again would make the same file, and if
// that file is sound. A nil Previous has none. It fails with [fault.IO] if the
// system refuses to read the file.
func (p *Previous) Find(id document.ID, source string, content []byte) (item Item, ok bool, err error) {
	if !p.isReusable() {
		return Item{}, false, nil
	}
	ordinal, known := p.reuse.ordinals[id]
	if !known {
		return Item{}, false, nil
	}
	d := &p.reuse.All[ordinal]
	if d.Size != len(content) || d.Version != document.VersionOf(content) {
		return Item{}, false, nil
	}
	modified, ok, err := p.holds(d, source)
	return Item{ID: id, Version: d.Version, Warning: p.reuse.warnings[id], kept: ordinal + 1, modified: modified}, ok, err
}

// holds reports whether the file of a document is as its compiler made it of
// the source at a path, and when it was written to last.
func (p *Previous) holds(d *index.Document, source string) (modified time.Time, ok bool, err error) {
	buf := p.buffers.Get().(*[]byte)
	defer p.buffers.Put(buf)
	data, modified, err := p.read(d, *buf)
	if err != nil {
		if fault.CodeOf(err) == fault.IO {
			return time.Time{}, false, fmt.Errorf("%s: %w", p.cache.path, err)
		}
		return time.Time{}, false, nil
	}
	*buf = data
	var e wire.Encoder
	encodeHead(&e, d.ID, d.Version, source)
	return modified, bytes.HasPrefix(data, e.Bytes()) && int64(len(e.Bytes())) == d.ContentOffset, nil
}

var errNotAsMade = errors.New("it is not what was written")

// read returns the file of a document, which it makes sure is sound, in buf's
// memory if that suffices, and when it was written to last. It fails with
// [fault.CacheInvalid] if the file is another one, and with [fault.IO] if the
// system refuses.
func (p *Previous) read(d *index.Document, buf []byte) (data []byte, modified time.Time, err error) {
	path := documentsName + "/" + d.Name
	changed := fault.Errorf(fault.CacheInvalid, "%s: %w", path, errNotAsMade)
	if p.cache.documents == nil || !isNameOf(d.Name, d.Version) {
		return nil, time.Time{}, changed
	}
	f, found, err := openRegular(p.cache.documents, d.Name)
	if err != nil {
		return nil, time.Time{}, readError(path, err)
	}
	defer f.Close()
	if found.Size() != d.FileSize {
		return nil, time.Time{}, changed
	}
	data, err = readAll(f, buf, d.FileSize)
	switch {
	case err != nil:
		return nil, time.Time{}, readError(path, err)
	case int64(len(data)) != d.FileSize || sha256.Sum256(data) != d.FileSum:
		return nil, time.Time{}, changed
	}
	return data, found.ModTime(), nil
}

// of returns what the index says of an item that was found.
func (p *Previous) of(item Item) *index.Document { return &p.reuse.All[item.kept-1] }

// Differences returns the names of the files that differ, besides the documents
// that were not found, in this cache and in one that is made of items. Which
// created_at a manifest has does not count.
func (p *Previous) Differences(items []Item, recipe Recipe) ([]string, error) {
	manifest, err := readRegular(p.cache.root, manifestName, nil, maxManifestSize)
	var names []string
	if err == nil || fault.CodeOf(err) == fault.CacheInvalid {
		names, err = p.filesUnlike(settle(items, createdAtIn(manifest), recipe))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.cache.path, err)
	}
	return names, nil
}

// filesUnlike returns the names of the files that differ in this cache and in
// a settled one, documents that are listed in both excepted.
func (p *Previous) filesUnlike(s settled) ([]string, error) {
	var names []string
	for _, file := range s.files() {
		data, err := readRegular(p.cache.root, file.name, nil, maxManifestSize)
		if err != nil && fault.CodeOf(err) != fault.CacheInvalid {
			return nil, err
		}
		if err != nil || !bytes.Equal(data, file.data) {
			names = append(names, file.name)
		}
	}
	if !p.hasIndexOf(s) {
		names = append(names, selectionName)
	}
	unexpected, err := p.cache.CheckFiles(s.manifest)
	for _, finding := range unexpected {
		names = append(names, finding.Path)
	}
	if p.cache.documents == nil && !slices.Contains(names, documentsName) {
		names = append(names, documentsName) // which a cache without documents has, too
	}
	return names, err
}

// hasIndexOf reports whether the index is that of a settled cache. It says of
// the words of documents what it said when it was made, for no page is damaged.
func (p *Previous) hasIndexOf(s settled) bool {
	return p.isReusable() && bytes.Equal(p.reuse.origin, s.origin) &&
		p.reuse.Header().CacheVersion == s.manifest.Version &&
		slices.EqualFunc(p.Entries, s.manifest.Documents, func(a, b Entry) bool { return a == b })
}

// encodeOrigin returns what the index says of how the documents were made. If
// that is too much to say, it says nothing, and nobody reuses them.
func encodeOrigin(compiler string, items []Item) []byte {
	var e wire.Encoder
	e.BeginObject()
	e.Key("compiler")
	e.String(compiler)
	e.Key("warnings")
	e.BeginObject()
	for _, item := range items {
		if item.Warning != "" {
			e.Key(string(item.ID))
			e.String(item.Warning)
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

// createdAtIn returns the created_at of a manifest as we write it, and the
// Epoch if that is not to be seen.
func createdAtIn(manifest []byte) string {
	const before, after = "\n  \"created_at\": \"", "\",\n"
	_, rest, found := strings.Cut(string(manifest[:min(len(manifest), 1<<10)]), before)
	createdAt, _, ends := strings.Cut(rest, after)
	if _, err := time.Parse(time.RFC3339, createdAt); err != nil || !found || !ends {
		return Epoch
	}
	return createdAt
}
