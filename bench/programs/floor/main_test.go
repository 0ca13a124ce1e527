package main

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
)

func TestEveryPageIsCopiedWithItsHash(t *testing.T) {
	sources, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	pages := []string{"# A\n", "# B\n\n| a |\n| - |\n"}
	for i, name := range []string{"a.md", "sub/b.md"} {
		path := filepath.Join(sources, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(pages[i]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(sources, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := copyPages(sources, out); err != nil {
		t.Fatal(err)
	}
	copies, err := os.ReadDir(out)
	if err != nil || len(copies) != len(pages) {
		t.Fatalf("got %d copies and %v, want %d", len(copies), err, len(pages))
	}
	for i, page := range pages {
		sum := sha256.Sum256([]byte(page))
		got, err := os.ReadFile(filepath.Join(out, copies[i].Name()))
		if want := page + string(sum[:]); err != nil || string(got) != want {
			t.Errorf("got %q and %v, want %q", got, err, want)
		}
	}
}
