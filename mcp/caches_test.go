package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/agent"
)

// visitOf returns a visit of the library of a configuration.
func visitOf(t *testing.T, cfg Config) *visit {
	t.Helper()
	l := newLibrary(cfg)
	v, err := l.visit()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		v.close(nil)
		l.warm.close()
	})
	return v
}

func TestACallOpensOnlySoManyCaches(t *testing.T) {
	dir := t.TempDir()
	build(t, filepath.Join(dir, "docs"), "one")
	var cfg Config
	for i := range maxOpen + 1 {
		cfg.Caches = append(cfg.Caches, NamedCache{fmt.Sprint("c", i), filepath.Join(dir, "docs")})
	}
	v := visitOf(t, cfg)
	_, err := v.open(nil)
	if wrong, ok := errors.AsType[agent.ArgumentError](err); !ok || !strings.Contains(string(wrong), "name at most 64") {
		t.Errorf("got %v, want what to do", err)
	}
	all, err := v.names()
	if err != nil {
		t.Fatal(err)
	}
	set, err := v.open(append(all[1:], all[1])) // one is named twice
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
	v := visitOf(t, Config{CacheRoot: dir})
	if names, err := v.names(); err != nil || len(names) != 1 {
		t.Errorf("got %q and error %v, want one cache", names, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "more"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := v.names(); err == nil || fault.CodeOf(err) != fault.IO {
		t.Errorf("got %v, want %v", err, fault.IO)
	}
	// A cache that is named needs no search.
	if set, err := v.open([]string{"docs"}); err != nil || len(set.Members()) != 1 {
		t.Errorf("got error %v, want the cache", err)
	}
}

// A cache that failed is opened anew, and one that a wrong argument was for is not.
func TestOnlyAFaultForgetsTheCachesOfACall(t *testing.T) {
	dir := t.TempDir()
	build(t, filepath.Join(dir, "docs"), "one")
	l := newLibrary(Config{CacheRoot: dir})
	defer l.warm.close()
	for _, c := range []struct {
		failed error
		warm   int
	}{
		{nil, 1},
		{argumentErrorf("wrong"), 1},
		{&unavailableError{"the caches docs", fault.Errorf(fault.CacheInvalid, "damaged")}, 0},
	} {
		v, err := l.visit()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.open(nil); err != nil {
			t.Fatal(err)
		}
		v.close(c.failed)
		if got := len(l.warm.caches); got != c.warm {
			t.Errorf("after %v: got %d warm caches, want %d", c.failed, got, c.warm)
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
	v := visitOf(t, Config{CacheRoot: root})
	for _, name := range []string{"../secret", "docs/../../secret", filepath.Join(dir, "secret"), "link", "", ".", "..", "docs/", "./docs", "a\x00b", `..\secret`} {
		_, err := v.open([]string{name})
		if wrong, ok := errors.AsType[agent.ArgumentError](err); !ok || !strings.Contains(string(wrong), "there are: docs") {
			t.Errorf("%q: got %v, want that there is no such cache", name, err)
		}
	}
}
