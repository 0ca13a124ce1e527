package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
)

// An unsyncedDisk is the system's disk, but does not wait for the hardware.
type unsyncedDisk struct{ replace.System }

func (unsyncedDisk) SyncTree(string) error      { return nil }
func (unsyncedDisk) SyncDirectory(string) error { return nil }

// A failingDisk fails at a single call. Since only a single goroutine uses it, the n-th
// call is the same on every run.
type failingDisk struct {
	unsyncedDisk
	calls []string // so far
	at    int      // number of the failing call; 0 means none
	errno syscall.Errno
}

func (d *failingDisk) call(name string) error {
	if d.calls = append(d.calls, name); len(d.calls) == d.at {
		return &fs.PathError{Op: name, Path: "disk", Err: d.errno}
	}
	return nil
}

// do runs a call, or half of it.
func (d *failingDisk) do(name string, whole, half func() error) error {
	err := d.call(name)
	if err == nil {
		return whole()
	}
	if half != nil {
		half()
	}
	return err
}

func (d *failingDisk) Mkdir(path string) error {
	return d.do("mkdir", func() error { return d.System.Mkdir(path) }, nil)
}

func (d *failingDisk) Link(from, to string) error {
	return d.do("link", func() error { return d.System.Link(from, to) }, nil)
}

func (d *failingDisk) Rename(from, to string) error {
	return d.do("rename", func() error { return d.System.Rename(from, to) }, nil)
}

func (d *failingDisk) WriteFile(path string, data []byte) error {
	return d.do("writeFile", func() error { return d.System.WriteFile(path, data) },
		func() error { return d.System.WriteFile(path, data[:len(data)/2]) })
}

func (d *failingDisk) StreamFile(path string, write func(io.Writer) error) error {
	return d.do("streamFile", func() error { return d.System.StreamFile(path, write) },
		func() error { return d.System.StreamFile(path, func(io.Writer) error { return nil }) })
}

func (d *failingDisk) Exchange(a, b string) error {
	return d.do("exchange", func() error { return d.System.Exchange(a, b) }, nil)
}

func (d *failingDisk) Scratch(path string) (file replace.Scratch, err error) {
	err = d.do("scratch", func() (err error) {
		file, err = d.System.Scratch(path)
		return err
	}, nil)
	return &failingScratch{file, d}, err
}

type failingScratch struct {
	replace.Scratch
	disk *failingDisk
}

func (s *failingScratch) Write(p []byte) (n int, err error) {
	err = s.disk.do("scratchWrite", func() (err error) {
		n, err = s.Scratch.Write(p)
		return err
	}, func() (err error) {
		n, err = s.Scratch.Write(p[:len(p)/2])
		return err
	})
	return n, err
}

func (s *failingScratch) ReadAt(p []byte, at int64) (n int, err error) {
	err = s.disk.do("scratchRead", func() (err error) {
		n, err = s.Scratch.ReadAt(p, at)
		return err
	}, nil)
	return n, err
}

func (d *failingDisk) SyncTree(string) error { return d.call("syncTree") }

// If a single call of a build fails, the error contains its cause, the old cache stays
// unchanged, and nothing is left behind. The build moves all terms to scratch files.
func TestABuildThatFailsChangesNothing(t *testing.T) {
	errnos := []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EACCES}
	for selection := range 2 {
		old, new := treeFor(t, selection, oldDocuments), treeFor(t, selection, newDocuments)
		for _, replaces := range []bool{false, true} {
			for at, last := 1, false; !last; at++ {
				path := filepath.Join(t.TempDir(), "cache")
				want := "absent"
				if replaces {
					restore(t, path, old)
					want = "old"
				}
				disk := &failingDisk{at: at, errno: errnos[at%len(errnos)]}
				err := buildWith(CreateOptions{Replace: replaces, Recipe: Recipe{Selection: selection}, Memory: 1}, path, disk, newDocuments)
				last = len(disk.calls) < at
				name := fmt.Sprintf("selection %d, replaces %v, call %d %s", selection, replaces, at, disk.calls[len(disk.calls)-1])
				isHarmless := last || disk.calls[at-1] == "link" // instead, it makes a copy
				if isHarmless {
					want = "new"
				}
				if isHarmless != (err == nil) || err != nil && (fault.CodeOf(err) != fault.IO || !errors.Is(err, disk.errno) || !strings.Contains(err.Error(), filepath.Dir(path))) {
					t.Errorf("%s: got %v, want %v at %s", name, err, disk.errno, path)
				}
				if got := generation(trees.DescribeTree(t, path), old, new); got != want {
					t.Errorf("%s: the cache is %s, want %s", name, got, want)
				}
				if want == "absent" {
					wantOnly(t, filepath.Dir(path))
				} else {
					wantOnly(t, filepath.Dir(path), "cache")
				}
				if last && replaces {
					wantAll(t, disk.calls, "mkdir", "link", "rename", "writeFile", "streamFile", "syncTree", "scratch", "scratchWrite", "scratchRead")
				}
			}
		}
	}
}

func wantAll(t *testing.T, calls []string, names ...string) {
	t.Helper()
	for _, name := range names {
		if !slices.Contains(calls, name) {
			t.Errorf("there is no call of %s: %v", name, calls)
		}
	}
}

