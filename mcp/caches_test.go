package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
)

// cachesOf returns the caches of a server as a call sees them.
func cachesOf(t *testing.T, cfg Settings) *callCaches {
	t.Helper()
	c, err := newCaches(cfg).forCall()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.close(nil)
		c.warm.close()
	})
	return c
}

func TestACallOpensOnlySoManyCaches(t *testing.T) {
	dir := t.TempDir()
	build(t, filepath.Join(dir, "docs"), "one")
	var cfg Settings
	for i := range maxOpen + 1 {
		cfg.Caches = append(cfg.Caches, NamedCache{Name: fmt.Sprint("c", i), Path: filepath.Join(dir, "docs")})
	}
	c := cachesOf(t, cfg)
	_, err := c.open(nil, "")
	if wrong, ok := errors.AsType[agent.ArgumentError](err); !ok || !strings.Contains(string(wrong), "name at most 1024") {
		t.Errorf("got %v, want what to do", err)
	}
	all, err := c.names()
	if err != nil {
		t.Fatal(err)
	}
	set, err := c.open(append(all[1:], all[1]), "") // a name occurs twice
	if err != nil || len(set.Members()) != maxOpen {
		t.Errorf("got %v and error %v, want %d caches", set, err, maxOpen)
	}
}

func TestTheDirectoriesBelowARootHaveALimit(t *testing.T) {
	dir := t.TempDir()
	build(t, filepath.Join(dir, "docs"), "one")
	for i := range maxDirectories - 1 { // and the root
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	c := cachesOf(t, Settings{CacheRoot: dir})
	if names, err := c.names(); err != nil || len(names) != 1 {
		t.Errorf("got %q and error %v, want a single cache", names, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "more"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := c.names(); err == nil || fault.CodeOf(err) != fault.IO {
		t.Errorf("got %v, want %v", err, fault.IO)
	}
	// Opening a cache by its name needs no search.
	if set, err := c.open([]string{"docs"}, ""); err != nil || len(set.Members()) != 1 {
		t.Errorf("got error %v, want the cache", err)
	}
}

// A failed cache is opened again, but not after an error in the arguments of a call.
func TestOnlyAFaultForgetsTheCachesOfACall(t *testing.T) {
	dir := t.TempDir()
	build(t, filepath.Join(dir, "docs"), "one")
	all := newCaches(Settings{CacheRoot: dir})
	defer all.warm.close()
	for _, test := range []struct {
		failed error
		warm   int
	}{
		{nil, 1},
		{argumentErrorf("wrong"), 1},
		{&unavailableError{"the caches docs", fault.Errorf(fault.CacheInvalid, "damaged")}, 0},
	} {
		c, err := all.forCall()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.open(nil, ""); err != nil {
			t.Fatal(err)
		}
		c.close(test.failed)
		if got := len(all.warm.caches); got != test.warm {
			t.Errorf("after %v: got %d warm caches, want %d", test.failed, got, test.warm)
		}
	}
}

// No name or path leads out of the root.
func TestNamesStayBelowTheRoot(t *testing.T) {
	dir := t.TempDir()
	build(t, filepath.Join(dir, "secret"), "one")
	root := filepath.Join(dir, "root")
	build(t, filepath.Join(root, "docs"), "one")
	if err := os.Symlink("../secret", filepath.Join(root, "link")); err != nil {
		t.Skipf("this system makes no symlinks: %v", err)
	}
	c := cachesOf(t, Settings{CacheRoot: root})
	for _, name := range []string{"../secret", "docs/../../secret", filepath.Join(dir, "secret"), "link", "", ".", "..", "docs/", "./docs", "a\x00b", `..\secret`} {
		_, err := c.open([]string{name}, "")
		if wrong, ok := errors.AsType[agent.ArgumentError](err); !ok || !strings.Contains(string(wrong), "expected one of: docs") {
			t.Errorf("%q: got %v, want that there is no such cache", name, err)
		}
	}
}
