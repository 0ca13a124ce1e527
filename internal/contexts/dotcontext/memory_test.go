package dotcontext

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// anHourLater is a time at which a memory trusts every file.
func anHourLater() time.Time { return time.Now().Add(time.Hour) }

// answers returns the tools' answers about a project, with or without a memory.
func answers(t testing.TB, memory *Memory, root string) string {
	t.Helper()
	list, err := List(t.Context(), memory, root)
	if err != nil {
		t.Fatal(err)
	}
	check, err := Check(t.Context(), memory, root, "a")
	if err != nil {
		t.Fatal(err)
	}
	return list.JSON + check.JSON
}

// tick waits for the file system's clock to go on: what changes afterwards has
// another time.
func tick(t testing.TB, dir string) {
	t.Helper()
	at := filepath.Join(dir, "clock")
	for first := (identity{}); ; {
		if err := os.WriteFile(at, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
		f, _, err := lookAt(at)
		if err != nil {
			t.Fatal(err)
		}
		if first == (identity{}) {
			first = f.id
		}
		if f.id.ctime != first.ctime {
			return
		}
	}
}

func TestAMemoryKeepsWhatItReadAndSeesEveryChange(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("only Linux and macOS tell files apart well enough to keep what was read")
	}
	past := time.Unix(1_000_000_000, 0)
	rewrite := func(name, text string) func(root string) error {
		return func(root string) error {
			at := filepath.Join(root, name)
			return errors.Join(os.WriteFile(at, []byte(text), 0o666), os.Chtimes(at, past, past))
		}
	}
	for _, content := range []bool{false, true} {
		clock := t.TempDir()
		root := initialized(t, content, map[string]string{
			"a/a.go": "package a\n", "a/b.go": "package a\n", "a/c/c.go": "package c\n", "d/d.go": "package d\n",
		})
		if err := rewrite("a/a.go", "package a\n")(root); err != nil {
			t.Fatal(err)
		}
		memory := NewMemory(anHourLater)
		context := read(t, filepath.Join(root, "a/.context.yaml"))
		for _, change := range []struct {
			name string
			do   func(root string) error
		}{
			{"nothing", func(string) error { return nil }},
			{"the same size and time", rewrite("a/a.go", "package b\n")},
			{"as it was", rewrite("a/a.go", "package a\n")},
			{"another context", rewrite("a/.context.yaml", strings.Replace(context, "summary: ", "summary: New ", 1))},
			{"the same size and time of a context", rewrite("a/.context.yaml", strings.Replace(context, "summary: ", "summary: Old ", 1))},
			{"an invalid context", rewrite("a/.context.yaml", "version: [\n")},
			{"a valid context", rewrite("a/.context.yaml", context)},
			{"a new file", rewrite("a/new.go", "package a\n")},
			{"an ignored file", rewrite("a/.gitignore", "new.go\n.gitignore\n")},
			{"a file that is not ignored any more", func(root string) error { return os.Remove(filepath.Join(root, "a/.gitignore")) }},
			{"a renamed file", func(root string) error {
				return os.Rename(filepath.Join(root, "a/new.go"), filepath.Join(root, "a/renamed.go"))
			}},
			{"another file of the name", func(root string) error {
				return os.Rename(filepath.Join(root, "a/renamed.go"), filepath.Join(root, "a/b.go"))
			}},
			{"a symlink in the place of a file", func(root string) error {
				return errors.Join(os.Remove(filepath.Join(root, "a/b.go")), os.Symlink("a.go", filepath.Join(root, "a/b.go")))
			}},
			{"a new directory", func(root string) error {
				return errors.Join(os.Mkdir(filepath.Join(root, "e"), 0o777), rewrite("e/e.go", "package e\n")(root))
			}},
			{"a directory in the place of another", func(root string) error {
				return errors.Join(os.Rename(filepath.Join(root, "a"), filepath.Join(root, "was")),
					os.Rename(filepath.Join(root, "d"), filepath.Join(root, "a")))
			}},
			{"no directory", func(root string) error { return os.RemoveAll(filepath.Join(root, "a")) }},
		} {
			tick(t, clock)
			if err := change.do(root); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got, want := answers(t, memory, root), answers(t, nil, root); got != want {
					t.Errorf("%s: got %s, want %s", change.name, got, want)
				}
			}
		}
	}
}

// A scan uses the memory: a changed memory changes the answers.
func TestAMemoryReadsAndHashesOnce(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("only Linux and macOS tell files apart well enough to keep what was read")
	}
	root := initialized(t, true, map[string]string{"a/a.go": "package a\n"})
	at := func(name string) stateKey {
		f, _, err := lookAt(filepath.Join(root, "a", name))
		if err != nil {
			t.Fatal(err)
		}
		return keyOf(f)
	}
	memory := NewMemory(anHourLater)
	memory.sums.Put(at("a.go"), "0123", sumSize)
	memory.heads.Put(at(contextfile.Name), &contextfile.Head{
		Fingerprint: fingerprint([]string{"a.go:0123:10"}), Summary: "from memory",
	}, headSize)
	list, err := List(t.Context(), memory, root)
	if err != nil || !strings.Contains(list.JSON, `"from memory"`) || strings.Contains(list.JSON, "stale") {
		t.Errorf("got %s, %v", list.JSON, err)
	}
}

// A file that is younger than the steps of its clock may change without a trace.
func TestAMemoryKeepsNothingThatMayChangeUnseen(t *testing.T) {
	began := time.Unix(2_000_000_000, 0)
	p := &Project{memory: NewMemory(time.Now), began: began}
	for _, c := range []struct {
		changed, touched time.Duration // before the call began
		keeps            bool
	}{
		{time.Hour, time.Hour, true},
		{settling, settling, true},
		{settling - 1, time.Hour, false},
		{time.Hour, settling - 1, false},
		{time.Hour, 0, false},
		{-time.Hour, time.Hour, false}, // in the future
		{time.Hour, -time.Hour, false},
	} {
		f := fileState{name: "a", mtime: began.Add(-c.touched), id: identity{1, 2, began.Add(-c.changed).UnixNano()}}
		if got := p.hasSettled(f); got != c.keeps {
			t.Errorf("changed %v and touched %v before: got %t, want %t", c.changed, c.touched, got, c.keeps)
		}
	}

	root := initialized(t, true, map[string]string{"a/a.go": "package a\n"})
	memory := NewMemory(time.Now)
	answers(t, memory, root)
	for _, name := range []string{"a.go", contextfile.Name, "."} {
		f, _, err := lookAt(filepath.Join(root, "a", name))
		if err != nil {
			t.Fatal(err)
		}
		_, isRead := memory.heads.Get(keyOf(f))
		_, isListed := memory.listings.Get(keyOf(f))
		if isRead || isListed || memory.sumOf(f) != "" {
			t.Errorf("%s: is kept even though it is new", name)
		}
	}
}

func TestAMemoryServesManyAtOnce(t *testing.T) {
	root := initialized(t, true, map[string]string{"a/a.go": "package a\n", "b/b.go": "package b\n"})
	memory := NewMemory(anHourLater)
	var calls sync.WaitGroup
	for i := range 8 {
		calls.Go(func() {
			for range 20 {
				if got := answers(t, memory, root); strings.Contains(got, "stale") {
					t.Error(got)
				}
				other := filepath.Join(root, "b", fmt.Sprint(".tmp-.context.yaml", i)) // does not count
				if err := errors.Join(os.WriteFile(other, nil, 0o666), os.Remove(other)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
}
