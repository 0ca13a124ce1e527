//go:build !windows

package actions

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/child"
	"github.com/contextcompiler/context/internal/base/parallel"
)

func TestOutputIsMadeOnceForEachKey(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	a, w := newAction(t, "copy", Placeholder, log), newWorkshop(t)
	expect := func(runs int, why string) (dir string) {
		t.Helper()
		dir, err := w.Output(t.Context(), a)
		if err != nil {
			t.Fatal(why, err)
		}
		if ran, _ := os.ReadFile(log); len(ran) != runs {
			t.Errorf("%s: the command ran %d times, want %d", why, len(ran), runs)
		}
		return dir
	}
	first := expect(1, "first build")
	if text, err := os.ReadFile(filepath.Join(first, "sub", "page.md")); err != nil || string(text) != "text\n" {
		t.Errorf("got %q, %v", text, err)
	}
	expect(1, "second build")
	write(t, a, "other.txt", "not an input")
	expect(1, "a file that is no input")
	write(t, a, "in.rst", "new\n")
	if expect(2, "another input") == first {
		t.Error("another input gives the same entry")
	}
	write(t, a, "b/more.rst", "more\n")
	expect(3, "a new input")
	a.Version = "2"
	expect(4, "another version")
	a.Env = append(a.Env, "X=1")
	expect(5, "another variable")
	a.Timeout = time.Hour
	expect(5, "another timeout")
	a.Pages = "sub"
	if dir := expect(5, "another directory of pages"); filepath.Base(dir) != "sub" {
		t.Errorf("the pages are in %s", dir)
	}
	if err := errors.Join(os.Remove(filepath.Join(a.Project, "b/more.rst")), os.WriteFile(filepath.Join(a.Project, "in.rst"), []byte("text\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	a.Version, a.Env, a.Pages = "1", a.Env[:1], "."
	if expect(5, "the first inputs again") != first {
		t.Error("the first inputs give another entry")
	}
}

// Two targets, or two processes, can need the same output.
func TestSimultaneousBuildsRunACommandOnce(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	a, w := newAction(t, "copy", Placeholder, log), newWorkshop(t)
	_, err := parallel.Each(t.Context(), 4, 4, func(ctx context.Context, _, _ int) (string, error) { return w.Output(ctx, a) })
	if err != nil {
		t.Fatal(err)
	}
	if ran, _ := os.ReadFile(log); len(ran) != 1 {
		t.Errorf("the command ran %d times", len(ran))
	}
}

func TestACommandGetsACleanEnvironment(t *testing.T) {
	t.Setenv("SECRET", "1")
	a, w := newAction(t, "environment", Placeholder), newWorkshop(t)
	w.SearchPath = strings.Join([]string{"bin", "/usr/bin", ".", "", "/bin"}, string(filepath.ListSeparator))
	a.Dir = "docs"
	a.Env = append(a.Env, "TZ=Asia/Tokyo")
	write(t, a, "docs/in.rst", "")
	dir, err := w.Output(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "page.md"))
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`=\S*/(home|tmp)\n`).ReplaceAllString(strings.ReplaceAll(string(text), a.Project, "PROJECT"), "=$1\n")
	want := `cwd=PROJECT/docs
HOME=home
LANG=C.UTF-8
LC_ALL=C.UTF-8
PATH=/usr/bin:/bin
SOURCE_DATE_EPOCH=315532800
TEMP=tmp
TMP=tmp
TMPDIR=tmp
USERPROFILE=home
CONTEXT_TEST_CONVERTER=1
TZ=Asia/Tokyo
HOME 0 <nil>
TMPDIR 0 <nil>
`
	if sorted(got) != sorted(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestAFailureStoresNothingAndSaysWhy(t *testing.T) {
	for _, tc := range []struct {
		name, message string
		args          []string
		edit          func(a *BuildAction, w *Workshop)
	}{
		{"an exit status", "exit status 3: Warning: slow | \x1b[31mError:\x1b[0m chapter 2 | is missing", []string{"fail", Placeholder}, nil},
		{"nothing", "it wrote no file into {out}", []string{"nothing", Placeholder}, nil},
		{"a symlink", "it wrote users.md, which is not a regular file", []string{"link", Placeholder}, nil},
		{"a symlink instead of the directory", "it removed or replaced the directory {out}", []string{"swap", Placeholder}, nil},
		{"endless output", "it printed more than 67108864 bytes", []string{"chatter", Placeholder}, nil},
		{"a timeout", "it was ended after 20ms: set timeout", []string{"hold", "/dev/null", Placeholder}, func(a *BuildAction, _ *Workshop) { a.Timeout = 20 * time.Millisecond }},
		{"a changed input", "in.rst changed while the command ran", []string{"touch", Placeholder}, nil},
		{"no program", "no-such-tool is not installed: no directory of PATH contains it", []string{Placeholder}, func(a *BuildAction, _ *Workshop) { a.Run[0], a.Version = "no-such-tool", "" }},
		{"no program, but its version", "no-such-tool is not installed", []string{Placeholder}, func(a *BuildAction, _ *Workshop) { a.Run[0] = "no-such-tool" }},
		{"no inputs", "inputs match no file below", []string{"nothing", Placeholder}, func(a *BuildAction, _ *Workshop) { a.Inputs = []string{"*.adoc"} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, w := newAction(t, tc.args...), newWorkshop(t)
			if tc.edit != nil {
				tc.edit(a, &w)
			}
			_, err := w.Output(t.Context(), a)
			if fault.CodeOf(orNew(err)) != fault.IO || !strings.Contains(orNew(err).Error(), a.String()+": ") || !strings.Contains(orNew(err).Error(), tc.message) {
				t.Errorf("got %v, want %s", err, tc.message)
			}
			if left := names(t, w); left != nil {
				t.Errorf("the store contains %s", left)
			}
		})
	}
}

func orNew(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}

func TestTheWholeGroupEndsWithTheBuild(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock")
	a, w := newAction(t, "family", lock, Placeholder), newWorkshop(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := parallel.Each(t.Context(), 2, 2, func(_ context.Context, _, i int) (string, error) {
		if i == 0 {
			return w.Output(ctx, a)
		}
		awaitFile(t, lock+".locked")
		cancel()
		return "", nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	awaitFree(t, lock)
	if left := names(t, w); left != nil {
		t.Errorf("the store contains %s", left)
	}
}

func TestProcessesThatACommandLeavesAreEnded(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock")
	a, w := newAction(t, "orphan", lock, Placeholder), newWorkshop(t)
	if _, err := w.Output(t.Context(), a); err != nil {
		t.Error(err)
	}
	awaitFree(t, lock)
}

// These variables tell a copy of the tests what to build until it is killed.
const killedProject, killedStore, killedGate = "CONTEXT_TEST_PROJECT", "CONTEXT_TEST_STORE", "CONTEXT_TEST_GATE"

func TestAStoreSurvivesAKilledBuild(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	a, w := newAction(t, "gate", Placeholder, gate), newWorkshop(t)
	if project := os.Getenv(killedProject); project != "" {
		a.Project, a.Run[3], w.Store.Dir = project, os.Getenv(killedGate), os.Getenv(killedStore)
		t.Log(w.Output(t.Context(), a))
		return
	}
	if err := os.WriteFile(gate, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(a.Run[0], "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), killedProject+"="+a.Project, killedStore+"="+w.Store.Dir, killedGate+"="+gate, "TMPDIR="+t.TempDir())
	child.Watch(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitFile(t, gate+".reached")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if len(names(t, w)) == 0 {
		t.Error("the killed build left nothing, so this tests nothing")
	}
	if err := os.Remove(gate); err != nil {
		t.Fatal(err)
	}
	w.Permission = Never
	if dir, err := w.Output(t.Context(), a); !errors.Is(err, ErrNotMade) || fault.CodeOf(err) != fault.Stale {
		t.Errorf("got %q, %v, want %v", dir, err, ErrNotMade)
	}
	w.Permission = Always
	dir, err := w.Output(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "half.md")); err == nil {
		t.Error("the entry contains a file of the killed build")
	}
	if left := names(t, w); len(left) != 1 {
		t.Errorf("the store contains %s", left)
	}
}

func TestRunTwiceComparesTwoRunsAndStoresNothing(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	a, w := newAction(t, "number", Placeholder, log), newWorkshop(t)
	err := w.RunTwice(t.Context(), a, func(first, second string) error {
		one, _ := os.ReadFile(filepath.Join(first, "page.md"))
		two, _ := os.ReadFile(filepath.Join(second, "page.md"))
		if string(one) != "1" || string(two) != "2" {
			t.Errorf("got %q and %q", one, two)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if left := names(t, w); left != nil {
		t.Errorf("the store contains %s", left)
	}
}
