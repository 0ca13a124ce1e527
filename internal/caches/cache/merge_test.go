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
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/caches/modeltest"
)

// mergeTwo merges two caches in dir, one of them below a prefix. It keeps no terms in
// memory, and no index open.
func mergeTwo(dir, path string, mayReplace bool, disk replace.Disk) error {
	var inputs []*MergeInput
	for _, in := range [][2]string{{"plain", ""}, {"below", "API/v2"}} {
		m, err := OpenMergeInput(filepath.Join(dir, in[0]), in[1], false)
		if err != nil {
			return err
		}
		defer m.Close()
		inputs = append(inputs, m)
	}
	gained := func(string, document.ID) ([]words.TermWeight, error) {
		return []words.TermWeight{words.WeightOf([]byte("gained"), 2)}, nil
	}
	_, err := Merge(context.Background(), path, inputs, MergeOptions{
		Replace: mayReplace, Recipe: Recipe{Selection: inputs[0].Selection}, CreatedAt: Epoch, Jobs: 1, Gained: gained,
		memory: 1, disk: disk,
	})
	return err
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
		inputs := modeltest.DescribeTree(t, dir)
		whole := filepath.Join(t.TempDir(), "whole")
		if err := mergeTwo(dir, whole, false, unsyncedDisk{}); err != nil {
			t.Fatal(err)
		}
		old, new := treeFor(t, selection, oldDocuments), modeltest.DescribeTree(t, whole)
		for at, last := 1, false; !last; at++ {
			path := filepath.Join(t.TempDir(), "cache")
			restore(t, path, old)
			disk := &failingDisk{at: at, errno: errnos[at%len(errnos)]}
			err := mergeTwo(dir, path, true, disk)
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
			if got := generation(modeltest.DescribeTree(t, path), old, new); got != want {
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
		if got := modeltest.DescribeTree(t, dir); fmt.Sprint(got) != fmt.Sprint(inputs) {
			t.Error("the inputs changed")
		}
	}
}

// An input that another process replaces during a merge is noticed.
func TestAMergeNoticesThatAnInputWasReplaced(t *testing.T) {
	dir := makeInputs(t, 1)
	path := filepath.Join(dir, "plain")
	m, err := OpenMergeInput(path, "", false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := buildFor(1, path, true, unsyncedDisk{}, oldDocuments); err != nil {
		t.Fatal(err)
	}
	_, err = Merge(t.Context(), filepath.Join(dir, "out"), []*MergeInput{m}, MergeOptions{CreatedAt: Epoch, disk: unsyncedDisk{}})
	if fault.CodeOf(err) != fault.IO || !errors.Is(err, errReplaced) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "out")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the merge left a cache: %v", err)
	}
}

func TestAnInterruptedMergeLeavesNothing(t *testing.T) {
	dir := makeInputs(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m, err := OpenMergeInput(filepath.Join(dir, "plain"), "", true)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = Merge(ctx, filepath.Join(dir, "out"), []*MergeInput{m}, MergeOptions{CreatedAt: Epoch, disk: unsyncedDisk{}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	wantOnly(t, dir, "below", "plain")
}

// Two IDs that merge inputs share are named, but not all of a million.
func TestAMergeNamesIDsThatInputsShare(t *testing.T) {
	var found clashes
	a, b := &MergeInput{Path: "a"}, &MergeInput{Path: "b"}
	if err := found.err(); err != nil {
		t.Error(err)
	}
	for i := range 12 {
		found.add(document.ID(fmt.Sprint(i, ".md")), a, b)
	}
	err := found.err()
	if !errors.Is(err, ErrClash) || !strings.HasPrefix(err.Error(), "caches contain the same IDs: 0.md in a and b; 1.md in a and b; ") ||
		!strings.HasSuffix(err.Error(), "9.md in a and b; and 2 more") {
		t.Errorf("got %v", err)
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

// The file of a document below a prefix is the file that a build below the prefix writes.
func FuzzRewrite(f *testing.F) {
	for _, doc := range append(oddDocuments, newDocuments...) {
		data := encodedDocument(doc)
		_, layout, err := decodeDocument(bytes.Clone(data))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, string(doc.ID), uint32(layout.contentStart))
	}
	f.Fuzz(func(t *testing.T, data []byte, id string, contentOffset uint32) {
		doc, layout, invalid := decodeDocument(bytes.Clone(data))
		m := MergeInput{Prefix: "API/v2"}
		record := index.Record{ID: document.ID(id), Version: doc.Version, ContentOffset: min(int64(contentOffset), int64(len(data)))}
		isOurs := invalid == nil && bytes.Equal(encodedDocument(doc), data) && document.IDOf(doc.Source) == doc.ID &&
			doc.ID == record.ID && int64(layout.contentStart) == record.ContentOffset
		got, err := m.rewrite(&record, bytes.Clone(data))
		if err != nil || !isOurs {
			if isOurs {
				t.Errorf("got %v", err)
			}
			return
		}
		doc.ID, doc.Source = "api/v2/"+doc.ID, "API/v2/"+doc.Source
		if want := encodedDocument(doc); !bytes.Equal(got, want) || record.ID != doc.ID {
			t.Errorf("got %q, %s, want %s", record.ID, got, want)
		}
		if again, layout, err := decodeDocument(got); err != nil || int64(layout.contentStart) != record.ContentOffset {
			t.Errorf("got the offset %d, want %d of %v, %v", record.ContentOffset, layout.contentStart, again.ID, err)
		}
	})
}
