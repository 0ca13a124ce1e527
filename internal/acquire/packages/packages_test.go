package packages

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/contextcompiler/context/fault"
)

// Each archive of testdata is a machine: the project in project, the module cache in mod. Its
// comment says what is found there:
//
//	npm:next = next@16.4.6 project/node_modules/next, and its files if the package lists them
//	npm:zod ! a part of the error
//	direct = the direct dependencies
//
// The lock files are excerpts of what npm 11, pnpm 9, Yarn 4, uv 0.9 and others write.
func TestPackagesAreFoundAsTheyAreInstalled(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 5 {
		t.Fatalf("got %d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			machine := t.TempDir()
			if machine, err = filepath.EvalSymlinks(machine); err != nil {
				t.Fatal(err)
			}
			if err := txtar.Write(archive, machine); err != nil {
				t.Fatal(err)
			}
			workspace := Workspace{Dir: filepath.Join(machine, "project"), ModuleCache: filepath.Join(machine, "mod")}
			checked := 0
			for line := range strings.Lines(string(archive.Comment)) {
				line = strings.TrimSpace(line)
				text, want, found := strings.Cut(line, " = ")
				reference, wantError, fails := strings.Cut(line, " ! ")
				switch {
				case text == "direct" && found:
					checkDirect(t, workspace, want)
				case found:
					checkFound(t, workspace, machine, text, want)
				case fails:
					checkFails(t, workspace, reference, wantError)
				default:
					continue
				}
				checked++
			}
			if checked == 0 {
				t.Error("the comment says nothing")
			}
		})
	}
}

func checkDirect(t *testing.T, workspace Workspace, want string) {
	t.Helper()
	all, err := workspace.Direct()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, ref := range all {
		names = append(names, ref.String())
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("direct: got %s, want %s", got, want)
	}
}

func checkFound(t *testing.T, workspace Workspace, machine, reference, want string) {
	t.Helper()
	found, err := find(t, workspace, reference)
	if err != nil {
		t.Error(err)
		return
	}
	dir, err := filepath.Rel(machine, found.Dir)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(slices.Concat([]string{found.Prefix(), filepath.ToSlash(dir)}, found.Files), " ")
	if got != want {
		t.Errorf("%s: got %s, want %s", reference, got, want)
	}
	for _, path := range found.Watch {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", reference, err)
		}
	}
}

func checkFails(t *testing.T, workspace Workspace, reference, want string) {
	t.Helper()
	found, err := find(t, workspace, reference)
	code := fault.IO
	if strings.Contains(want, "list") || strings.Contains(want, "is installed, but") {
		code = fault.Stale
	}
	if err == nil || !strings.Contains(err.Error(), want) || fault.CodeOf(err) != code {
		t.Errorf("%s: got %v, %v, want an error of code %s with %q", reference, found, err, code, want)
	}
}

func find(t *testing.T, workspace Workspace, reference string) (Package, error) {
	t.Helper()
	ref, err := ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	return workspace.Find(ref)
}

func TestReferencesNamePackages(t *testing.T) {
	for _, text := range []string{"npm:next", "npm:@ai-sdk/react", "npm:JSONStream", "go:github.com/spf13/cobra", "go:gopkg.in/yaml.v3", "python:ruamel.yaml", "python:Zope_x"} {
		if ref, err := ParseReference(text); err != nil || ref.String() != text {
			t.Errorf("%s: got %v, %v", text, ref, err)
		}
	}
	for _, text := range []string{
		"", "next", "npm:", "npm:..", "npm:../x", "npm:.bin", "npm:a/b", "npm:@a", "npm:@a/../b", "npm:node_modules", "npm:a\x00", "npm:" + strings.Repeat("a", 215),
		"go:cobra/../x", "go:/etc", "go:a b", "python:../x", "python:a/b", "python:-a", "cargo:serde", "NPM:next", " npm:next",
	} {
		if ref, err := ParseReference(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, ref)
		}
	}
}

// People add versions, as they do for a package manager.
func TestVersionsInReferencesAreExplained(t *testing.T) {
	for _, text := range []string{
		"npm:next@15", "npm:@ai-sdk/react@latest", "python:requests==2.0", "python:requests >= 2", "python:requests[socks]", "python:requests~=2", "go:golang.org/x/net@v0.1.0",
	} {
		name := strings.TrimRight(text[:strings.LastIndexAny(text, "@[=~>")], "=~> ")
		if _, err := ParseReference(text); err == nil || !strings.HasSuffix(err.Error(), "the installed version counts, so write "+name) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// Lock files come with a clone, so reading them must not crash, whatever they contain.
func FuzzLocksAreReadOrRefused(f *testing.F) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, kind := range slices.Concat(npmLocks, pythonLocks) {
			versions, err := kind.versions(text, "next")
			if err == nil && !slices.IsSorted(versions) {
				t.Errorf("%s: got %q, want a sorted list", kind.name, versions)
			}
		}
	})
}

// Lock files come with a clone, and list as many versions of any length as they like.
func TestErrorsNameAFewVersions(t *testing.T) {
	var lock strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lock, "[[package]]\nname = \"a\"\nversion = \"%d%s\"\n", 1000+i, strings.Repeat("0", 1000))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "uv.lock"), []byte(lock.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := checkLock(Workspace{Dir: dir}, pythonLocks, "a", strings.Repeat("1", 1000))
	if err == nil || !strings.HasSuffix(err.Error(), "0... and 1995 more: run uv sync") || len(err.Error()) > 1000+len(dir) {
		t.Errorf("got %v", err)
	}
}

func TestALockFileThatCostsTooMuchIsNamed(t *testing.T) {
	for name, text := range map[string]string{
		"uv.lock": "x = " + strings.Repeat("{a=", 1000), "poetry.lock": strings.Repeat("[", 1000), "pdm.lock": strings.Repeat("a.", 1000) + "a = 1",
		"requirements.txt": strings.Repeat("\n", maxLock+1),
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := checkLock(Workspace{Dir: dir}, pythonLocks, "a", "1"); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, name)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pyproject.toml"), []byte("x = "+strings.Repeat("[", 1000)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := directPython(Workspace{Dir: dir}); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "pyproject.toml")+": line 1") {
		t.Errorf("got %v", err)
	}
}
