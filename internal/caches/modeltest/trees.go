package modeltest

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Index is the name of a file in a cache. The model doesn't make it, because other implementations
// may leave it out.
const Index = "selection.idx"

// WriteTree writes files, which are keyed by slash path, below dir in the order of
// names. Without names it writes all of them.
func WriteTree(t rapid.TB, dir string, files map[string]string, names ...string) {
	t.Helper()
	if names == nil {
		names = slices.Sorted(maps.Keys(files))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
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

// ReadTree returns the files below dir by slash path. It is empty without a dir.
func ReadTree(t rapid.TB, dir string) map[string]string {
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

// DescribeTree returns everything at and below path: slash path to the content
// of a file, or to what else is there. It is empty if nothing is at path.
func DescribeTree(t rapid.TB, path string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && p == path {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(path, p)
		if err != nil {
			return err
		}
		what := "is " + e.Type().String()
		if e.Type().IsRegular() {
			var data []byte
			data, err = os.ReadFile(p)
			what = "holds " + string(data)
		}
		found[filepath.ToSlash(name)] = what
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// CopyWithoutIndex copies the cache at path to another path, which it returns, and leaves out the
// index. It fails the test if the index is missing.
func CopyWithoutIndex(t rapid.TB, path string) string {
	t.Helper()
	to := path + "-without-index"
	WriteTree(t, to, WithoutIndex(t, ReadTree(t, path)))
	if err := os.MkdirAll(filepath.Join(to, "documents"), 0o777); err != nil {
		t.Fatal(err)
	}
	return to
}

// WithoutIndex returns the files of a cache except its index. It fails the test if the
// cache has none.
func WithoutIndex(t rapid.TB, built map[string]string) map[string]string {
	t.Helper()
	if built[Index] == "" {
		t.Fatalf("there is no %s", Index)
	}
	rest := maps.Clone(built)
	delete(rest, Index)
	return rest
}

// Words of all kinds with rules in the contract, and separators between them.
var (
	someWords = []string{
		"a", "A", "the", "The", "install", "İstanbul", "i̇stanbul", "ΟΔΟΣ", "οδος", "οδοσ", "Σ", "K", "k", "ß", "ẞ", "日本", "don't",
		"a\u00adb", "\ufeff", "\x00", "\x1c", "\x7f", "🎉", "\"q\"", "back\\slash", "<b>", "&amp;", "Ꟗ", "DŽ", "---", "#", "\U0010ffff",
	}
	someSpaces = []string{" ", "  ", "\n", "\r\n", "\r", "\t", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u202f", "\u3000"}

	// Names are parts of paths. Windows has no quotation marks in them.
	Names = slices.DeleteFunc([]string{"a", "B", "c d", "Ä", "İ", "ΣΑΣ", "日本", "é", "x.y", "-", "_", "~", "\u2028", "q\"", "%20"},
		func(name string) bool { return runtime.GOOS == "windows" && strings.Contains(name, `"`) })
)

// DrawText draws a text. words is the greatest number of its words.
func DrawText(words int) *rapid.Generator[string] {
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

// DrawSources draws a tree of Markdown files. Their IDs differ, but many contents are
// equal.
func DrawSources(t *rapid.T) map[string]string {
	contents := rapid.SliceOfN(DrawText(12), 1, 6).Draw(t, "contents")
	sources, ids := map[string]string{}, map[string]bool{}
	for range rapid.IntRange(0, 20).Draw(t, "files") {
		parts := rapid.SliceOfN(rapid.SampledFrom(Names), 1, 3).Draw(t, "path")
		path := strings.Join(parts, "/") + ".md" // so no file is a directory of another
		if id := ID(path); !ids[id] {
			ids[id] = true
			sources[path] = rapid.SampledFrom(contents).Draw(t, "content")
		}
	}
	return sources
}
