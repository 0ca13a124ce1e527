package dotcontext

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/fault"
)

func TestAReaderListsWhatAnOverviewHas(t *testing.T) {
	root := initialized(t, false, map[string]string{"a/a.go": "// Package a is first.\npackage a\n", "b/b.go": "package b\n", "c/c.go": "package c\n"})
	change(t, root, "a/more.go", "package a\n")
	change(t, root, "b/.context.yaml", "version: 1\n")
	if err := os.Remove(filepath.Join(root, "c/.context.yaml")); err != nil {
		t.Fatal(err)
	}
	for _, r := range []ContextReader{{Path: root}, {root, NewMemory(time.Now)}} {
		var got []string
		err := r.EachContext(t.Context(), func(scope, state, summary string) {
			got = append(got, scope+" "+state+" "+summary)
		})
		want := []string{". fresh Holds the directories a, b, c.", "a stale Package a is first.", "b invalid ", "c missing "}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, difference from what is wanted:\n%s", err, diff)
		}
	}
}

func TestAReaderReturnsTheTextOfAContext(t *testing.T) {
	root := initialized(t, false, map[string]string{"a/a.go": "package a\n", "b/b.go": "package b\n", "c/c.go": "package c\n"})
	change(t, root, "b/.context.yaml", "version: 1\n")
	change(t, root, "c/more.go", "package c\n")
	outside := writeTree(t, map[string]string{".context.yaml": read(t, filepath.Join(root, "a/.context.yaml"))})
	symlink(t, outside, filepath.Join(root, "out"))
	for _, test := range []struct {
		scope, canonical, state string
		code                    fault.Code
	}{
		{".", ".", "fresh", 0},
		{"a", "a", "fresh", 0},
		{`.\b\..\a\`, "a", "fresh", 0},
		{"c", "c", "stale", 0},
		{"b", "", "", fault.ContextInvalid},
		{"d", "", "", fault.Stale},
		{"", ".", "fresh", 0},
		{"../" + filepath.Base(outside), "", "", fault.Stale},
		{outside, "", "", fault.Stale},
		{"out", "", "", fault.Stale},
	} {
		text, canonical, state, err := ContextReader{Path: root}.ContextText(t.Context(), test.scope)
		if canonical != test.canonical || state != test.state || (err == nil) != (test.code == 0) {
			t.Errorf("%q: got %q, %q, %v; want %q, %q, code %d", test.scope, canonical, state, err, test.canonical, test.state, test.code)
			continue
		}
		if err != nil {
			if code := fault.CodeOf(err); code != test.code {
				t.Errorf("%q: got %v with the code %d, want %d", test.scope, err, code, test.code)
			}
			continue
		}
		if want := read(t, filepath.Join(root, canonical, ".context.yaml")); string(text) != want {
			t.Errorf("%q: got %s, want %s", test.scope, text, want)
		}
	}
}

func TestAReaderNeedsAProject(t *testing.T) {
	r := ContextReader{Path: filepath.Join(t.TempDir(), "none")}
	_, _, _, readErr := r.ContextText(t.Context(), ".")
	for _, err := range []error{readErr, r.EachContext(t.Context(), nil)} {
		if err == nil || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), "no project at ") {
			t.Errorf("got %v", err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	root := initialized(t, false, map[string]string{"a/a.go": "package a\n"})
	change(t, root, "a/a.go", "package a // longer\n")
	if _, _, _, err := (ContextReader{Path: root}).ContextText(ended, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// change writes a file of a project.
func change(t *testing.T, root, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
