package dotcontext

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAFailingDiskMakesNoEmptyDirectory(t *testing.T) {
	root := writeTree(t, map[string]string{".context.config.yaml": "min_tokens: 0\n", "a/b.go": "package b\n"})
	p := open(t, root)
	var failure error
	p.look = func(at string) (fileState, fs.FileMode, error) {
		if filepath.Base(at) == "b.go" {
			return fileState{}, 0, failure
		}
		return lookAt(at)
	}

	failure = syscall.EIO
	changes, err := p.Init(t.Context(), WriteOptions{LastUpdated: now})
	expect(t, "init", actions(t, changes, err), ". refused", "a refused")
	o, err := p.Overview(t.Context())
	if err != nil || len(o.Statuses) != 2 || !strings.HasPrefix(fmt.Sprint(o.Err()), "a/b.go: input/output error: ") {
		t.Errorf("got %+v, %v", o, err)
	}
	expect(t, "warnings", o.Warnings, "a/b.go: input/output error")

	failure = syscall.ENOENT // it has vanished since its directory was listed
	changes, err = p.Init(t.Context(), WriteOptions{LastUpdated: now})
	expect(t, "init", actions(t, changes, err), ". created")
	if o, err := p.Overview(t.Context()); err != nil || o.Err() != nil {
		t.Errorf("got %v, %v, want no doubt", o.Err(), err)
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
		symlink(t, target, filepath.Join(root, name))
	}
	p := open(t, root)
	changes, err := p.Init(t.Context(), WriteOptions{LastUpdated: now})
	expect(t, "init", actions(t, changes, err), ". created", "directory created", "docs created", "inside created",
		"loop created", "nowhere created", "outside created")
	for _, scope := range []string{"inside", "outside", "nowhere", "loop", "directory"} {
		described, err := contextAt(root, scope)
		if err != nil {
			t.Fatal(err)
		}
		if got := described.Summary == "Holds the core of all things."; got != (scope == "inside") {
			t.Errorf("%s: got %q", scope, described.Summary)
		}
	}
}
