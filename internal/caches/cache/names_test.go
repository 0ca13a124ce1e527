package cache

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/trees"
)

func byID(a, b document.Document) int { return strings.Compare(string(a.ID), string(b.ID)) }

// contested contains documents with equal contents, stems and suffixes, which need
// different names.
var contested = slices.Concat(
	documentsOf("same\n", "n50785.md", "n132544.md", "a.md", "b.md", "c/d.md", "zz.md"),
	documentsOf("# 30572769\n", "one.md", "three.md", "N50785x.md"),
	documentsOf("# 5352758\n", "two.md", "four.md"),
	documentsOf("alone\n", "alone.md"),
)

// putAll makes the cache of docs at path. Several goroutines put the documents in the
// order of docs.
func putAll(t rapid.TB, path string, docs []document.Document, jobs int) map[string]string {
	t.Helper()
	w, err := create(path, CreateOptions{Replace: true}, unsyncedDisk{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	items := make([]NewDocument, len(docs))
	errs := make([]error, len(docs))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(docs); i = int(next.Add(1)) - 1 {
				items[i], errs[i] = keepOrPut(w, docs[i])
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := seal(w, items); err != nil {
		t.Fatal(err)
	}
	return trees.DescribeTree(t, path)
}

func TestNamesDependNeitherOnTheOrderOfPutNorOnParallelism(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(0, len(contested)).Draw(rt, "documents")
		docs := rapid.Permutation(contested).Draw(rt, "which")[:size]
		want := putAll(rt, path, slices.SortedFunc(slices.Values(docs), byID), 1)
		for _, jobs := range []int{1, 2, 8} {
			order := rapid.Permutation(docs).Draw(rt, "order")
			if got := putAll(rt, path, order, jobs); !maps.Equal(got, want) {
				rt.Errorf("jobs=%d: got files %q, want %q", jobs, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
		}
		wantOnly(rt, filepath.Dir(path), "cache")
	})
}

// The first document by ID keeps the stem. The others add 8 digits of the hash of their
// ID, or all digits if the first 8 are taken.
func TestDocumentsWithOneStemAreToldApart(t *testing.T) {
	const (
		same  = "a6328afc76e9"
		digit = "2b1d75dc"
		whole = "2b1d75dc4cf046979c6174c51aa9f9d967881b980bdfffacfddf00e1441096b5"
	)
	for _, tc := range []struct {
		docs []document.Document
		want map[string]string // by ID
	}{
		{documentsOf("same\n", "a.md", "n132544.md", "n50785.md"), map[string]string{
			"a.md": same + ".json", "n132544.md": same + "-" + digit + ".json", "n50785.md": same + "-" + whole + ".json",
		}},
		{documentsOf("same\n", "n132544.md", "n50785.md"), map[string]string{
			"n132544.md": same + ".json", "n50785.md": same + "-" + digit + ".json",
		}},
		{documentsOf("same\n", "n132544.md", "n50785.md", "z.md"), map[string]string{
			"n132544.md": same + ".json", "n50785.md": same + "-" + digit + ".json", "z.md": same + "-8195fbfb.json",
		}},
		{
			slices.Concat(documentsOf("# 30572769\n", "one.md"), documentsOf("# 5352758\n", "two.md")),
			map[string]string{"one.md": "7e099f9843d3.json", "two.md": "7e099f9843d3-09f41a3f.json"},
		},
	} {
		for order := range permutations(tc.docs) {
			path := filepath.Join(t.TempDir(), "cache")
			putAll(t, path, order, 1)
			c, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, e := range manifestIn(t, c).Documents {
				got[string(e.ID)] = strings.TrimPrefix(e.File, "documents/")
			}
			c.Close()
			if !maps.Equal(got, tc.want) {
				t.Errorf("put as %v: got %v, want %v", sourcesOf(order), got, tc.want)
			}
			readWhole(t, path)
		}
	}
}

// permutations yields docs in every order.
func permutations(docs []document.Document) func(yield func([]document.Document) bool) {
	return func(yield func([]document.Document) bool) {
		if len(docs) == 0 {
			yield(nil)
			return
		}
		for i, first := range docs {
			rest := slices.Concat(docs[:i], docs[i+1:])
			for order := range permutations(rest) {
				if !yield(append([]document.Document{first}, order...)) {
					return
				}
			}
		}
	}
}

func sourcesOf(docs []document.Document) (sources []string) {
	for _, doc := range docs {
		sources = append(sources, doc.Source)
	}
	return sources
}
