package cache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/trees"
)

// A build may replace any cache, complete or damaged, but nothing else that contains
// anything.
func TestOnlyACacheIsReplaced(t *testing.T) {
	tree := treeOf(t, oldDocuments)
	for name, change := range map[string]func(path string) error{
		"no manifest":                func(p string) error { return os.Remove(filepath.Join(p, ManifestPath)) },
		"no documents":               func(p string) error { return os.RemoveAll(filepath.Join(p, DocumentsDir)) },
		"a file more":                func(p string) error { return os.WriteFile(filepath.Join(p, "notes.txt"), nil, 0o666) },
		"a directory more":           func(p string) error { return os.Mkdir(filepath.Join(p, "notes"), 0o777) },
		"a file among the documents": func(p string) error { return os.WriteFile(filepath.Join(p, DocumentsDir, "notes.json"), nil, 0o666) },
		"a directory of documents":   func(p string) error { return os.Mkdir(filepath.Join(p, DocumentsDir, "a6328afc76e9-x.json"), 0o777) },
	} {
		path := filepath.Join(t.TempDir(), "cache")
		restore(t, path, tree)
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		before := trees.DescribeTree(t, path)
		err := build(path, true, unsyncedDisk{}, newDocuments)
		if err == nil || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), "is not a cache") {
			t.Errorf("%s: got %v, want %v", name, err, fault.IO)
		}
		if got := generation(trees.DescribeTree(t, path), before, nil); got != "old" {
			t.Errorf("%s: it is %s, want it left alone", name, got)
		}
		wantOnly(t, filepath.Dir(path), "cache")
	}
}

// The order of names in a directory depends on the file system, but errors must not.
func TestARefusalNamesTheFirstForeignFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	restore(t, path, treeOf(t, oldDocuments))
	for _, name := range []string{"notes", "z.json", "a.json", "m"} {
		if err := os.WriteFile(filepath.Join(path, DocumentsDir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := build(path, true, unsyncedDisk{}, newDocuments); err == nil || !strings.Contains(err.Error(), "contains documents/a.json)") {
		t.Errorf("got %v, want an error about documents/a.json", err)
	}
}
