// Package trees writes, reads and draws directories for tests.
package trees

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

// Index is the name of the index in a cache.
const Index = "selection.idx"

// WriteTree writes files, which are keyed by slash path, below dir in the order of
// names. Without names it writes all of them.
func WriteTree(t rapid.TB, dir string, files map[string]string, names ...string) {
	t.Helper()
	if names == nil {
		names = slices.Sorted(maps.Keys(files))
	}
	err := os.MkdirAll(dir, 0o777)
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(files[name]), 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ReadTree returns the regular files below dir by slash path. It is empty without a dir.
func ReadTree(t rapid.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for name, what := range DescribeTree(t, dir) {
		if content, isFile := strings.CutPrefix(what, "holds "); isFile {
			files[name] = content
		}
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
		what := "is " + e.Type().String()
		if e.Type().IsRegular() {
			var data []byte
			data, err = os.ReadFile(p)
			what = "holds " + string(data)
		}
		name, wrong := filepath.Rel(path, p)
		found[filepath.ToSlash(name)] = what
		return errors.Join(err, wrong)
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
	err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(path)), os.Remove(filepath.Join(to, Index)))
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// Words of all kinds with rules in the contract, and separators between them.
var (
	someWords = []string{
		"a", "A", "the", "The", "install", "İstanbul", "i̇stanbul", "ΟΔΟΣ", "οδος", "οδοσ", "Σ", "K", "k", "ß", "ẞ", "日本", "don't",
		"a\u00adb", "\ufeff", "\x00", "\x1c", "\x7f", "🎉", "\"q\"", "back\\slash", "<b>", "&amp;", "Ꟗ", "DŽ", "---", "#", "\U0010ffff",
	}
	someSpaces = []string{" ", "  ", "\n", "\r\n", "\r", "\t", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u202f", "\u3000"}

	// Names are parts of paths, different even in lower case. Windows has no quotation marks in
	// them.
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
	sources := map[string]string{}
	for range rapid.IntRange(0, 20).Draw(t, "files") {
		parts := rapid.SliceOfN(rapid.SampledFrom(Names), 1, 3).Draw(t, "path")
		path := strings.Join(parts, "/") + ".md" // so no file is a directory of another
		sources[path] = rapid.SampledFrom(contents).Draw(t, "content")
	}
	return sources
}
