package cache

import (
	"bytes"
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
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/index"
)

// A faultyDisk is the system's disk, but counts its calls and has each of them
// go wrong in the way that fate says. It is for a Writer that is used by one
// goroutine, so that the n-th call is the same in every run.
type faultyDisk struct {
	noExchange bool // as if the system had no such call
	fate       func(n int, c call) fate

	calls  []call
	failed []call
}

// A call is one call of a disk.
type call struct {
	name string
	path string
}

func (c call) String() string { return c.name + " " + filepath.Base(c.path) }

// A fate is how a call goes.
type fate struct {
	err  error // what it returns
	half bool  // it does half of its work; else none if err is set
	die  bool  // afterwards the process is gone
}

// dead is the exit status of a process whose fate was to die.
const dead = 42

// do runs one call. half does a part of what whole does; nil is nothing.
func (d *faultyDisk) do(name, path string, whole, half func() error) error {
	c := call{name, path}
	d.calls = append(d.calls, c)
	var f fate
	if d.fate != nil {
		f = d.fate(len(d.calls), c)
	}
	err := f.err
	switch {
	case f.half && half != nil:
		half()
	case err == nil:
		err = whole()
	}
	if f.die {
		os.Exit(dead)
	}
	if f.err != nil {
		d.failed = append(d.failed, c)
	}
	return err
}

func (d *faultyDisk) mkdir(path string) error {
	return d.do("mkdir", path, func() error { return systemDisk{}.mkdir(path) }, nil)
}

func (d *faultyDisk) writeFile(path string, data []byte) error {
	return d.do("writeFile", path,
		func() error { return systemDisk{}.writeFile(path, data) },
		func() error { return systemDisk{}.writeFile(path, data[:len(data)/2]) })
}

func (d *faultyDisk) streamFile(path string, write func(io.Writer) error) error {
	return d.do("streamFile", path,
		func() error { return systemDisk{}.streamFile(path, write) },
		func() error {
			var whole bytes.Buffer
			if err := write(&whole); err != nil {
				return err
			}
			return systemDisk{}.writeFile(path, whole.Bytes()[:whole.Len()/2])
		})
}

func (d *faultyDisk) link(from, to string) error {
	return d.do("link", from, func() error { return systemDisk{}.link(from, to) }, nil)
}

func (d *faultyDisk) rename(from, to string) error {
	return d.do("rename", from, func() error { return systemDisk{}.rename(from, to) }, nil)
}

func (d *faultyDisk) renameNew(from, to string) error {
	return d.do("renameNew", from, func() error { return systemDisk{}.renameNew(from, to) }, nil)
}

func (d *faultyDisk) exchange(a, b string) error {
	if d.noExchange {
		return errors.ErrUnsupported
	}
	return d.do("exchange", a, func() error { return systemDisk{}.exchange(a, b) }, nil)
}

// The sync calls leave out the syncing: hundreds of builds would wait for the
// real disk, and what it holds after a loss of power cannot be seen from here.

func (d *faultyDisk) syncTree(dir string) error {
	return d.do("syncTree", dir, func() error { return nil }, nil)
}

func (d *faultyDisk) syncDirectory(dir string) error {
	return d.do("syncDirectory", dir, func() error { return nil }, nil)
}

func (d *faultyDisk) removeAll(path string) error {
	if found, _ := lookAt(path); found == nil {
		return nil // there is nothing that could go wrong
	}
	return d.do("removeAll", path,
		func() error { return systemDisk{}.removeAll(path) },
		func() error { return removeSome(path) })
}

// removeSome removes every other file below path.
func removeSome(path string) error {
	n := 0
	return filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if n++; err == nil && !e.IsDir() && n%2 == 0 {
			os.Remove(path)
		}
		return err
	})
}

// An unsyncedDisk is the system's disk without the wait for the real one.
type unsyncedDisk struct{ systemDisk }

