// A tree of files, some of them ignore files, and a walker following the rules of the package for
// walkers.

package ignore_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/ignore"
)

// A tree is a tree of files for the tests.
type tree struct {
	root  string            // where it is on disk, if it is
	files map[string]string // the texts of its ignore files, by directory
	paths []string          // slash paths; a directory's ends in '/'
}

// leftOut returns, for each path of the tree, whether a walker leaves it out.
func (c tree) leftOut() []bool {
	verdicts := make([]bool, len(c.paths))
	for i, path := range c.paths {
		verdicts[i] = c.leavesOut(path)
	}
	return verdicts
}

// leavesOut goes down to path and reports whether it is stopped on the way.
func (c tree) leavesOut(path string) bool {
	path, isDir := strings.CutSuffix(path, "/")
	rules := ignore.Rules{}.With(".", []byte(c.files["."]))
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		dir := path[:i]
		if rules.Match(dir, true) {
			return true
		}
		rules = rules.With(dir, []byte(c.files[dir]))
	}
	return rules.Match(path, isDir)
}

// write puts the tree on disk; its ignore files are called name.
func (c tree) write(t *testing.T, name string) {
	t.Helper()
	for _, path := range c.paths {
		if strings.HasSuffix(path, "/") {
			makeDir(t, filepath.Join(c.root, path))
		} else {
			writeFile(t, filepath.Join(c.root, path), "")
		}
	}
	for dir, text := range c.files {
		writeFile(t, filepath.Join(c.root, dir, name), text)
	}
}

// remove deletes the ignore files again to make room for others.
func (c tree) remove(t *testing.T, name string) {
	t.Helper()
	for dir := range c.files {
		if err := os.Remove(filepath.Join(c.root, dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if runtime.GOOS != "linux" && !utf8.ValidString(path) {
		t.Skipf("%q is a name that only Linux is sure to take", path)
	}
	makeDir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func makeDir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o777); err != nil {
		t.Fatal(err)
	}
}
