package pipeline_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/modeltest"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// The model is written straight from the contract and shares no code with the
// product; here the two must agree on every byte that the contract fixes.

// compareWithModel fails the test unless built, the files of a cache, are what
// the model makes of sources.
func compareWithModel(t rapid.TB, sources, built map[string]string) {
	t.Helper()
	built = modeltest.WithoutIndex(t, built)
	want, err := modeltest.Build(sources, cache.Epoch)
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

// ask returns the answer of the cache at path. It fails the test unless the answer is
// the same with and without the index.
func ask(t testing.TB, path, query string, budget uint64, pretty bool, jobs int) string {
	t.Helper()
	q, err := selection.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	request := selection.Request{Query: q, Budget: budget, Pretty: pretty, Jobs: jobs}
	bare := modeltest.CopyWithoutIndex(t, path)
	defer os.RemoveAll(bare)
	var results []string
	for _, path := range []string{path, bare} {
		c, err := answers.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var out bytes.Buffer
		if err := c.Resolve(t.Context(), request, &out); err != nil {
			t.Fatal(err)
		}
		results = append(results, out.String())
	}
	if results[0] != results[1] {
		t.Errorf("query %q, budget %d: with the index\n%s, without\n%s", query, budget, results[0], results[1])
	}
	return results[0]
}

func TestBuildAndResolveAgreeWithTheModel(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		sources := modeltest.DrawSources(rt)
		names := rapid.Permutation(slices.Sorted(maps.Keys(sources))).Draw(rt, "order of creation")
		modeltest.WriteTree(t, filepath.Join(dir, "docs"), sources, names...)
		jobs := rapid.SampledFrom([]int{1, 2, 8}).Draw(rt, "jobs")
		path := filepath.Join(dir, "cache")
		cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: path, Jobs: jobs, Selection: selection.Spec0}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			rt.Fatal(err)
		}
		compareWithModel(rt, sources, modeltest.ReadTree(t, path))

		query := modeltest.DrawText(4).Draw(rt, "query")
		budget := rapid.OneOf(rapid.Uint64Range(0, 100), rapid.Uint64()).Draw(rt, "budget")
		pretty := rapid.Bool().Draw(rt, "pretty")
		got := ask(t, path, query, budget, pretty, jobs)
		if want := modeltest.Resolve(sources, query, budget, pretty); got != want {
			rt.Errorf("query %q, budget %d:\n got %s\nwant %s", query, budget, got, want)
		}
		v, err := verify.Path(t.Context(), path, jobs)
		if err != nil || v.Err() != nil {
			rt.Errorf("verify: %v, %v", err, v.Err())
		}
		os.RemoveAll(dir)
	})
}

func TestParallelismAndOrderOfCreationChangeNoByte(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	sources := map[string]string{}
	for i := range 300 {
		// Three in four are equal to others, so that names are contested.
		sources[fmt.Sprintf("d%d/f%d.md", i%7, i)] = fmt.Sprintf("---\nn: %d\n---\n# %d\n", i%80, i%80)
	}
	names := slices.Sorted(maps.Keys(sources))
	var want map[string]string
	for run, jobs := range []int{1, 1, 2, 8, 64} {
		dir := t.TempDir()
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		modeltest.WriteTree(t, filepath.Join(dir, "docs"), sources, names...)
		cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "cache"), Jobs: jobs, Selection: selection.Spec0}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		got := modeltest.ReadTree(t, cfg.Cache)
		if run == 0 {
			compareWithModel(t, sources, got)
			want = got
		}
		if !maps.Equal(got, want) {
			t.Errorf("jobs=%d: the cache differs", jobs)
		}
	}
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
	for name, content := range modeltest.ReadTree(t, corpus) {
		if strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, ".git/") && utf8.ValidString(content) {
			sources[name] = content
		}
	}
	path := filepath.Join(t.TempDir(), "cache")
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: corpus}}, Cache: path, Selection: selection.Spec0}); err != nil {
		t.Fatal(err)
	}
	compareWithModel(t, sources, modeltest.ReadTree(t, path))
	for _, query := range []string{"", "the", "How to INSTALL the agent", "日本語 の", "zzz-none"} {
		for _, budget := range []uint64{0, 1, 4_000, 1_000_000} {
			got := ask(t, path, query, budget, false, 0)
			if want := modeltest.Resolve(sources, query, budget, false); got != want {
				t.Errorf("query %q, budget %d: got %d bytes that differ from the model's %d", query, budget, len(got), len(want))
			}
		}
	}
}