func (unsyncedDisk) syncTree(string) error      { return nil }
func (unsyncedDisk) syncDirectory(string) error { return nil }

// oldDocuments and newDocuments are two generations of sources. Some of each
// have equal contents, two have versions of one stem, and two have IDs of one
// suffix, so that a build in another order than theirs renames files.
var (
	oldDocuments = documentsOf("same\n", "a.md", "b.md", "n132544.md", "n50785.md", "old.md")
	newDocuments = slices.Concat(
		documentsOf("same\n", "B.md", "a.md", "n132544.md", "n50785.md"),
		documentsOf("# 30572769\n", "one.md"),
		documentsOf("# 5352758\n", "two.md"),
		documentsOf("", "Ä/empty.md"),
	)
)

// documentsOf returns documents of one content.
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

// build makes the cache of docs at path, putting the last first. It keeps what
// it can.
func build(path string, replace bool, disk disk, docs []document.Document) error {
	return buildFor(0, path, replace, disk, docs)
}

// buildFor is build for a selection.
func buildFor(selection int, path string, replace bool, disk disk, docs []document.Document) error {
	w, err := create(path, Options{Replace: replace, Recipe: Recipe{Selection: selection}, Jobs: 1}, disk)
	if err != nil {
		return err
	}
	defer w.Close()
	var items []Item
	for _, doc := range slices.Backward(docs) {
		item, err := keepOrPut(w, doc)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return seal(w, items)
}

func keepOrPut(w *Writer, doc document.Document) (Item, error) {
	if item, ok, err := w.Previous().Find(doc.ID, doc.Source, doc.Content); ok || err != nil {
		return item, err
	}
	return w.Put(doc, termsOf(w, doc))
}

func seal(w *Writer, items []Item) error {
	slices.SortFunc(items, func(a, b Item) int { return strings.Compare(string(a.ID), string(b.ID)) })
	_, err := w.Seal(context.Background(), items, Epoch)
	return err
}

// treeOf returns the cache of docs as snapshot shows it.
func treeOf(t testing.TB, docs []document.Document) map[string]string {
	t.Helper()
	return treeFor(t, 0, docs)
}

// treeFor is treeOf for a selection.
func treeFor(t testing.TB, selection int, docs []document.Document) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cache")
	if err := buildFor(selection, path, false, &faultyDisk{}, docs); err != nil {
		t.Fatal(err)
	}
	return snapshot(t, path)
}

// snapshot returns everything at and below path: slash path to the content of
// a file, or to what else is there. It is empty if nothing is at path.
func snapshot(t rapid.TB, path string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && p == path {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(path, p)
		if err != nil {
			return err
		}
		what := "is " + e.Type().String()
		if e.Type().IsRegular() {
			var data []byte
			data, err = os.ReadFile(p)
			what = "holds " + string(data)
		}
		found[filepath.ToSlash(name)] = what
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// restore makes at path what snapshot showed of a cache.
func restore(t testing.TB, path string, tree map[string]string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(path, documentsName), 0o777); err != nil {
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

// namesIn returns the names in dir; none if there is no dir.
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

// wantOnly fails the test unless there is nothing in dir but names.
func wantOnly(t rapid.TB, dir string, names ...string) {
	t.Helper()
	if got := namesIn(t, dir); !slices.Equal(got, names) {
		t.Errorf("got %q beside the cache, want %q", got, names)
	}
}

// A generation names what is at a cache's path.
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

// termsOf gives the terms of doc to w. For selection 1 it is one section.
func termsOf(w *Writer, doc document.Document) index.Page {
	if w.options.Recipe.Selection == 0 {
		return w.Terms().AddWords(doc.Content)
	}
	return w.Terms().AddSections(1, func(_ int, add func(term []byte, weight uint32)) index.Section {
		add([]byte("term"), 1)
		return index.Section{End: len(doc.Content), Length: 1, Sketch: []byte{1}}
	})
}
