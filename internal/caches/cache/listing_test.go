package cache

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A sound cache is listed from its index. If any file differs, the manifest is decoded.
func TestAListingDoesNotDecodeTheManifestOfASoundCache(t *testing.T) {
	for _, damaged := range []string{"", ManifestPath, fileListName, IndexPath} {
		path := filepath.Join(t.TempDir(), "cache")
		if err := build(path, false, unsyncedDisk{}, newDocuments); err != nil {
			t.Fatal(err)
		}
		if damaged != "" {
			appendTo(t, filepath.Join(path, damaged), " ")
		}
		c, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		want := manifestIn(t, c).Documents
		list, err := c.List()
		if err != nil {
			t.Fatal(err)
		}
		var entries []Entry
		if err := list.EachBatch(func(first int, batch []Entry) error {
			if first != len(entries) {
				t.Errorf("got a batch at %d, want %d", first, len(entries))
			}
			entries = append(entries, batch...)
			return nil
		}); err != nil || !slices.Equal(entries, want) || list.Len() != len(want) {
			t.Errorf("%s: got %v, %v, want %v", damaged, entries, err, want)
		}
		if isDecoded := list.Manifest.Documents != nil; isDecoded != (damaged != "") {
			t.Errorf("%q is damaged: decoded is %t", damaged, isDecoded)
		}
		list.Close()
		c.Close()
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(data, text...), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
