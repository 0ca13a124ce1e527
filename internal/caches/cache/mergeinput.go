package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/caches/index"
)

// A MergeInput is a cache that [Merge] joins with others. Its fields describe what its index
// and the beginning of its manifest say.
type MergeInput struct {
	Path   string // as the caller named it
	Prefix string // slash path to put before its sources; "" for none

	Compiler   string // of its documents; "" if the index doesn't name it
	Selection  int
	About      document.About
	Converters []string // of its documents
	CreatedAt  string

	index *index.Index
	file  *inputFile
}

// OpenMergeInput opens the cache at path. If hold is false, it keeps no file open, because
// systems limit how many files a process can open.
//
// It fails like [Open] and [Files.OpenIndex], and with [fault.CacheInvalid] if the cache
// contains no index.
func OpenMergeInput(path, prefix string, hold bool) (*MergeInput, error) {
	m := &MergeInput{Path: path, Prefix: prefix}
	err := m.open(hold)
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *MergeInput) open(hold bool) error {
	c, err := Open(m.Path)
	if err != nil {
		return err
	}
	defer c.Close()
	bound, err := c.OpenIndex()
	if err != nil {
		return err
	}
	if bound == nil {
		if _, err := c.UncheckedManifest(); err != nil {
			return err
		}
		return fault.Errorf(fault.CacheInvalid, "%s contains no %s, which a merge needs: build it again", m.Path, indexName)
	}
	defer bound.Close()
	m.Selection, m.About = bound.Header().Selection, bound.About()
	if all := bound.about.Converters; all != "" {
		m.Converters = strings.Split(all, ", ")
	}
	if m.CreatedAt, err = c.createdAt(); err != nil {
		return openError(m.Path, err)
	}
	found, err := bound.file.Stat()
	if err != nil {
		return bound.explain(err)
	}
	m.file = &inputFile{path: filepath.Join(m.Path, indexName), found: found}
	if hold {
		if m.file.held, err = m.file.open(); err != nil {
			return m.explain(err)
		}
	}
	if m.index, err = index.Open(m.file, found.Size()); err != nil {
		return m.explain(err)
	}
	m.Compiler, _, err = m.origin()
	return err
}

// Close closes what OpenMergeInput has opened.
func (m *MergeInput) Close() {
	if m.file != nil && m.file.held != nil {
		m.file.held.Close()
	}
}

// explain adds the path of the cache and a code to an error of the index.
func (m *MergeInput) explain(err error) error {
	if err == nil {
		return nil
	}
	return openError(m.Path, indexError(err))
}

// origin returns the compiler of the documents, and its warnings under the new IDs.
func (m *MergeInput) origin() (compiler string, warnings []NewDocument, err error) {
	data, err := m.index.Origin()
	if err != nil || len(data) == 0 {
		return "", nil, m.explain(err)
	}
	compiler, warned, err := decodeOrigin(data)
	if err != nil {
		return "", nil, m.explain(fmt.Errorf("%w: its origin: %w", index.ErrInvalid, err))
	}
	for _, id := range slices.Sorted(maps.Keys(warned)) {
		// A warning begins with the path of the source.
		warnings = append(warnings, NewDocument{ID: m.idOf(id), notes: &Notes{Warning: m.pathOf(warned[id])}})
	}
	return compiler, warnings, nil
}

// pathOf returns the path of a source with the prefix.
func (m *MergeInput) pathOf(source string) string {
	if m.Prefix == "" {
		return source
	}
	return m.Prefix + "/" + source
}

// idOf returns the ID of a document with the prefix. The order of IDs stays the same.
func (m *MergeInput) idOf(id document.ID) document.ID {
	if m.Prefix == "" {
		return id
	}
	return document.IDOf(m.Prefix) + "/" + id
}

// rewrite returns the file of a document with the prefix, and sets what d says about it.
func (m *MergeInput) rewrite(d *index.Record, data []byte) ([]byte, error) {
	content := data[d.ContentOffset:]
	var e wire.Encoder
	e.BeginObject()
	encodeText(&e, "id", string(d.ID))
	encodeText(&e, "version", d.Version.String())
	e.Key("source")
	rest := strings.TrimPrefix(string(data[:d.ContentOffset]), string(e.Bytes()))
	source, err := wire.NewDecoder([]byte(rest)).String()
	d.ID = m.idOf(d.ID)
	if err != nil || document.IDOf(m.pathOf(source)) != d.ID {
		return nil, fault.Errorf(fault.CacheInvalid, "%s/%s: its source does not give its ID", documentsName, d.Name)
	}
	e.Reset()
	encodeHead(&e, d.ID, d.Version, m.pathOf(source))
	d.ContentOffset = int64(len(e.Bytes()))
	return append(e.Bytes(), content...), nil
}

// createdAt returns the time in a manifest whose beginning [Files.bind] has checked.
func (c *Files) createdAt() (string, error) {
	f, _, err := files.OpenPlain(c.root, manifestName)
	if err != nil {
		return "", readError(manifestName, err)
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
		return "", fault.Errorf(fault.CacheInvalid, "%s: created_at: %w", manifestName, err)
	}
	return text, nil
}

// An inputFile reads the index of an input. Unless it is held, each read opens it.
type inputFile struct {
	path  string
	found fs.FileInfo // when the input was opened
	held  *os.File    // or nil
}

// ReadAt implements [io.ReaderAt].
func (f *inputFile) ReadAt(p []byte, at int64) (int, error) {
	if f.held != nil {
		return f.held.ReadAt(p, at)
	}
	opened, err := f.open()
	if err != nil {
		return 0, err
	}
	defer opened.Close()
	return opened.ReadAt(p, at)
}

func (f *inputFile) open() (*os.File, error) {
	opened, found, err := files.OpenAnywhere(f.path)
	if err == nil && !f.isStill(found) {
		opened.Close()
		err = errReplaced
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "%s: %w", indexName, fault.Cause(err))
	}
	return opened, nil
}

// errReplaced is wrapped by errors about an input that another process replaces.
var errReplaced = errors.New("it changed during the merge: try again")

func (f *inputFile) isStill(found fs.FileInfo) bool {
	return os.SameFile(found, f.found) && found.Size() == f.found.Size() && found.ModTime().Equal(f.found.ModTime())
}
