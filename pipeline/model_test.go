package pipeline_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/modeltest"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// The model is written straight from the contract and shares no code with the
// product; here the two must agree on every byte that the contract fixes.

// writeTree writes files below dir in the order of names.
func writeTree(t testing.TB, dir string, files map[string]string, names []string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// readTree returns the files below dir by slash path, none if there is no dir.
func readTree(t rapid.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return files
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// selectionIndex is a file that the model knows nothing of: it is derived, and
// verify compares it with what it is derived from.
const selectionIndex = "selection.idx"

// withoutIndex returns the files of a cache that every cache has. It fails the
// test if there is no selection index.
func withoutIndex(t rapid.TB, built map[string]string) map[string]string {
	t.Helper()
	if built[selectionIndex] == "" {
		t.Fatalf("there is no %s", selectionIndex)
	}
	rest := maps.Clone(built)
	delete(rest, selectionIndex)
	return rest
}

// compareWithModel fails the test unless built, the files of a cache, are what
// the model makes of sources.
func compareWithModel(t rapid.TB, sources, built map[string]string) {
	t.Helper()
	built = withoutIndex(t, built)
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

// resolve returns what Resolve says of the cache at path. It fails the test
// unless it says the same with the selection index and without.
func resolve(t testing.TB, path, query string, budget uint64, pretty bool, jobs int) string {
	t.Helper()
	q, err := selection.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	request := pipeline.Request{Query: q, Budget: budget, Pretty: pretty, Jobs: jobs}
	var answers []string
	for _, open := range []func(string) (*cache.Cache, error){cache.Open, cache.OpenToSelect} {
		c, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var out bytes.Buffer
		if err := pipeline.Resolve(t.Context(), c, request, &out); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, out.String())
	}
	if answers[0] != answers[1] {
		t.Errorf("query %q, budget %d: without the index\n%s, with it\n%s", query, budget, answers[0], answers[1])
	}
	return answers[0]
}

// Words of all kinds that the contract has rules for, and what stands between.
var (
	someWords = []string{
		"a", "A", "the", "The", "install", "İstanbul", "i̇stanbul", "ΟΔΟΣ", "οδος", "οδοσ", "Σ", "K", "k", "ß", "ẞ", "日本", "don't",
		"a\u00adb", "\ufeff", "\x00", "\x1c", "\x7f", "🎉", "\"q\"", "back\\slash", "<b>", "&amp;", "Ꟗ", "DŽ", "---", "#", "\U0010ffff",
	}
	someSpaces = []string{" ", "  ", "\n", "\r\n", "\r", "\t", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u202f", "\u3000"}
	someNames  = []string{"a", "B", "c d", "Ä", "İ", "ΣΑΣ", "日本", "é", "x.y", "-", "_", "~", "\u2028", "q\"", "%20"}
)

func drawText(words int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var text strings.Builder
		for range rapid.IntRange(0, words).Draw(t, "words") {
			text.WriteString(rapid.SampledFrom(someWords).Draw(t, "word"))
			if rapid.IntRange(0, 3).Draw(t, "glued") > 0 {
				text.WriteString(rapid.SampledFrom(someSpaces).Draw(t, "space"))
			}
		}
		return text.String()
	})
}

// drawSources draws a tree of Markdown files without two of one ID, many of
// which are equal.
func drawSources(t *rapid.T) map[string]string {
	contents := rapid.SliceOfN(drawText(12), 1, 6).Draw(t, "contents")
	sources, ids := map[string]string{}, map[string]bool{}
	for range rapid.IntRange(0, 20).Draw(t, "files") {
		parts := rapid.SliceOfN(rapid.SampledFrom(someNames), 1, 3).Draw(t, "path")
		path := strings.Join(parts, "/") + ".md"
		// A file cannot lie in a directory of the name of a file: those
		// end in .md. An ID must not stand twice.
		if id := modeltest.ID(path); !ids[id] {
			ids[id] = true
			sources[path] = rapid.SampledFrom(contents).Draw(t, "content")
		}
	}
	return sources
}

func TestBuildAndResolveAgreeWithTheModel(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		sources := drawSources(rt)
		names := rapid.Permutation(slices.Sorted(maps.Keys(sources))).Draw(rt, "order of creation")
		if err := os.MkdirAll(filepath.Join(dir, "docs"), 0o777); err != nil {
			t.Fatal(err)
		}
		writeTree(t, filepath.Join(dir, "docs"), sources, names)
		jobs := rapid.SampledFrom([]int{1, 2, 8}).Draw(rt, "jobs")
		path := filepath.Join(dir, "cache")
		cfg := pipeline.Config{Sources: filepath.Join(dir, "docs"), Cache: path, Jobs: jobs}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			rt.Fatal(err)
		}
		compareWithModel(rt, sources, readTree(t, path))

		query := drawText(4).Draw(rt, "query")
		budget := rapid.OneOf(rapid.Uint64Range(0, 100), rapid.Uint64()).Draw(rt, "budget")
		pretty := rapid.Bool().Draw(rt, "pretty")
		got := resolve(t, path, query, budget, pretty, jobs)
		if want := modeltest.Resolve(sources, query, budget, pretty); got != want {
			rt.Errorf("query %q, budget %d:\n got %s\nwant %s", query, budget, got, want)
		}
		v, err := pipeline.Verify(t.Context(), path, jobs)
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
		writeTree(t, filepath.Join(dir, "docs"), sources, names)
		cfg := pipeline.Config{Sources: filepath.Join(dir, "docs"), Cache: filepath.Join(dir, "cache"), Jobs: jobs}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		got := readTree(t, cfg.Cache)
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
	for name, content := range readTree(t, corpus) {
		if strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, ".git/") && utf8.ValidString(content) {
			sources[name] = content
		}
	}
	path := filepath.Join(t.TempDir(), "cache")
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: corpus, Cache: path}); err != nil {
		t.Fatal(err)
	}
	compareWithModel(t, sources, readTree(t, path))
	for _, query := range []string{"", "the", "How to INSTALL the agent", "日本語 の", "zzz-none"} {
		for _, budget := range []uint64{0, 1, 4_000, 1_000_000} {
			got := resolve(t, path, query, budget, false, 0)
			if want := modeltest.Resolve(sources, query, budget, false); got != want {
				t.Errorf("query %q, budget %d: got %d bytes that differ from the model's %d", query, budget, len(got), len(want))
			}
		}
	}
}
