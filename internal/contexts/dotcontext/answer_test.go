package dotcontext

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

const now = "2026-02-03T04:05:06Z"

// initialized writes a tree, makes contexts for all of it and returns its root.
func initialized(t testing.TB, content bool, files map[string]string) (root string) {
	t.Helper()
	files[".context.config.yaml"] = "min_tokens: 0\n"
	root = writeTree(t, files)
	changes, err := open(t, root).Init(t.Context(), WriteOptions{LastUpdated: now, Content: content})
	if err := errors.Join(err, changes.Err()); err != nil {
		t.Fatal(err)
	}
	return root
}

func contextAt(root, scope string) (*contextfile.Context, error) {
	found, err := locate(nil, root, scope)
	if err != nil {
		return nil, err
	}
	found.project.Close()
	return found.context, nil
}

// stateOf returns the state of the context at scope, by both ways to ask.
func stateOf(t testing.TB, root, scope string) State {
	t.Helper()
	p := open(t, root)
	o, err := p.Overview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	described, err := contextAt(root, scope)
	one := withoutContext(scope, err)
	if err == nil {
		one, err = p.statusOf(t.Context(), scope, &described.Head)
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range o.Statuses {
		if s.Scope != scope {
			continue
		}
		if s.State != one.State || s.Computed != one.Computed {
			t.Errorf("%s: the overview says %s %s, the check %s %s", scope, s.State, s.Computed, one.State, one.Computed)
		}
		return s.State
	}
	t.Fatalf("%s is not in the overview", scope)
	return ""
}

func TestFreshnessFollowsTheFiles(t *testing.T) {
	later := time.Unix(2_000_000_000, 0)
	touch := func(root string) error { return os.Chtimes(filepath.Join(root, "a/a.go"), later, later) }
	for _, c := range []struct {
		name          string
		change        func(root string) error
		stat, content State
	}{
		{"nothing", func(string) error { return nil }, Fresh, Fresh},
		{"touch", touch, Stale, Fresh},
		{"edit", func(root string) error {
			return os.WriteFile(filepath.Join(root, "a/a.go"), []byte("package b\n"), 0o666)
		}, Stale, Stale},
		{"new file", func(root string) error { return os.WriteFile(filepath.Join(root, "a/b.bin"), nil, 0o666) }, Stale, Stale},
		{"removed file", func(root string) error { return os.Remove(filepath.Join(root, "a/c.go")) }, Stale, Stale},
		{"new directory", func(root string) error { return os.Mkdir(filepath.Join(root, "a/d"), 0o777) }, Fresh, Fresh},
		{"unfinished context", func(root string) error {
			return os.WriteFile(filepath.Join(root, "a/.tmp-.context.yaml123"), nil, 0o666)
		}, Fresh, Fresh},
		{"symlink", func(root string) error { return os.Symlink("a.go", filepath.Join(root, "a/l.go")) }, Fresh, Fresh},
		{"other directory", func(root string) error {
			return os.WriteFile(filepath.Join(root, "b/b.go"), []byte("package c\n"), 0o666)
		}, Fresh, Fresh},
		{"no context", func(root string) error { return os.Remove(filepath.Join(root, "a/.context.yaml")) }, Missing, Missing},
		{"broken context", func(root string) error {
			return os.WriteFile(filepath.Join(root, "a/.context.yaml"), []byte("version: 1\n"), 0o666)
		}, Invalid, Invalid},
	} {
		for _, form := range []struct {
			name    string
			content bool
			want    State
		}{{"stat", false, c.stat}, {"content", true, c.content}} {
			root := initialized(t, form.content, map[string]string{
				"a/a.go": "package a\n", "a/c.go": "package a\n", "b/b.go": "package b\n",
			})
			if c.name == "edit" || c.name == "other directory" { // however fast the test is
				if err := touch(root); err != nil {
					t.Fatal(err)
				}
				p := open(t, root)
				if _, err := p.Rehash(t.Context(), WriteOptions{LastUpdated: now, Content: form.content}); err != nil {
					t.Fatal(err)
				}
			}
			err := c.change(root)
			if _, isSymlink := errors.AsType[*os.LinkError](err); isSymlink {
				t.Log("no symlinks here: ", err)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := stateOf(t, root, "a"); got != form.want {
				t.Errorf("%s, %s form: got %s, want %s", c.name, form.name, got, form.want)
			}
		}
	}
}

// The contract's tools know three states.
func TestTheToolsCallAnInvalidContextMissing(t *testing.T) {
	root := writeTree(t, map[string]string{".context.yaml": "version: 1\n"})
	if got := stateOf(t, root, "."); got != Invalid {
		t.Errorf("got %s, want invalid", got)
	}
	listed, err := List(t.Context(), nil, root)
	if err != nil || !strings.Contains(listed.JSON, `"state": "missing"`) || strings.Contains(listed.JSON, "invalid") {
		t.Errorf("got %s, %v, want a missing context", listed.JSON, err)
	}
	checked, err := Check(t.Context(), nil, root, ".")
	if err != nil || !strings.Contains(checked.JSON, `"state": "missing"`) {
		t.Errorf("got %s, %v, want a missing context", checked.JSON, err)
	}
}

// While files come and go, every scan reports the other files correctly.
func TestFilesThatComeAndGoCostNothingElse(t *testing.T) {
	root := initialized(t, false, map[string]string{"a/a.go": "package a\n", "b/b.go": "package b\n", "c/c.go": "package c\n"})
	stop := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			at := filepath.Join(root, "b", []string{"x.go", "y.go", "z"}[i%3])
			if err := errors.Join(os.WriteFile(at, []byte("x"), 0o666), os.Remove(at)); err != nil {
				ended <- err
				return
			}
			dir := filepath.Join(root, "b/sub")
			if err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(dir, "x.go"), nil, 0o666), os.RemoveAll(dir)); err != nil {
				ended <- err
				return
			}
		}
	}()
	p := open(t, root)
	for range 300 {
		o, err := p.Overview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]State{}
		for _, s := range o.Statuses {
			seen[s.Scope] = s.State
		}
		if seen["."] != Fresh || seen["a"] != Fresh || seen["c"] != Fresh || seen["b"] == "" || seen["b"] == Missing {
			t.Fatalf("got %v", seen)
		}
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// Tests of the protocol check the texts of answers. The command line prints their
// failures too.
func TestAnswersCarryExitStatuses(t *testing.T) {
	root := writeTree(t, map[string]string{
		"new/.context.yaml":    "version: 2\n",
		"broken/.context.yaml": "version: [\n",
	})
	for _, c := range []struct {
		scope string
		code  fault.Code
		want  string
	}{
		{"none", fault.Stale, `No .context.yaml found at scope "none". This scope may be below the min_tokens threshold; ` +
			`use list_contexts to see eligible scopes.`},
		{"..", fault.IO, "Invalid scope: path traversal detected"},
		{"new", fault.ContextInvalid, "Unsupported schema version 2 (this tool supports version 1). Upgrade dotcontext to read this file."},
		{"broken", fault.ContextInvalid, `Invalid or corrupt .context.yaml at scope "broken"`},
	} {
		answer := Query(root, c.scope, nil)
		if answer.Err == nil || answer.Err.Error() != c.want || fault.CodeOf(answer.Err) != c.code {
			t.Errorf("%s: got %v, want %q", c.scope, answer.Err, c.want)
		}
	}
}

func TestEndedContextsEndTheWork(t *testing.T) {
	root := initialized(t, false, map[string]string{"a/a.go": "package a\n"})
	write(t, filepath.Join(root, "a/b.go"), "", "package a\n") // so that the scan must read contents
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := List(ctx, nil, root); !errors.Is(err, context.Canceled) {
		t.Errorf("list: got %v", err)
	}
	if _, err := Check(ctx, nil, root, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("check: got %v", err)
	}
}