// oldDocuments and newDocuments are two generations of sources. In each of them, some
// documents have equal contents, two have versions with the same stem, and two have IDs
// with the same suffix, so a build in another order has to rename files.
var (
	oldDocuments = documentsOf("same\n", "a.md", "b.md", "n132544.md", "n50785.md", "old.md")
	newDocuments = slices.Concat(
		documentsOf("same\n", "B.md", "a.md", "n132544.md", "n50785.md"),
		documentsOf("# 30572769\n", "one.md"),
		documentsOf("# 5352758\n", "two.md"),
		documentsOf("", "Ä/empty.md"),
	)
)

func documentsOf(content string, sources ...string) []document.Document {
	var docs []document.Document
	for _, source := range sources {
		docs = append(docs, document.Document{
			ID:      document.IDOf(source),
			Version: document.VersionOf([]byte(content)),
			Source:  source,
			Content: []byte(content),
			Metadata: document.Metadata{
				"byte_size": document.Number(int64(len(content))),
				"title":     document.Text(source),
			},
		})
	}
	return docs
}

// build makes the cache of docs at path and puts the last document first. It keeps as
// much as it can.
func build(path string, replace bool, disk replace.Disk, docs []document.Document) error {
	return buildFor(0, path, replace, disk, docs)
}

// buildFor is build for another selection.
func buildFor(selection int, path string, replace bool, disk replace.Disk, docs []document.Document) error {
	return buildWith(CreateOptions{Replace: replace, Recipe: Recipe{Selection: selection}}, path, disk, docs)
}

func buildWith(options CreateOptions, path string, disk replace.Disk, docs []document.Document) error {
	options.Jobs = 1
	w, err := create(path, options, disk)
	if err != nil {
		return err
	}
	defer w.Close()
	var items []NewDocument
	for _, doc := range slices.Backward(docs) {
		item, err := keepOrPut(w, doc)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return seal(w, items)
}

func keepOrPut(w *Writer, doc document.Document) (NewDocument, error) {
	if item, ok, err := w.Previous().Find(doc.ID, doc.Source, doc.Content, "title", func(document.Metadata) bool { return true }); ok || err != nil {
		return item, err
	}
	return w.Put(doc, termsOf(w, doc))
}

func seal(w *Writer, items []NewDocument) error {
	slices.SortFunc(items, func(a, b NewDocument) int { return strings.Compare(string(a.ID), string(b.ID)) })
	_, _, err := w.Seal(context.Background(), items, Epoch)
	return err
}

// treeOf returns the cache of docs in the form of snapshot.
func treeOf(t testing.TB, docs []document.Document) map[string]string {
	t.Helper()
	return treeFor(t, 0, docs)
}

// treeFor is treeOf for another selection.
func treeFor(t testing.TB, selection int, docs []document.Document) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cache")
	if err := buildFor(selection, path, false, unsyncedDisk{}, docs); err != nil {
		t.Fatal(err)
	}
	return trees.DescribeTree(t, path)
}

// restore recreates a cache at path from the output of [trees.DescribeTree].
func restore(t testing.TB, path string, tree map[string]string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(path, DocumentsDir), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, what := range tree {
		if content, ok := strings.CutPrefix(what, "holds "); ok {
			if err := os.WriteFile(filepath.Join(path, filepath.FromSlash(name)), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// namesIn returns the names in dir, or none if dir is missing.
func namesIn(t rapid.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// wantOnly fails the test unless dir contains exactly these names.
func wantOnly(t rapid.TB, dir string, names ...string) {
	t.Helper()
	if got := namesIn(t, dir); !slices.Equal(got, names) {
		t.Errorf("got %q beside the cache, want %q", got, names)
	}
}

// A generation identifies the cache at a path.
func generation(tree, old, new map[string]string) string {
	switch {
	case len(tree) == 0:
		return "absent"
	case maps.Equal(tree, old):
		return "old"
	case maps.Equal(tree, new):
		return "new"
	}
	return fmt.Sprintf("neither: %q", slices.Sorted(maps.Keys(tree)))
}

// termsOf adds the terms of doc to w. For selection 1, doc consists of a single section.
func termsOf(w *Writer, doc document.Document) index.PageTerms {
	if w.options.Recipe.Selection == 0 {
		return w.Terms().AddWords(doc.Content, nil)
	}
	return w.Terms().AddSections(1, func(_ int, add func(words.TermWeight)) index.SectionRecord {
		add(words.WeightOf([]byte("term"), 1))
		return index.SectionRecord{End: len(doc.Content), Length: 1, Traits: 1, Sketch: []byte{1}}
	})
}

func (m Manifest) encode() []byte {
	return encoded(func(e *wire.Encoder) { m.encodeWith(slices.Values(m.Documents), e) })
}

func (m Manifest) encodeFileList() []byte {
	return encoded(func(e *wire.Encoder) { encodeFileList(slices.Values(m.Documents), e) })
}

func encoded(encode func(*wire.Encoder)) []byte {
	e := wire.Indented()
	encode(e)
	return e.Bytes()
}

func manifestIn(t *testing.T, c *Files) Manifest {
	t.Helper()
	m, err := c.UncheckedManifest()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// readWhole opens the cache at path and reads everything in it.
func readWhole(t *testing.T, path string) {
	t.Helper()
	c, err := Open(path)
	if err != nil {
		t.Errorf("open: %v", err)
		return
	}
	defer c.Close()
	reader := c.NewReader()
	m := manifestIn(t, c)
	for _, entry := range m.Documents {
		if _, err := reader.Read(entry); err != nil {
			t.Errorf("read: %v", err)
		}
	}
	if findings, err := c.CheckFileList(m); len(findings) > 0 || err != nil {
		t.Errorf("index: %v, %v", findings, err)
	}
}
