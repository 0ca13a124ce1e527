package model_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/model"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// The model is written straight from the contract and shares no code with the
// product; here the two must agree on every byte that the contract fixes.

// compareCache fails the test unless the cache at path is what the model makes of sources.
func compareCache(t rapid.TB, sources map[string]string, path string) {
	t.Helper()
	built := trees.ReadTree(t, path)
	if built[trees.Index] == "" {
		t.Fatalf("there is no %s", trees.Index)
	}
	delete(built, trees.Index)
	want, err := model.Build(sources, cache.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(built)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Fatalf("got files %q, want %q", got, want)
	}
	for name, text := range want {
		got := built[name]
		if strings.HasPrefix(name, "documents/") && len(got) > len(text) {
			got = got[:len(text)] // the model ends where the metadata begins
		}
		if got != text {
			t.Errorf("%s: got %.2000q, want %.2000q", name, got, text)
		}
	}
}

// compareAnswer fails the test unless the cache at path gives the answer of the model, with
// and without its index.
func compareAnswer(t rapid.TB, sources map[string]string, path, query string, budget uint64, pretty bool, jobs int) {
	t.Helper()
	q, err := selection.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	bare := trees.CopyWithoutIndex(t, path)
	defer os.RemoveAll(bare)
	for _, path := range []string{path, bare} {
		c, err := answers.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = c.Resolve(context.Background(), selection.Request{Query: q, Budget: budget, Pretty: pretty, Jobs: jobs}, &out)
		c.Close()
		if want := model.Resolve(sources, query, budget, pretty); err != nil || out.String() != want {
			t.Errorf("%s: query %q, budget %d: got %.2000s, %v, want %.2000s", path, query, budget, out.String(), err, want)
		}
	}
}

func buildFrom(t rapid.TB, docs, path string, jobs int) {
	t.Helper()
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path, Jobs: jobs, Selection: selection.Spec0}
	if _, err := pipeline.Build(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
}

func TestBuildAndResolveAgreeWithTheModel(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		docs, path := filepath.Join(dir, "docs"), filepath.Join(dir, "cache")
		sources := trees.DrawSources(rt)
		names := rapid.Permutation(slices.Sorted(maps.Keys(sources))).Draw(rt, "order of creation")
		trees.WriteTree(t, docs, sources, names...)
		jobs := rapid.SampledFrom([]int{1, 2, 8}).Draw(rt, "jobs")
		buildFrom(rt, docs, path, jobs)
		compareCache(rt, sources, path)
		query := trees.DrawText(4).Draw(rt, "query")
		budget := rapid.OneOf(rapid.Uint64Range(0, 100), rapid.Uint64()).Draw(rt, "budget")
		compareAnswer(rt, sources, path, query, budget, rapid.Bool().Draw(rt, "pretty"), jobs)
		v, err := verify.Path(t.Context(), path, jobs)
		if err != nil || v.Err() != nil {
			rt.Errorf("verify: %v, %v", err, v.Err())
		}
		os.RemoveAll(dir)
	})
}

// Corpora of real documentation are other people's work and no part of this
// repository. CONTEXT_CORPORA names a directory that holds some, one in each
// subdirectory.
func TestBuildAndResolveAgreeWithTheModelOnCorpora(t *testing.T) {
	corpora := os.Getenv("CONTEXT_CORPORA")
	if corpora == "" {
		t.Skip("CONTEXT_CORPORA is not set: it names a directory of documentation to compare on")
	}
	entries, err := os.ReadDir(corpora)
	if err != nil || len(entries) == 0 {
		t.Fatalf("no corpora in %s: %v", corpora, err)
	}
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) { compareOnCorpus(t, filepath.Join(corpora, e.Name())) })
	}
}

func compareOnCorpus(t *testing.T, corpus string) {
	sources := map[string]string{}
	for name, content := range trees.ReadTree(t, corpus) {
		if strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, ".git/") && utf8.ValidString(content) {
			sources[name] = content
		}
	}
	path := filepath.Join(t.TempDir(), "cache")
	buildFrom(t, corpus, path, 0)
	compareCache(t, sources, path)
	for _, query := range []string{"", "the", "How to INSTALL the agent", "日本語 の", "zzz-none"} {
		for _, budget := range []uint64{0, 1, 4_000, 1_000_000} {
			compareAnswer(t, sources, path, query, budget, false, 0)
		}
	}
}
