package cache

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/base/wire"
)

// A kept document uses the same file if it has the same name. Otherwise, it needs
// another file, because tools that compare only size and time could confuse it with the
// previous owner of the name.
func TestAKeptDocumentHasItsFileOnlyUnderItsName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	if err := build(path, false, unsyncedDisk{}, documentsOf("same\n", "a.md", "b.md", "c.md")); err != nil {
		t.Fatal(err)
	}
	before := statsOf(t, path, "a.md", "b.md", "c.md")
	docs := append(documentsOf("same\n", "b.md", "c.md"), documentsOf("new\n", "d.md")...)
	if err := build(path, true, unsyncedDisk{}, docs); err != nil {
		t.Fatal(err)
	}
	after := statsOf(t, path, "b.md", "c.md")
	if !os.SameFile(after["c.md"], before["c.md"]) {
		t.Error("c.md has its name, but another file")
	}
	if os.SameFile(after["b.md"], before["b.md"]) {
		t.Error("b.md has another name, but the same file")
	}
}

func statsOf(t *testing.T, path string, ids ...document.ID) map[document.ID]os.FileInfo {
	t.Helper()
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	stats := map[document.ID]os.FileInfo{}
	for _, entry := range manifestIn(t, c).Documents {
		found, err := os.Stat(filepath.Join(path, entry.File))
		if err != nil {
			t.Fatal(err)
		}
		stats[entry.ID] = found
	}
	for _, id := range ids {
		if stats[id] == nil {
			t.Fatalf("there is no %s", id)
		}
	}
	return stats
}

// A build without reuse reads nothing but the manifest of the old cache.
func TestABuildWithoutReuseReadsNoIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	if err := build(path, false, unsyncedDisk{}, oldDocuments); err != nil {
		t.Fatal(err)
	}
	for _, noReuse := range []bool{false, true} {
		w, err := create(path, CreateOptions{Replace: true, NoReuse: noReuse}, unsyncedDisk{})
		if err != nil {
			t.Fatal(err)
		}
		previous := w.Previous()
		if got := previous.index != nil; got == noReuse || previous.isReusable() == noReuse {
			t.Errorf("no reuse: %v: the index is open: %v", noReuse, got)
		}
		var entries []Entry
		for e, err := range previous.Entries {
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, e)
		}
		if want := manifestOf(oldDocuments); previous.Version != want.Version || !slices.Equal(entries, want.Documents) {
			t.Errorf("no reuse: %v: got %v, %v, want %v", noReuse, previous.Version, entries, want)
		}
		w.Close()
	}
}

// Between the check of a document and its hard link, another process could write to the
// document or replace the cache. Neither may change the new cache.
func TestWhatChangesDuringABuildIsNotKept(t *testing.T) {
	docs := documentsOf("a\n", "a.md")
	more := append(documentsOf("b\n", "b.md"), docs...)
	for name, test := range map[string]struct {
		change func(t *testing.T, path string)
		cause  error // nil if the error does not contain it
	}{
		"the document": {func(t *testing.T, path string) {
			file := onlyDocument(t, path)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)/2] ^= 1
			if err := os.WriteFile(file, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}, errNotAsMade},
		"that there is a document": {func(t *testing.T, path string) {
			if err := os.Remove(onlyDocument(t, path)); err != nil {
				t.Fatal(err)
			}
		}, fs.ErrNotExist},
		"the cache": {func(t *testing.T, path string) {
			if runtime.GOOS == "windows" {
				t.Skip("a directory that is open cannot be renamed on Windows")
			}
			if err := os.Rename(path, path+"-moved"); err != nil {
				t.Fatal(err)
			}
			if err := build(path, false, unsyncedDisk{}, documentsOf("a\n", "A.md")); err == nil {
				t.Fatal("two builds at once")
			}
			restore(t, path, trees.DescribeTree(t, path+"-moved"))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "cache")
			if err := build(path, false, unsyncedDisk{}, docs); err != nil {
				t.Fatal(err)
			}
			w, err := create(path, CreateOptions{Replace: true}, unsyncedDisk{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			var items []NewDocument
			for _, doc := range more {
				item, err := keepOrPut(w, doc)
				if err != nil {
					t.Fatal(err)
				}
				items = append(items, item)
			}
			test.change(t, path)
			err = seal(w, items)
			if err == nil || fault.CodeOf(err) != fault.IO || test.cause != nil && !errors.Is(err, test.cause) {
				t.Errorf("got %v, want %v because of %v", err, fault.IO, test.cause)
			}
		})
	}
}

// onlyDocument returns the path of the file of the only document in a cache.
func onlyDocument(t *testing.T, path string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(path, DocumentsDir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

// Rebuilds skip the metadata of documents without a key, even if a value looks like the key.
func TestMetadataIsDecodedIfItContainsTheKey(t *testing.T) {
	for _, tc := range []struct {
		metadata document.Metadata
		want     bool
	}{
		{document.Metadata{"markdown": document.Text("mdx")}, true},
		{document.Metadata{"markdown": document.Number(1), "title": document.Text("T")}, true},
		{document.Metadata{"title": document.Text(`"markdown":`)}, false},
		{document.Metadata{"title": document.Text("markdown")}, false},
		{document.Metadata{}, false},
	} {
		var e wire.Encoder
		layout := encodeDocument(&e, document.Document{Metadata: tc.metadata})
		got, err := metadataAt(e.Bytes(), int64(layout.contentEnd), "markdown")
		if err != nil || len(got) > 0 != tc.want || tc.want && !maps.Equal(got, tc.metadata) {
			t.Errorf("%v: got %v, %v, want it decoded: %v", tc.metadata, got, err, tc.want)
		}
	}
}
