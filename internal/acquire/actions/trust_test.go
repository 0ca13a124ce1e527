//go:build !windows

package actions

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/contextcompiler/context/fault"
)

// trust records the user's trust in actions of a file and their current scripts.
func trust(t *testing.T, w Workshop, all ...*BuildAction) {
	t.Helper()
	a := all[0]
	trusted, err := TrustOf(t.Context(), all, w.SearchPath)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(w.Trusted.Dir, 0o777), os.WriteFile(w.Trusted.Path(a.File), trusted.Encode(), 0o666)); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyTrustedCommandsRun(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	a, w := newAction(t, "copy", Placeholder, log), newWorkshop(t)
	w.Permission = IfTrusted
	a.Scripts = []string{"conf.py"}
	write(t, a, "conf.py", "1")
	refused := func(why string) {
		t.Helper()
		if _, err := w.Output(t.Context(), a); !errors.Is(err, ErrUntrusted) || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v, want %s", err, why)
		}
		if err := w.RunTwice(t.Context(), a, func(_, _ string) error { return nil }); !errors.Is(err, ErrUntrusted) {
			t.Errorf("run twice: got %v", err)
		}
	}
	refused("nobody has trusted")
	trust(t, w, a)
	if _, err := w.Output(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	write(t, a, "in.rst", "new text") // an input is not a script
	if _, err := w.Output(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	write(t, a, "conf.py", "2")
	refused("conf.py is new or has changed")
	write(t, a, "docs/conf.py", "1")
	write(t, a, "conf.py", "1")
	refused("docs/conf.py is new or has changed")
	if err := os.RemoveAll(filepath.Join(a.Project, "docs")); err != nil {
		t.Fatal(err)
	}
	write(t, a, "in.rst", "newer text")
	a.FileSum[0]++
	refused("Contextfile.yml has changed")
	write(t, a, "in.rst", "new text") // its output is in the store
	if _, err := w.Output(t.Context(), a); err != nil {
		t.Errorf("got %v for an output that exists", err)
	}
	if existed, err := w.Trusted.Remove(a.File); !existed || err != nil {
		t.Errorf("got %v, %v", existed, err)
	}
	write(t, a, "in.rst", "newest text")
	refused("nobody has trusted")
}

// Trust ends when anything that it covers changes, moves, leads out of the project or disappears.
func TestTrustEndsWithWhatItCovers(t *testing.T) {
	// out moves a file or directory of the project next to the project, and leaves a symlink.
	out := func(name string) func(a *BuildAction) error {
		return func(a *BuildAction) error {
			from, to := filepath.Join(a.Project, name), filepath.Join(t.TempDir(), "evil")
			return errors.Join(os.Rename(from, to), os.Symlink(to, from))
		}
	}
	// in moves a directory within the project, and leaves a symlink.
	in := func(name string) func(a *BuildAction) error {
		return func(a *BuildAction) error {
			from, to := filepath.Join(a.Project, name), filepath.Join(a.Project, "elsewhere")
			return errors.Join(os.Rename(from, to), os.Symlink("elsewhere", from))
		}
	}
	edit := func(name string) func(a *BuildAction) error {
		return func(a *BuildAction) error { return appendLine(filepath.Join(a.Project, name)) }
	}
	remove := func(name string) func(a *BuildAction) error {
		return func(a *BuildAction) error { return os.Remove(filepath.Join(a.Project, name)) }
	}
	gone, changed, refused := "has changed, moved or disappeared", "is new or has changed", "leads out of"
	for name, tc := range map[string]struct {
		args   []string // after those that make the page
		edit   func(a *BuildAction)
		change func(a *BuildAction) error
		want   string
	}{
		"a directory leads out":              {[]string{"tools/make.py"}, nil, out("tools"), refused},
		"a script leads out":                 {[]string{"tools/make.py"}, nil, out("tools/make.py"), refused},
		"a directory becomes a link inside":  {[]string{"tools/make.py"}, nil, in("tools"), changed},
		"a script disappears":                {[]string{"tools/make.py"}, nil, remove("tools/make.py"), gone},
		"a named directory leads out":        {[]string{"tools"}, nil, out("tools"), refused},
		"the value of an option":             {[]string{"--makefile=Mk"}, nil, edit("Mk"), changed},
		"the value of a short option":        {[]string{"-sfMk"}, nil, edit("Mk"), changed},
		"the value of an option leads out":   {[]string{"--makefile=tools/make.py"}, nil, out("tools"), refused},
		"the value of an option disappears":  {[]string{"-fMk"}, nil, remove("Mk"), gone},
		"a response file":                    {[]string{"@Mk"}, nil, edit("Mk"), changed},
		"the text of a shell":                {[]string{"cd . && ./tools/make.py \"$0\" >log"}, nil, edit("tools/make.py"), changed},
		"the text of a shell leads out":      {[]string{"cd tools; ./make.py"}, nil, out("tools"), refused},
		"a relative path out of the project": {[]string{"../beside.py"}, nil, edit("../beside.py"), changed},
		"a variable":                         {nil, func(a *BuildAction) { a.Env = append(a.Env, "BASH_ENV=Mk") }, edit("Mk"), changed},
		"a list in a variable":               {nil, func(a *BuildAction) { a.Env = append(a.Env, "X=no:tools/make.py") }, edit("tools/make.py"), changed},
		"a word of a variable":               {nil, func(a *BuildAction) { a.Env = append(a.Env, "X=--require ./tools/make.py") }, out("tools"), refused},
		"scripts lead out":                   {nil, func(a *BuildAction) { a.Scripts = []string{"/tools/"} }, out("tools"), "is a symlink to a directory"},
		"scripts lead inside":                {nil, func(a *BuildAction) { a.Scripts = []string{"/tools/*.py"} }, in("tools"), "is a symlink to a directory"},
		"any scripts lead out":               {nil, func(a *BuildAction) { a.Scripts = []string{"*.py"} }, out("tools"), "so trust can't cover scripts below it"},
		"a file of scripts leads out":        {nil, func(a *BuildAction) { a.Scripts = []string{"*.py"} }, out("tools/make.py"), "the script tools/make.py is a symlink that leads out of"},
		"a file of scripts disappears":       {nil, func(a *BuildAction) { a.Scripts = []string{"*.py"} }, remove("tools/make.py"), gone},
		"a file of scripts becomes a pipe":   {nil, func(a *BuildAction) { a.Scripts = []string{"*.py"} }, func(a *BuildAction) error { return replaceByPipe(a, "tools/make.py") }, "is not a regular file"},
		"a named script becomes a pipe":      {[]string{"tools/make.py"}, nil, func(a *BuildAction) error { return replaceByPipe(a, "tools/make.py") }, gone},
		"dir leads out":                      {nil, func(a *BuildAction) { a.Dir = "tools" }, out("tools"), "dir tools is a symlink, or lies below one, that leads out of"},
		"dir leads to another script":        {[]string{"make.py"}, func(a *BuildAction) { a.Dir = "tools" }, in("tools"), changed},
		"dir is a file": {nil, func(a *BuildAction) { a.Dir = "tools" }, func(a *BuildAction) error {
			return errors.Join(os.RemoveAll(a.dir()), os.WriteFile(a.dir(), nil, 0o666))
		}, "dir tools is not a directory"},
		"data becomes executable":              {[]string{"in.rst"}, nil, func(a *BuildAction) error { return os.Chmod(filepath.Join(a.Project, "in.rst"), 0o777) }, changed},
		"the program leads out":                {nil, func(a *BuildAction) { a.Run[0] = "./gen.sh" }, out("gen.sh"), "evil is new"},
		"the program's directory leads out":    {nil, func(a *BuildAction) { a.Run[0] = "bin/gen.sh" }, out("bin"), refused},
		"the program out of the project":       {nil, func(a *BuildAction) { a.Run[0] = "../beside.py" }, edit("../beside.py"), changed},
		"the program above a link":             {nil, func(a *BuildAction) { a.Run[0], a.Version = "tools/../gen.sh", "" }, out("tools"), "tools/../gen.sh does not exist"},
		"the program is linked from outside":   {nil, func(a *BuildAction) { a.Run[0] = "./linked.sh" }, edit("../beside.py"), changed},
		"a script of another command vanishes": {nil, nil, remove("other.py"), gone},
	} {
		t.Run(name, func(t *testing.T) {
			a, w := newAction(t, append([]string{"copy", Placeholder, filepath.Join(t.TempDir(), "log")}, tc.args...)...), newWorkshop(t)
			a.Project = filepath.Join(a.Project, "project") // whose parent is the same in every case
			a.File = filepath.Join(a.Project, "Contextfile.yml")
			w.Permission = IfTrusted
			for _, name := range []string{"in.rst", "tools/in.rst", "tools/make.py", "Mk", "other.py"} {
				write(t, a, name, "text")
			}
			for _, name := range []string{"gen.sh", "bin/gen.sh", "../beside.py"} {
				write(t, a, name, "#!/bin/sh\necho >\"$2/page.md\"\n")
				if err := os.Chmod(filepath.Join(a.Project, name), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("../beside.py", filepath.Join(a.Project, "linked.sh")); err != nil {
				t.Fatal(err)
			}
			other := *a
			other.Run = append(slices.Clone(a.Run), "other.py")
			if tc.edit != nil {
				tc.edit(a)
			}
			trust(t, w, a, &other)
			permit := func() error {
				read, err := a.read(t.Context(), w.SearchPath)
				return cmp.Or(err, w.permit(t.Context(), a, read))
			}
			if err := permit(); err != nil {
				t.Fatal("as trusted: ", err)
			}
			if err := tc.change(a); err != nil {
				t.Fatal(err)
			}
			if err := permit(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func replaceByPipe(a *BuildAction, name string) error {
	path := filepath.Join(a.Project, name)
	return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o666))
}

// A build can wait for minutes until another process has finished the same command.
func TestACommandDoesNotRunIfItsScriptsHaveChangedSinceThePermission(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	a, w := newAction(t, "copy", Placeholder, log, "make.py"), newWorkshop(t)
	write(t, a, "make.py", "1")
	read, err := a.read(t.Context(), w.SearchPath)
	if err != nil {
		t.Fatal(err)
	}
	write(t, a, "make.py", "2")
	if _, err := w.run(t.Context(), a, read, t.TempDir()); err == nil || !strings.Contains(err.Error(), "make.py changed before the command ran") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("the command ran")
	}
}

// A command can write files next to its scripts, and name them in the text of a shell.
func TestFilesThatAShellWritesAreNoScripts(t *testing.T) {
	a, w := newAction(t), newWorkshop(t)
	a.Run, a.Env = []string{"sh", "-c", "echo x >>log.txt; echo x >>../log; echo x >$0/page.md", Placeholder}, nil
	w.Permission = IfTrusted
	trust(t, w, a)
	for range 2 {
		write(t, a, "in.rst", "more")
		if _, err := w.Output(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		a.Inputs = append(a.Inputs, "x")
	}
}

func TestAllListsWhatIsTrusted(t *testing.T) {
	w := newWorkshop(t)
	var want []string
	for range 3 {
		a := newAction(t)
		trust(t, w, a)
		want = append(want, a.File)
	}
	if err := os.WriteFile(filepath.Join(w.Trusted.Dir, "copied"), Trust{File: "/x"}.Encode(), 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := w.Trusted.All()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.Trusted.Path("/y"), Trust{File: "/x"}.Encode(), 0o666); err != nil {
		t.Fatal(err)
	}
	if found, err := w.Trusted.Find("/y"); found != nil || err != nil {
		t.Errorf("the record about another file counts: got %v and %v", found, err)
	}
	var got []string
	for _, one := range all {
		got = append(got, one.File)
	}
	if sorted(strings.Join(got, "\n")) != sorted(strings.Join(want, "\n")) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What decodes must encode to the bytes that it came from.
func FuzzDecodeTrust(f *testing.F) {
	f.Add(Trust{File: "/project/Contextfile.yml"}.Encode())
	f.Add(Trust{File: "/p/Contextfile.yml", Sum: FileHash{1}, Scripts: []Script{{"a b", FileHash{2}}, {"c", FileHash{3}}}}.Encode())
	f.Add([]byte(trustHead))
	f.Fuzz(func(t *testing.T, text []byte) {
		trusted, err := DecodeTrust(text)
		if err == nil && !bytes.Equal(trusted.Encode(), text) {
			t.Errorf("%q encodes to %q", text, trusted.Encode())
		}
	})
}
