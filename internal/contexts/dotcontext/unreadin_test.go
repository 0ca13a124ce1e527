package dotcontext

import (
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The system names a file by its path from the root's name once it is open, and
// by its name in the directory before.
func TestAnUnreadFileIsNamedByItsPathInTheProject(t *testing.T) {
	root := t.TempDir()
	p, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for file, want := range map[string]string{
		"a.go":                              "src/a.go: ",
		filepath.Join(root, "src", "a.go"):  "src/a.go: ",
		filepath.Join(root, "src/sub/b.go"): "src/sub/b.go: ",
	} {
		err := p.unreadIn("src", &fs.PathError{Op: "read", Path: file, Err: syscall.EIO})
		if !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s...", file, err, want)
		}
	}
}
