package cli

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/replace"
)

// filesIn returns the contents of the files in a directory, with the modes of regular files.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		found[e.Name()] = info.Mode().String() + " " + string(text)
	}
	return found
}

func writeMode(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// If one of several files cannot be written, the others stay unchanged, and no temporary files
// are left.
func TestFilesAreReplacedTogetherOrNotAtAll(t *testing.T) {
	for name, block := range map[string]func(path string) error{
		"a directory":        func(path string) error { return os.Mkdir(path, 0o777) },
		"a dangling symlink": func(path string) error { return os.Symlink("nowhere", path) },
		"no directory":       func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
	} {
		for _, isNew := range []bool{true, false} {
			dir, other := t.TempDir(), t.TempDir()
			first, last, blocked := filepath.Join(dir, "first"), filepath.Join(dir, "last"), filepath.Join(other, "blocked")
			if !isNew {
				writeMode(t, first, "old", 0o600)
				writeMode(t, last, "old", 0o644)
			}
			if err := block(blocked); err != nil {
				t.Skip("the system refuses: ", err)
			}
			before := filesIn(t, dir)
			for _, all := range [][]writtenFile{
				{{first, []byte("new"), 0o644}, {blocked, []byte("new"), 0o644}},
				{{blocked, []byte("new"), 0o644}, {first, []byte("new"), 0o644}},
				{{first, []byte("new"), 0o644}, {blocked, []byte("new"), 0o644}, {last, []byte("new"), 0o644}},
			} {
				err := replaceFiles(all...)
				if fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), blocked) {
					t.Errorf("%s: got %v, want an error that names %s", name, err, blocked)
				}
				if diff := cmp.Diff(before, filesIn(t, dir)); diff != "" {
					t.Errorf("%s, new: %t: the files changed (-want +got):\n%s", name, isNew, diff)
				}
			}
			if err := replaceFiles(writtenFile{first, []byte("new"), 0o640}, writtenFile{last, []byte("new"), 0o644}); err != nil {
				t.Error(err)
			}
			mode := map[bool]string{true: "-rw-r----- ", false: "-rw------- "}[isNew]
			if diff := cmp.Diff(map[string]string{"first": mode + "new", "last": "-rw-r--r-- new"}, filesIn(t, dir)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// A killed command can leave files next to the one that it was writing.
func TestTheNextWriteRemovesLeftovers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files cannot be locked while they are renamed")
	}
	dir := t.TempDir()
	for _, name := range []string{".AGENTS.md.context-123", ".AGENTS.md.context-123-old", ".AGENTS.md.context-7", ".CLAUDE.md.context-123", "AGENTS.md.context-1"} {
		writeMode(t, filepath.Join(dir, name), "", 0o644)
	}
	used, err := replace.Seize(filepath.Join(dir, ".AGENTS.md.context-7"))
	if err != nil {
		t.Fatal(err)
	}
	defer used()
	want := maps.Clone(filesIn(t, dir))
	delete(want, ".AGENTS.md.context-123")
	delete(want, ".AGENTS.md.context-123-old")
	want["AGENTS.md"] = "-rw-r--r-- new"
	if err := replaceFile(filepath.Join(dir, "AGENTS.md"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, filesIn(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestANewFileReplacesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Contextfile.yml")
	if err := createFile(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := createFile(path, []byte("two")); !errors.Is(err, errWritten) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(map[string]string{"Contextfile.yml": "-rw-r--r-- one"}, filesIn(t, filepath.Dir(path))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
