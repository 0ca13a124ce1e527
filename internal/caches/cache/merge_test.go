package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/base/trees"
)

// mergeTwo merges two caches in dir, one of them below a prefix. It keeps no terms in
// memory.
func mergeTwo(selection int, dir, path string, mayReplace bool, disk replace.Disk) error {
	var inputs []*Previous
	for _, name := range []string{"plain", "below"} {
		p, err := OpenToMerge(filepath.Join(dir, name), "")
		if err != nil {
			return err
		}
		defer p.Close()
		inputs = append(inputs, p)
	}
	w, err := create(path, CreateOptions{Replace: mayReplace, Recipe: Recipe{Selection: selection}, Keep: inputs, Jobs: 1, Memory: 1}, disk)
	if err != nil {
		return err
	}
	defer w.Close()
	kept, err := inputs[0].KeepAll(context.Background(), 1, nil)
	if err != nil {
		return err
	}
	put, err := inputs[1].KeepAll(context.Background(), 1, func(_ NewDocument, doc document.Document) (NewDocument, error) {
		doc.ID, doc.Source = "api/v2/"+doc.ID, "API/v2/"+doc.Source
		return w.Put(doc, termsOf(w, doc))
	})
	if err != nil {
		return err
	}
	items := append(kept, put...)
	if err := w.Sort(items); err != nil {
		return err
	}
	return seal(w, items)
}

// makeInputs builds the caches that mergeTwo merges.
func makeInputs(t *testing.T, selection int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, docs := range map[string][]document.Document{"plain": newDocuments, "below": contested} {
		if err := buildFor(selection, filepath.Join(dir, name), false, unsyncedDisk{}, docs); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// If a single call of a merge fails, the error contains its cause, and neither the old
// cache nor the inputs change.
func TestAMergeThatFailsChangesNothing(t *testing.T) {
	errnos := []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EACCES}
	for selection := range 2 {
		dir := makeInputs(t, selection)
		inputs := trees.DescribeTree(t, dir)
		whole := filepath.Join(t.TempDir(), "whole")
		if err := mergeTwo(selection, dir, whole, false, unsyncedDisk{}); err != nil {
			t.Fatal(err)
		}
		old, new := treeFor(t, selection, oldDocuments), trees.DescribeTree(t, whole)
		for at, last := 1, false; !last; at++ {
			path := filepath.Join(t.TempDir(), "cache")
			restore(t, path, old)
			disk := &failingDisk{at: at, errno: errnos[at%len(errnos)]}
			err := mergeTwo(selection, dir, path, true, disk)
			last = len(disk.calls) < at
			name := fmt.Sprintf("selection %d, call %d %s", selection, at, disk.calls[len(disk.calls)-1])
			isNamed := err != nil && (strings.Contains(err.Error(), filepath.Dir(path)) || disk.calls[at-1] == "scratchRead") // the system names it
			isHarmless := last || disk.calls[at-1] == "link"                                                                  // instead, it makes a copy
			want := "old"
			if isHarmless {
				want = "new"
			}
			if isHarmless != (err == nil) || err != nil && (fault.CodeOf(err) != fault.IO || !errors.Is(err, disk.errno) || !isNamed) {
				t.Errorf("%s: got %v, want %v at %s", name, err, disk.errno, path)
			}
			if got := generation(trees.DescribeTree(t, path), old, new); got != want {
				t.Errorf("%s: the cache is %s, want %s", name, got, want)
			}
			wantOnly(t, filepath.Dir(path), "cache")
			if last {
				names := []string{"mkdir", "link", "writeFile", "streamFile", "syncTree", "scratch", "scratchWrite"}
				if selection == 1 {
					names = append(names, "scratchRead")
				}
				wantAll(t, disk.calls, names...)
			}
		}
		if got := trees.DescribeTree(t, dir); fmt.Sprint(got) != fmt.Sprint(inputs) {
			t.Error("the inputs changed")
		}
	}
}

// An input that another process replaces during a merge is noticed.
func TestAMergeNoticesThatAnInputWasReplaced(t *testing.T) {
	dir := makeInputs(t, 1)
	path := filepath.Join(dir, "plain")
	w, items := keepOnly(t, path, filepath.Join(dir, "out"))
	if err := buildFor(1, path, true, unsyncedDisk{}, oldDocuments); err != nil {
		t.Fatal(err)
	}
	err := seal(w, items)
	if fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), path+" was moved") {
		t.Errorf("got %v", err)
	}
	w.Close()
	if _, err := os.Lstat(filepath.Join(dir, "out")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the merge left a cache: %v", err)
	}
}

// keepOnly begins a cache at path with all documents of another cache.
func keepOnly(t *testing.T, from, path string) (*Writer, []NewDocument) {
	t.Helper()
	p, err := OpenToMerge(from, "")
	if err != nil {
		t.Fatal(err)
	}
	w, err := create(path, CreateOptions{Recipe: Recipe{Selection: p.Selection}, Keep: []*Previous{p}}, unsyncedDisk{})
	if err != nil {
		t.Fatal(err)
	}
	items, err := p.KeepAll(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w, items
}

func TestAnInterruptedMergeLeavesNothing(t *testing.T) {
	dir := makeInputs(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	w, items := keepOnly(t, filepath.Join(dir, "plain"), filepath.Join(dir, "out"))
	cancel()
	if _, err := w.kept[0].KeepAll(ctx, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("keep: got %v", err)
	}
	if _, _, err := w.Seal(ctx, items, Epoch); !errors.Is(err, context.Canceled) {
		t.Errorf("seal: got %v", err)
	}
	w.Close()
	wantOnly(t, dir, "below", "plain")
}

// Two IDs that merge inputs share are named, but not all of a million.
func TestAMergeNamesIDsThatInputsShare(t *testing.T) {
	w := &Writer{kept: []*Previous{{cache: &Files{path: "a"}}, {cache: &Files{path: "b"}}}}
	var items []NewDocument
	for i := range 12 {
		for from := range uint16(2) {
			items = append(items, NewDocument{ID: document.ID(fmt.Sprintf("%02d.md", i)), from: 1 - from})
		}
	}
	err := w.Sort(items)
	if !errors.Is(err, ErrClash) || !strings.HasPrefix(err.Error(), "caches contain the same IDs: 00.md in a and b; 01.md in a and b; ") ||
		!strings.HasSuffix(err.Error(), "09.md in a and b; and 2 more") {
		t.Errorf("got %v", err)
	}
	if err := w.Sort(items[:1]); err != nil {
		t.Error(err)
	}
}

// A merge reads the same time as other readers of a manifest, and never anything else.
func FuzzCreatedAt(f *testing.F) {
	for _, at := range []string{Epoch, "2026-11-23 07:00:00Z", "2026-11-23T07:00:00.123456789+14:00", "\"\\ü\u2028"} {
		m := manifestOf(oldDocuments)
		m.CreatedAt = at
		f.Add(m.encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := createdAtOf(data[:min(len(data), maxManifestHead)])
		if err == nil {
			if _, err := time.Parse(time.RFC3339, strings.Replace(got, " ", "T", 1)); err != nil {
				t.Error(err)
			}
		}
		m, invalid := decodeManifest(data)
		if invalid == nil && bytes.Equal(m.encode(), data) && (err != nil || got != m.CreatedAt) {
			t.Errorf("got %q, %v, want %q", got, err, m.CreatedAt)
		}
	})
}
