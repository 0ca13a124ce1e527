package dotcontext

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contextcompiler/context/fault"
)

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// actions returns what became of each context, as "scope action".
func actions(t testing.TB, changes WriteReport, err error) (list []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes.List {
		list = append(list, c.Scope+" "+string(c.Action))
	}
	return list
}

func expect(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestInitIsDoneOnce(t *testing.T) {
	root := writeTree(t, map[string]string{
		".context.config.yaml": "min_tokens: 0\n",
		"README.md":            "# Top\n\nIt does things.\n",
		"a/doc.go":             "// Package a counts things. It is fast.\npackage a\n",
		"b/c/x.py":             "\"\"\"Reads things.\"\"\"\n",
	})
	p := open(t, root)
	options := WriteOptions{LastUpdated: now}
	first, err := p.Init(t.Context(), options)
	expect(t, "first", actions(t, first, err), ". created", "a created", "b created", "b/c created")
	before := read(t, filepath.Join(root, ".context.yaml"))
	options.LastUpdated = "2027-01-01T00:00:00Z"
	second, err := p.Init(t.Context(), options)
	expect(t, "second", actions(t, second, err), ". unchanged", "a unchanged", "b unchanged", "b/c unchanged")
	if after := read(t, filepath.Join(root, ".context.yaml")); after != before {
		t.Errorf("got\n%s, want\n%s", after, before)
	}
	described, err := contextAt(root, ".")
	if err != nil || described.Summary != "It does things." || described.Scope != "." || described.LastUpdated != now {
		t.Errorf("got %+v, %v", described, err)
	}
}

func TestInitRefreshesWhatIsDerivedAndNothingElse(t *testing.T) {
	root := initialized(t, false, map[string]string{"a/README.md": "The first of all parts.\n", "b/README.md": "The second of all parts.\n"})
	p := open(t, root)

	// A person takes over the summary of a.
	at := filepath.Join(root, "a/.context.yaml")
	mine := strings.NewReplacer("The first of all parts.", "'Mine # and nobody else''s.'", "  - summary\n  - files\n  - subdirectories\n  - exports\n", "").Replace(read(t, at))
	mine = strings.Replace(mine, "derived_fields:\n", "derived_fields: []\ntodos: [one] # a comment\n", 1)
	write(t, at, "", mine)
	write(t, filepath.Join(root, "a/README.md"), "", "The first part is another.\n")
	write(t, filepath.Join(root, "b/README.md"), "", "The second part is another.\n")

	changes, err := p.Init(t.Context(), WriteOptions{LastUpdated: now})
	expect(t, "init", actions(t, changes, err), ". updated", "a unchanged", "b updated")
	if got := read(t, at); got != mine {
		t.Errorf("a: got\n%s, want\n%s", got, mine)
	}
	if got := stateOf(t, root, "a"); got != Stale {
		t.Errorf("a: got %s, want it stale, for nobody has looked at what a person wrote", got)
	}
	if got := stateOf(t, root, "b"); got != Fresh {
		t.Errorf("b: got %s, want it fresh, for all of it is derived", got)
	}
	if got := read(t, filepath.Join(root, ".context.yaml")); !strings.Contains(got, "Mine # and nobody else's.") ||
		!strings.Contains(got, "The second part is another.") {
		t.Errorf("the root repeats not what its subdirectories say:\n%s", got)
	}
}

func TestWhatCannotBeReadIsRefusedAndStands(t *testing.T) {
	files := map[string]string{
		".context.config.yaml": "min_tokens: 0\n",
		"broken/.context.yaml": "version: 1\nsummary: [\n",
		"later/.context.yaml":  "version: 2\nanything: else\n",
		"broken/a.go":          "package a\n",
		"later/a.go":           "package a\n",
		"good/a.go":            "package a\n",
	}
	root := writeTree(t, files)
	p := open(t, root)
	changes, err := p.Init(t.Context(), WriteOptions{LastUpdated: now})
	expect(t, "init", actions(t, changes, err), ". created", "broken refused", "good created", "later refused")
	if code := fault.CodeOf(changes.Err()); code != fault.ContextInvalid {
		t.Errorf("got %v", changes.Err())
	}
	write(t, filepath.Join(root, "good/b.go"), "", "package b\n")
	changes, err = p.Rehash(t.Context(), WriteOptions{LastUpdated: now})
	expect(t, "rehash", actions(t, changes, err), ". unchanged", "broken refused", "good updated", "later refused")
	for _, name := range []string{"broken/.context.yaml", "later/.context.yaml"} {
		if got := read(t, filepath.Join(root, name)); got != files[name] {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestAFileThatChangedMeanwhileIsNotReplaced(t *testing.T) {
	root := writeTree(t, map[string]string{"a/.context.yaml": "theirs", "b/": ""})
	p := open(t, root)
	if err := p.replace(t.Context(), "a", []byte("as it was read"), []byte("ours")); err == nil {
		t.Error("replaced what somebody else wrote")
	}
	if err := p.replace(t.Context(), "a", nil, []byte("ours")); err == nil {
		t.Error("replaced what somebody else made")
	}
	if got := read(t, filepath.Join(root, "a/.context.yaml")); got != "theirs" {
		t.Errorf("got %q", got)
	}
	if err := os.Chmod(filepath.Join(root, "a/.context.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.replace(t.Context(), "a", []byte("theirs"), []byte("ours")); err != nil {
		t.Fatal(err)
	}
	found, err := os.Stat(filepath.Join(root, "a/.context.yaml"))
	if err != nil || found.Mode().Perm() != 0o600 && runtime.GOOS != "windows" { // which has no such permissions
		t.Errorf("got %v, %v, want the permissions that it had", found, err)
	}
}

// Of writers that meet, one writes and the others find that nothing is left to do.
func TestWritersThatMeetAllSucceed(t *testing.T) {
	for name, write := range map[string]func(*Project) (WriteReport, error){
		"rehash": func(p *Project) (WriteReport, error) {
			return p.Rehash(t.Context(), WriteOptions{LastUpdated: now})
		},
		"init": func(p *Project) (WriteReport, error) {
			return p.Init(t.Context(), WriteOptions{LastUpdated: now, Content: true})
		},
	} {
		root := initialized(t, true, map[string]string{"a/a.go": "package a\n"})
		for round := range 20 {
			text := fmt.Sprintf("// Package a is round %d.\npackage a\n", round)
			if err := os.WriteFile(filepath.Join(root, "a/a.go"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			if name == "init" && round%2 == 0 {
				os.Remove(filepath.Join(root, "a/.context.yaml"))
			}
			var writers sync.WaitGroup
			for range 4 {
				writers.Go(func() {
					p, err := Open(root)
					if err != nil {
						t.Error(err)
						return
					}
					defer p.Close()
					if changes, err := write(p); err != nil || changes.Err() != nil {
						t.Errorf("%s: %v, %v", name, err, changes.Err())
					}
				})
			}
			writers.Wait()
			if got := stateOf(t, root, "a"); got != Fresh {
				t.Errorf("%s: got %s", name, got)
			}
		}
		if left, err := filepath.Glob(filepath.Join(root, "*", unfinishedPrefix+"*")); err != nil || len(left) > 0 {
			t.Errorf("%s: got %q, %v", name, left, err)
		}
	}
}

// A write removes the leftovers of killed writers, and no other file.
func TestLeftoversGoWithTheNextWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows locks no directories, so a leftover may be the file of a writer")
	}
	root := initialized(t, false, map[string]string{"a/a.go": "package a\n"})
	theirs := []string{".tmp-.context.yaml", ".tmp-.context.yaml.bak", ".tmp-.context.yaml12x", ".tmp-other1"}
	for _, name := range append([]string{".tmp-.context.yaml0", ".tmp-.context.yaml4294967295"}, theirs...) {
		write(t, filepath.Join(root, "a", name), "", "version: 1\nlast_up")
	}
	write(t, filepath.Join(root, "a/.tmp-.context.yaml7/kept"), "", "in a directory")
	changes, err := open(t, root).Rehash(t.Context(), WriteOptions{LastUpdated: now})
	expect(t, "rehash", actions(t, changes, err), ". unchanged", "a updated")
	entries, err := os.ReadDir(filepath.Join(root, "a"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	expect(t, "files", names, ".context.yaml", ".tmp-.context.yaml", ".tmp-.context.yaml.bak", ".tmp-.context.yaml12x",
		".tmp-.context.yaml7", ".tmp-other1", "a.go")
}

func TestSymlinkedContextsAreReadButNotReplaced(t *testing.T) {
	root := initialized(t, false, map[string]string{"a/a.go": "package a\n", "b/b.go": "package b\n"})
	at := filepath.Join(root, "b/.context.yaml")
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	symlink(t, "../a/.context.yaml", at)
	p := open(t, root)
	if got := stateOf(t, root, "b"); got != Stale {
		t.Errorf("got %s", got)
	}
	changes, err := p.Rehash(t.Context(), WriteOptions{LastUpdated: now})
	expect(t, "rehash", actions(t, changes, err), ". unchanged", "a unchanged", "b refused")
	if target, err := os.Readlink(at); err != nil || target != "../a/.context.yaml" {
		t.Errorf("got %q, %v", target, err)
	}
}

// Contexts with fingerprints of contents are fresh wherever the files go.
func TestContentFingerprintsLiveThroughAClone(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	root := initialized(t, true, map[string]string{
		"README.md": "It does things.\n", "a/a.go": "package a\n", "a/b/b.go": "package b\r\n", "c/日本.md": "# 日本\n",
	})
	clone := filepath.Join(t.TempDir(), "clone")
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, append([]string{
			"-C", root, "-c", "user.name=n", "-c", "user.email=e", "-c", "core.autocrlf=false", "-c", "init.defaultBranch=main",
		}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	run("add", "-A")
	run("commit", "-q", "-m", "all")
	run("clone", "-q", "-c", "core.autocrlf=false", root, clone)
	o, err := open(t, clone).Overview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := o.Count(Fresh); n != 4 || len(o.Statuses) != 4 {
		t.Errorf("got %d fresh of %d", n, len(o.Statuses))
	}
	changes, err := open(t, clone).Rehash(t.Context(), WriteOptions{LastUpdated: now})
	expect(t, "rehash", actions(t, changes, err), ". unchanged", "a unchanged", "a/b unchanged", "c unchanged")
}

func TestStrictValidationComparesContextsWithTheirDirectories(t *testing.T) {
	root := writeTree(t, map[string]string{
		".context.config.yaml": "min_tokens: 0\nmode: some\n",
		"a/a.go":               "package a\n",
		"a/.context.yaml": "version: 1\nlast_updated: yesterday\nfingerprint: none\nscope: b\nsummary: S\nmaintenance: M\n" +
			"files: [{name: a.go, purpose: p}, {name: b.go, purpose: p}, {name: ../../x, purpose: p}]\n" +
			"subdirectories: [{name: c, summary: s}]\nstructure: [{path: a, summary: s}, {path: d, summary: s}]\nderived_fields: [tests, summary]\n",
		"b/b.go": "package b\n",
	})
	p := open(t, root)
	v, err := p.Validate(t.Context(), false)
	if err != nil || v.Valid() != 1 || v.Invalid() != 1 || v.Missing != 2 {
		t.Fatalf("got %+v, %v", v, err)
	}
	v, err = p.Validate(t.Context(), true)
	if err != nil || v.Valid() != 0 || v.Invalid() != 2 {
		t.Fatalf("strict: got %+v, %v", v, err)
	}
	var fields []string
	for _, problem := range v.Files[1].Problems {
		fields = append(fields, problem.Field)
	}
	expect(t, "problems", fields, "last_updated", "fingerprint", "scope", "files[1].name", "files[2].name",
		"subdirectories[0].name", "structure[1].path", "derived_fields[0]")
}

func TestDirectoriesWithVeryMuchInThemAreNotHashed(t *testing.T) {
	root := initialized(t, true, map[string]string{"a/a.go": "package a\n", "b/b.go": "package b\n"})
	image := filepath.Join(root, "a/disk.img")
	if err := errors.Join(os.WriteFile(image, nil, 0o666), os.Truncate(image, maxHashed+1)); err != nil {
		t.Fatal(err)
	}
	if got := stateOf(t, root, "a"); got != Stale {
		t.Errorf("got %s", got)
	}
	changes, err := open(t, root).Rehash(t.Context(), WriteOptions{LastUpdated: now, Content: true})
	expect(t, "rehash", actions(t, changes, err), ". unchanged", "a refused", "b unchanged")
	if !errors.Is(changes.Err(), errTooMuch) {
		t.Errorf("got %v", changes.Err())
	}
}

// Of several refusals, an I/O error decides the status, then an invalid file, then a
// missing one.
func TestInputAndOutputDecideTheStatus(t *testing.T) {
	io, invalid, missing := fault.Errorf(fault.IO, "io"), fault.Errorf(fault.ContextInvalid, "invalid"), fault.Errorf(fault.Stale, "missing")
	for _, c := range []struct {
		list []ContextChange
		want error
	}{
		{[]ContextChange{{Scope: "a", Err: invalid}, {Scope: "b", Err: io}}, io},
		{[]ContextChange{{Scope: "a"}, {Scope: "b", Err: missing}, {Scope: "c", Err: invalid}}, invalid},
		{[]ContextChange{{Scope: "a"}, {Scope: "b", Err: missing}}, missing},
		{[]ContextChange{{Scope: "a"}}, nil},
	} {
		if got := (WriteReport{List: c.list}).Err(); got != c.want {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}
