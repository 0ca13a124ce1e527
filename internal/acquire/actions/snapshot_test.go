//go:build !windows

package actions

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// described returns the files of a snapshot, as what:path.
func described(t *testing.T, a *BuildAction) string {
	t.Helper()
	read, err := a.read(t.Context(), os.Getenv("PATH"))
	if err != nil {
		return err.Error()
	}
	var all []string
	for _, f := range read.files {
		all = append(all, f.what+":"+f.path)
	}
	return strings.Join(all, " ")
}

func TestInputsAreTheFilesThatPatternsMatch(t *testing.T) {
	a := newAction(t)
	for _, name := range []string{
		"docs/a.rst", "docs/old/b.rst", "docs/conf.py", "src/c.rst", ".hidden/d.rst", ".github/e.rst", "node_modules/f.rst",
		".git/g.rst", "build/cache/h.rst", "build/.cache.context-lock", "build/.cache.context-new/i.rst", "docs/image.png",
	} {
		write(t, a, name, "")
	}
	a.Except = []string{filepath.Join(a.Project, "build", "cache")}
	for _, tc := range []struct {
		inputs, scripts []string
		want            string
	}{
		{[]string{"*.rst"}, nil, "input:docs/a.rst input:docs/old/b.rst input:in.rst input:src/c.rst"},
		{[]string{"/docs/"}, nil, "input:docs/a.rst input:docs/conf.py input:docs/image.png input:docs/old/b.rst"},
		{[]string{"/docs/", "!old/", "!*.png"}, nil, "input:docs/a.rst input:docs/conf.py"},
		{[]string{"docs/**/*.rst"}, []string{"conf.py"}, "input:docs/a.rst script:docs/conf.py input:docs/old/b.rst"},
		{[]string{"/.github/*.rst"}, nil, "input:.github/e.rst"},
		{[]string{"*"}, nil, "input:docs/a.rst input:docs/conf.py input:docs/image.png input:docs/old/b.rst input:in.rst input:src/c.rst"},
	} {
		a.Inputs, a.Scripts = tc.inputs, tc.scripts
		if got := described(t, a); got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.inputs, got, tc.want)
		}
	}
	a.Inputs, a.Scripts = []string{"/docs/old/*.rst"}, nil
	var below []string
	for _, dir := range a.Directories(t.Context()) {
		below = append(below, strings.TrimPrefix(dir, a.Project))
	}
	if got := strings.Join(below, " "); got != " /docs /docs/old" {
		t.Errorf("got the directories %q", got)
	}
}

// Trust must cover every file that a command visibly executes.
func TestFilesThatTheCommandNamesAreScripts(t *testing.T) {
	a := newAction(t)
	for _, name := range []string{"make.sh", "gen.py", "data.rst", "run.rst", "tool", "docs/in.md"} {
		write(t, a, name, "text")
	}
	write(t, a, "run.rst", "#!/bin/sh\n")
	outside, err := filepath.EvalSymlinks(t.TempDir())
	outside = filepath.Join(outside, "bin")
	err = errors.Join(err,
		os.Chmod(filepath.Join(a.Project, "make.sh"), 0o777), os.Chmod(filepath.Join(a.Project, "tool"), 0o777),
		os.Mkdir(outside, 0o777), os.Symlink(filepath.Join(a.Project, "tool"), filepath.Join(outside, "linked")),
		os.WriteFile(filepath.Join(outside, "real"), nil, 0o777), os.Symlink(filepath.Join(outside, "real"), filepath.Join(a.Project, "shell")),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		run    []string
		inputs string
		want   string
	}{
		{[]string{"./make.sh", Placeholder}, "data.rst", "input:data.rst script:make.sh"},
		{[]string{filepath.Join(a.Project, "make.sh"), Placeholder}, "data.rst", "input:data.rst script:make.sh"},
		{[]string{"sh", "make.sh", Placeholder}, "data.rst", "input:data.rst script:make.sh"},
		{[]string{"sh", "gen.py", "data.rst", Placeholder}, "*.rst", "input:data.rst script:gen.py input:in.rst input:run.rst"},
		{[]string{"sh", "gen.py", Placeholder}, "*.py", "script:gen.py"},
		{[]string{"sh", "run.rst", Placeholder}, "*.rst", "input:data.rst input:in.rst script:run.rst"},
		{[]string{"sh", "docs", "--x=make.sh", Placeholder}, "data.rst", "input:data.rst script:make.sh"},
		{[]string{"linked", Placeholder}, "data.rst", "input:data.rst script:tool"},
		{[]string{"./shell", Placeholder}, "data.rst", "script:" + filepath.Join(outside, "real") + " input:data.rst"},
		{[]string{"./gen.py", Placeholder}, "data.rst", "./gen.py is not executable: run `chmod +x ./gen.py`, or name its interpreter first, as in [python3, ./gen.py]"},
	} {
		a.Run, a.Inputs, a.Version = tc.run, []string{tc.inputs}, ""
		t.Setenv("PATH", outside+":/usr/bin:/bin")
		if got := described(t, a); got != tc.want && !strings.HasSuffix(got, ": "+tc.want) {
			t.Errorf("%q: got %s, want %s", tc.run, got, tc.want)
		}
	}
}

