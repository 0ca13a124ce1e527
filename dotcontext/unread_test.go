package dotcontext

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A failedEntry is a file that a listing shows and that cannot be looked at.
type failedEntry struct {
	fs.DirEntry
	name string
	err  error
}

func (e failedEntry) Name() string               { return e.name }
func (e failedEntry) IsDir() bool                { return false }
func (e failedEntry) Type() fs.FileMode          { return 0 }
func (e failedEntry) Info() (fs.FileInfo, error) { return nil, e.err }

func TestAFailingDiskMakesNoEmptyDirectory(t *testing.T) {
	failed := &fs.PathError{Op: "lstat", Path: "/disk/a/b.go", Err: syscall.EIO}
	d := &directory{scope: "a"}
	d.add(failedEntry{name: "b.go", err: failed})
	if got := fmt.Sprint(d.doubt()); got != "a/b.go: input/output error" || !isRefusal(d.doubt()) {
		t.Errorf("got %s", got)
	}
	s := &scan{directories: []*directory{{scope: "."}, d}}
	s.keep()
	if !d.kept {
		t.Error("the directory has no entry")
	}

	vanished := &directory{scope: "a"}
	vanished.add(failedEntry{name: "b.go", err: &fs.PathError{Op: "lstat", Path: "/disk/a/b.go", Err: syscall.ENOENT}})
	if vanished.doubt() != nil {
		t.Errorf("got %v, want no doubt about a file that has vanished", vanished.doubt())
	}
}

func TestAbsenceIsNoRefusal(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.EIO: true, syscall.EACCES: true, syscall.EMFILE: true, syscall.ESTALE: true, fs.ErrPermission: false,
		syscall.ENOENT: false, syscall.ENOTDIR: false, syscall.ELOOP: false, syscall.ENAMETOOLONG: false,
		errMissing: false, errOutside: false, errTooLarge: false,
	} {
		wrapped := fmt.Errorf("scan: %w", &fs.PathError{Op: "open", Path: "x", Err: err})
		if got := isRefusal(wrapped); got != want {
			t.Errorf("%v: got %t, want %t", err, got, want)
		}
		if named, ok := errors.AsType[*unreadError](asUnread("x", wrapped)); ok != want || ok && !errors.Is(named, err) {
			t.Errorf("%v: got %v", err, named)
		}
	}
}

// A README counts when it is a symlink to a file of the project.
func TestSymlinkedREADMEsDescribeWhenTheyStayInside(t *testing.T) {
	outside := writeTree(t, map[string]string{"README.md": "A secret of somebody else.\n"})
	root := writeTree(t, map[string]string{
		".context.config.yaml": "min_tokens: 0\n",
		"docs/core.md":         "# Core\n\nHolds the core of all things.\n",
		"inside/a.go":          "package a\n",
		"outside/a.go":         "package a\n",
		"nowhere/a.go":         "package a\n",
		"loop/a.go":            "package a\n",
		"directory/a.go":       "package a\n",
	})
	for name, target := range map[string]string{
		"inside/README.md":    "../docs/core.md",
		"outside/README.md":   filepath.Join(outside, "README.md"),
		"nowhere/README.md":   "none",
		"loop/README.md":      "README.md",
		"directory/README.md": "../docs",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, root)
	changes, err := p.Init(t.Context(), WriteOptions{LastUpdated: now})
	expect(t, "init", actions(t, changes, err), ". created", "directory created", "docs created", "inside created",
		"loop created", "nowhere created", "outside created")
	for _, scope := range []string{"inside", "outside", "nowhere", "loop", "directory"} {
		described, err := p.contextAt(scope)
		if err != nil {
			t.Fatal(err)
		}
		if got := described.Summary == "Holds the core of all things."; got != (scope == "inside") {
			t.Errorf("%s: got %q", scope, described.Summary)
		}
	}
}
