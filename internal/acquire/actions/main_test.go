package actions

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/effort"
)

// helperVariable makes the test program a converter. Converters get no other variables.
const helperVariable = "CONTEXT_TEST_CONVERTER"

func TestMain(m *testing.M) {
	if os.Getenv(helperVariable) != "" {
		if err := convert(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// convert is the converter of the tests. It runs in the project.
func convert(mode string, args []string) error {
	switch mode {
	case "copy": // OUT LOG: copies in.rst, and adds a line to LOG
		text, err := os.ReadFile("in.rst")
		return errors.Join(err, appendLine(args[1]), os.MkdirAll(filepath.Join(args[0], "sub"), 0o777),
			os.WriteFile(filepath.Join(args[0], "sub", "page.md"), text, 0o666))
	case "environment": // OUT
		cwd, _ := os.Getwd()
		text := "cwd=" + cwd + "\n" + strings.Join(os.Environ(), "\n") + "\n"
		for _, name := range []string{"HOME", "TMPDIR"} {
			entries, err := os.ReadDir(os.Getenv(name))
			text += fmt.Sprintln(name, len(entries), err)
		}
		return os.WriteFile(filepath.Join(args[0], "page.md"), []byte(text), 0o666)
	case "fail":
		fmt.Println("reading")
		return errors.New("Warning: slow\n\n\x1b[31mError:\x1b[0m chapter 2\n  is missing")
	case "chatter":
		for line := bytes.Repeat([]byte("x"), 1<<16); ; {
			if _, err := os.Stdout.Write(line); err != nil {
				return err
			}
		}
	case "link": // OUT
		return errors.Join(os.WriteFile(filepath.Join(args[0], "page.md"), nil, 0o666), os.Symlink("/etc/passwd", filepath.Join(args[0], "users.md")))
	case "swap": // OUT
		return errors.Join(os.Remove(args[0]), os.Symlink("/etc", args[0]))
	case "touch": // OUT
		return errors.Join(os.WriteFile(filepath.Join(args[0], "page.md"), nil, 0o666), appendLine("in.rst"))
	case "number": // OUT LOG: writes how often it ran
		err := appendLine(args[1])
		text, _ := os.ReadFile(args[1])
		return errors.Join(err, os.WriteFile(filepath.Join(args[0], "page.md"), fmt.Append(nil, len(text)), 0o666))
	case "nothing":
		return nil
	case "hold": // LOCK: takes a lock and waits for ever
		return hold(args[0])
	case "family": // LOCK: starts hold, and waits for ever
		return errors.Join(startHold(args[0]), wait())
	case "orphan": // LOCK OUT: starts hold, and ends
		return errors.Join(startHold(args[0]), os.WriteFile(filepath.Join(args[1], "page.md"), nil, 0o666))
	case "gate": // OUT GATE: waits until its parent is gone if GATE exists
		if _, err := os.Stat(args[1]); err != nil {
			return os.WriteFile(filepath.Join(args[0], "page.md"), nil, 0o666)
		}
		parent := os.Getppid()
		err := errors.Join(os.WriteFile(filepath.Join(args[0], "half.md"), nil, 0o666), os.WriteFile(args[1]+".reached", nil, 0o666))
		for os.Getppid() == parent {
			time.Sleep(10 * time.Millisecond)
		}
		return err
	}
	return errors.New("unknown mode " + mode)
}

func appendLine(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close())
}

func hold(path string) error {
	file := flock.New(path)
	if err := file.Lock(); err != nil {
		return err
	}
	fmt.Println("locked")
	return wait()
}

func wait() error { time.Sleep(time.Hour); return nil }

// startHold starts a process that keeps the standard error of its parent open.
func startHold(path string) error {
	cmd := exec.Command(os.Args[0], "hold", path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	_, err = bufio.NewReader(out).ReadString('\n')
	return errors.Join(err, os.WriteFile(path+".locked", nil, 0o666))
}

// awaitFree fails unless a lock is free soon.
func awaitFree(t *testing.T, path string) {
	t.Helper()
	file := flock.New(path)
	defer file.Close()
	for end := time.Now().Add(effort.Patience(t)); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if free, err := file.TryLock(); err != nil || free {
			return
		}
	}
	t.Fatal("a process of the command is still running")
}

func awaitFile(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(effort.Patience(t)); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s doesn't appear", path)
}

// newAction returns an action in a new project with the file in.rst, which runs this program.
func newAction(t *testing.T, args ...string) *BuildAction {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	project, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := &BuildAction{
		Run: append([]string{program}, args...), Dir: ".", Pages: ".", Inputs: []string{"*.rst"}, Version: "1",
		Env: []string{helperVariable + "=1"}, Project: project, File: filepath.Join(project, "Contextfile.yml"),
	}
	write(t, a, "in.rst", "text\n")
	return a
}

func write(t *testing.T, a *BuildAction, name, text string) {
	t.Helper()
	path := filepath.Join(a.Project, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// newWorkshop returns a workshop that runs everything.
func newWorkshop(t *testing.T) Workshop {
	t.Helper()
	dir := t.TempDir()
	return Workshop{
		Store: store.Store{Dir: filepath.Join(dir, "store")}, Now: time.Unix(1_800_000_000, 0),
		SearchPath: os.Getenv("PATH"), Permission: Always, Trusted: TrustList{Dir: filepath.Join(dir, "trust")},
	}
}

// names returns everything in the store but the locks.
func names(t *testing.T, w Workshop) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(w.Store.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".lock") && !strings.HasSuffix(e.Name(), "-lock") {
			all = append(all, e.Name())
		}
	}
	return all
}