func TestInputsThatCannotBeHashedAreNamed(t *testing.T) {
	elsewhere := t.TempDir()
	for name, tc := range map[string]struct {
		make func(path string) error
		want string
	}{
		"a symlink out of the project": {func(path string) error { return os.Symlink(elsewhere, path) }, "the input bad.rst is a symlink that leads out of"},
		"a symlink to a directory":     {func(path string) error { return os.Symlink("docs", path) }, "the input bad.rst is a symlink to a directory"},
		"a pipe":                       {func(path string) error { return syscall.Mkfifo(path, 0o666) }, "the input bad.rst is not a regular file"},
		"an unreadable file":           {func(path string) error { return os.WriteFile(path, nil, 0) }, "read the input bad.rst: permission denied"},
		"a broken symlink":             {func(path string) error { return os.Symlink("nowhere", path) }, "link:bad.rst input:in.rst"},
		"a symlink in the project":     {func(path string) error { return os.Symlink("in.rst", path) }, "input:bad.rst input:in.rst"},
	} {
		t.Run(name, func(t *testing.T) {
			if os.Geteuid() == 0 && strings.Contains(tc.want, "permission") {
				t.Skip("root can read everything")
			}
			a := newAction(t)
			write(t, a, "docs/a.txt", "")
			if err := tc.make(filepath.Join(a.Project, "bad.rst")); err != nil {
				t.Fatal(err)
			}
			if got := described(t, a); !strings.Contains(got, tc.want) {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// The key of an entry must tell apart all that changes an output.
func TestKeysKeepFieldsApart(t *testing.T) {
	seen := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "a", "b", "ab", "a\x00b"})
		a := &BuildAction{Run: rapid.SliceOfN(text, 1, 3).Draw(t, "run"), Dir: text.Draw(t, "dir"), Env: rapid.SliceOfN(text, 0, 2).Draw(t, "env")}
		read := snapshot{program: text.Draw(t, "program")}
		for range rapid.IntRange(0, 2).Draw(t, "files") {
			read.files = append(read.files, readFile{path: text.Draw(t, "path"), what: text.Draw(t, "what"), sum: FileHash{rapid.Byte().Draw(t, "sum")}})
		}
		key := a.key(read)
		about := strings.Join([]string{a.String(), a.Dir}, " ")
		about += "|" + strings.Join(a.Env, "\x01") + "|" + read.program + "|" + strings.Join(a.Run, "\x01")
		for _, f := range read.files {
			about += "|" + f.path + "|" + f.what + "|" + string(f.sum[:1])
		}
		if !key.IsValid() {
			t.Fatalf("%s is not valid", key)
		}
		if before, ok := seen[string(key)]; ok && before != about {
			t.Fatalf("%q and %q share a key", before, about)
		}
		seen[string(key)] = about
	})
}

// An entry that another version of the program made must not be found by accident.
func TestKeysAreFrozen(t *testing.T) {
	a := &BuildAction{Run: []string{"tool", Placeholder}, Dir: ".", Env: []string{"A=1"}}
	got := a.key(snapshot{program: "version 1", files: []readFile{{"a.rst", "input", FileHash{1}}}})
	if want := "convert-955704adfa3201c3d2070cc10a3bd9e2b7a5d6321677d2d5a99e54dce6185b45"; string(got) != want {
		t.Errorf("got %s, want %s: raise keyVersion if the key has to change", got, want)
	}
}
