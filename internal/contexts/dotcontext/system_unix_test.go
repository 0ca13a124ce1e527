//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dotcontext

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Root keeps the owner of a file that it replaces. Other users become the owner.
func TestReplacedFilesKeepTheirOwnerAndMode(t *testing.T) {
	root := writeTree(t, map[string]string{"a/.context.yaml": "old"})
	at := filepath.Join(root, "a/.context.yaml")
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 65534, 65533
	}
	if err := errors.Join(os.Chmod(at, 0o640), os.Chown(at, uid, gid)); err != nil {
		t.Fatal(err)
	}
	if err := open(t, root).replace(t.Context(), "a", []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	found, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	owner := found.Sys().(*syscall.Stat_t)
	if int(owner.Uid) != uid || int(owner.Gid) != gid || found.Mode().Perm() != 0o640 || read(t, at) != "new" {
		t.Errorf("got %d:%d %v, want %d:%d and the mode as it was", owner.Uid, owner.Gid, found.Mode(), uid, gid)
	}
}
