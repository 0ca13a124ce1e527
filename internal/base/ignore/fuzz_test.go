// For any text and any path, nothing panics, and some rules hold whatever they are.

package ignore_test

import (
	"path"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/base/ignore"
)

func FuzzRules(f *testing.F) {
	for _, text := range []string{"", "*.md\n!keep.md\r\n", "a/**/b/", "\ufeff[[:alpha:]-z]", `\`, "[\xff-\x80]**\x00", "**/*a*/?"} {
		f.Add([]byte(text), ".", "sub/a.md", false)
		f.Add([]byte(text), "sub", "sub/a/b", true)
	}
	f.Fuzz(func(t *testing.T, text []byte, dir, name string, isDir bool) {
		before := ignore.Rules{}.With(".", []byte("*.md\n"))
		leftOutBefore := before.Match(name, isDir)

		rules := before.With(dir, text)
		leftOut := rules.Match(name, isDir)
		if got := before.With(dir, text).Match(name, isDir); got != leftOut {
			t.Errorf("got %v the second time, want %v", got, leftOut)
		}
		if got := before.Match(name, isDir); got != leftOutBefore {
			t.Errorf("got %v from the rules before, want %v as ever", got, leftOutBefore)
		}
		if rules.With(dir, nil) != rules {
			t.Error("got other rules after an empty text, want the same")
		}
		if !below(name, dir) && leftOut != leftOutBefore {
			t.Errorf("got %v outside of the directory, want %v", leftOut, leftOutBefore)
		}
		if name != "." && !rules.With(".", []byte("*")).Match(name, isDir) {
			t.Error("got kept after a final *, want left out")
		}
		if rules.With(".", []byte("!*")).Match(name, isDir) {
			t.Error("got left out after a final !*, want kept")
		}
	})
}

// below reports whether name is below dir. Only clean paths are the package's
// concern; the others are here for the panics.
func below(name, dir string) bool {
	return dir == "." || path.Clean(name) != name || strings.HasPrefix(name, dir+"/")
}
