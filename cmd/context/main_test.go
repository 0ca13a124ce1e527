//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/contextcompiler/context/cli"
	"github.com/contextcompiler/context/internal/base/effort"
)

// The command line is tested from the outside: every file in testdata/script
// is a test that runs the program, and can be read as its documentation.

var update = flag.Bool("update", false, "rewrite what the scripts expect; review the diff")

func TestMain(m *testing.M) {
	// Programs under the race detector are to end at once, not after a second.
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	// The scripts start this program about a thousand times, so it should not import
	// what takes long to initialize.
	testscript.Main(announced{m}, map[string]func(){
		"context": mainInTime, "mcp-context-server": cli.RunServer, "under": under, "interrupt": interrupt,
	})
}

// endVariable tells the programs that tests start when go test ends the tests.
const endVariable = "CONTEXT_TEST_END"

// announced are tests that set endVariable.
type announced struct{ *testing.M }

func (m announced) Run() int {
	flag.Parse()
	if limit := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration); limit > 0 {
		os.Setenv(endVariable, time.Now().Add(limit).Format(time.RFC3339))
	}
	effort.UseMemory()
	return m.M.Run()
}

// mainInTime is main, except that it does not outlive the tests.
func mainInTime() {
	if end, err := time.Parse(time.RFC3339, os.Getenv(endVariable)); err == nil {
		time.AfterFunc(time.Until(end), func() { panic("context has not ended before its tests") })
	}
	main()
}

// groupCommand returns a command that ends before go test ends the tests, together with the
// programs that it starts, such as compilers.
func groupCommand(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	ctx := t.Context()
	if end, limited := t.Deadline(); limited {
		earlier, cancel := context.WithDeadline(ctx, end.Add(-time.Until(end)/20))
		t.Cleanup(cancel)
		ctx = earlier
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

func TestScripts(t *testing.T) {
	prepareInside(t)
	runScripts(t, func(script string) bool { return !usesTerminal.MatchString(script) }, !startsAll())
}

// Commands on a terminal are processes. While they run, this process must only read from the
// terminal, because testscript drops what it hasn't read when a command ends.
func TestScriptsOnTerminals(t *testing.T) {
	runScripts(t, usesTerminal.MatchString, false)
}

var usesTerminal = regexp.MustCompile(`(?m)^(?:\[.*\] )?ttyin `)

// runScripts runs the scripts that a function chooses, most commands inside of this process
// if isInside.
func runScripts(t *testing.T, choose func(script string) bool, isInside bool) {
	t.Helper()
	syscall.Umask(0o022)
	testdata, err := filepath.Abs("testdata") // because runInside changes the working directory
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(testdata, "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	chosen := slices.DeleteFunc(all, func(path string) bool { return !choose(string(readFile(t, path))) })
	if len(chosen) < 5 {
		t.Fatalf("only %d scripts were found", len(chosen))
	}
	if isInside {
		chosen = scriptsInside(t, chosen)
	}
	testscript.Run(t, testscript.Params{
		Files: chosen,
		Setup: func(env *testscript.Env) error {
			env.Values[patience{}] = effort.Patience(t)
			env.Values[runsInside{}] = isInside
			return setup(env, testdata)
		},
		Cmds:                commands,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
	})
}

// setup lets all users reach the script's directory and the program, which
// `under -nobody` needs. ANSWERS has docs to ask, and RECORDED
// the recorded caches.
func setup(env *testscript.Env, testdata string) error {
	program, err := exec.LookPath("context")
	if err != nil {
		return err
	}
	env.Setenv(endVariable, os.Getenv(endVariable))
	env.Setenv("ANSWERS", filepath.Join(testdata, "answers"))
	env.Setenv("RECORDED", filepath.Join(testdata, "..", recordedCaches))
	env.Values[heldFiles{}] = map[string]*flock.Flock{}
	env.Values[awaitedTexts{}] = map[string]int{}
	script := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-") + ".txtar"
	if env.Values[variables{}], err = namesOfVariables(filepath.Join(testdata, "script", script), env.Vars); err != nil {
		return err
	}
	const everybody = 0o755
	bin := filepath.Dir(program)
	return errors.Join(
		os.Chmod(program, everybody),
		os.Chmod(bin, everybody),
		os.Chmod(filepath.Dir(bin), everybody),
		os.Chmod(filepath.Dir(env.WorkDir), everybody),
	)
}

// A command is a command of scripts that testscript lacks. Its arguments TEXT and NAME
// may have the escapes of a Go string, such as \n and \xff.
type command = func(ts *testscript.TestScript, neg bool, args []string)

var commands = map[string]command{
	"await":     await,
	"chomp":     chomp,
	"cmptree":   compareTrees,
	"documents": writeDocuments,
	"dump":      dump,
	"edit":      edit,
	"exits":     exits,
	"grow":      grow,
	"hold":      hold,
	"list":      list,
	"mkfifo":    makePipe,
	"refused":   refused,
	"registry":  serveRegistry,
	"release":   release,
	"setbytes":  setBytes,
	"spans":     spans,
	"touch":     touch,
	"write":     write,
}

// exits STATUS CMD... runs CMD, which must end with that exit status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) > 1, "exits STATUS CMD...")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := statusOf(ts, args[1], args[2:]); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// runsInside is the key of whether a script runs most commands inside of this process.
type runsInside struct{}

func statusOf(ts *testscript.TestScript, program string, args []string) int {
	printsItsPath := len(args) > 0 && args[0] == "client"
	if program == "context" && ts.Value(runsInside{}).(bool) && !printsItsPath {
		return runInside(ts, args)
	}
	err := ts.Exec(program, args...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

// refused STATUS DIR builds the targets of each file in a directory, which must end with
// that exit status. The first line of a file is a comment with the whole standard error,
// in which FILE stands for the path.
func refused(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 2, "refused STATUS DIR")
	entries, err := os.ReadDir(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(entries) == 0 {
		ts.Fatalf("there is nothing in %s", args[1])
	}
	for _, e := range entries {
		file := args[1] + "/" + e.Name()
		var stdout, stderr bytes.Buffer
		// A process for each file would take most of the time. The directory of the
		// test is another, so the path is absolute.
		status := cli.Main(context.Background(), []string{"build", "--file", ts.MkAbs(file)}, &stdout, &stderr)
		first, _, _ := strings.Cut(ts.ReadFile(file), "\n")
		want := strings.ReplaceAll(strings.TrimPrefix(first, "# "), "FILE", file) + "\n"
		got := strings.ReplaceAll(stderr.String(), ts.MkAbs(".")+"/", "")
		if strconv.Itoa(status) != args[0] || got != want || stdout.Len() > 0 {
			ts.Fatalf("%s: got status %d, %q and %q, want %q", file, status, &stdout, got, want)
		}
	}
}

// patience is the key of how long a script waits for another program.
type patience struct{}

// awaitedTexts is the key of the files that a script waits for, with the length of what
// has matched.
type awaitedTexts struct{}

// await FILE REGEXP waits until what another program writes to a file matches, behind
// the last match there.
func await(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 2, "await FILE REGEXP")
	wanted, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	seen := ts.Value(awaitedTexts{}).(map[string]int)
	for end := time.Now().Add(ts.Value(patience{}).(time.Duration)); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		text := ts.ReadFile(args[0])[seen[args[0]]:]
		if match := wanted.FindStringIndex(text); match != nil {
			seen[args[0]] += match[1]
			return
		}
	}
	ts.Fatalf("%s has no %s in time: %s", args[0], args[1], ts.ReadFile(args[0]))
}

// chomp FILE... takes the final line feed off files of the script, which
// cannot be written without one.
func chomp(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) > 0, "chomp FILE...")
	for _, name := range args {
		text := strings.TrimSuffix(ts.ReadFile(name), "\n")
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o666))
	}
}

// write NAME TEXT writes a file that a script cannot hold.
func write(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 2, "write NAME TEXT")
	name := ts.MkAbs(unescape(ts, args[0]))
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, []byte(unescape(ts, args[1])), 0o666))
}

// edit FILE TEXT TEXT replaces the first text, which must stand in the file
// once, by the second. FILE can be a pattern that matches a single file.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 3, "edit FILE TEXT TEXT")
	found, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%s matches %d files, want 1", args[0], len(found))
	}
	text, from, to := ts.ReadFile(found[0]), unescape(ts, args[1]), unescape(ts, args[2])
	if n := strings.Count(text, from); n != 1 {
		ts.Fatalf("%q stands in %s %d times, want 1", from, args[0], n)
	}
	ts.Check(os.WriteFile(found[0], []byte(strings.Replace(text, from, to, 1)), 0o666))
}

// grow FILE SIZE adds zeros to a file until it has that size.
func grow(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 2, "grow FILE SIZE")
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// setbytes VARIABLE TEXT sets an environment variable.
func setBytes(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 2, "setbytes VARIABLE TEXT")
	ts.Setenv(args[0], unescape(ts, args[1]))
}

// documents DIR N writes N small documents.
func writeDocuments(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 2, "documents DIR N")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o777))
	for i := range n {
		name := filepath.Join(ts.MkAbs(args[0]), fmt.Sprintf("%05d.md", i))
		ts.Check(os.WriteFile(name, fmt.Appendf(nil, "# Document %d\n", i%(n/2)), 0o666))
	}
}

// touch TIME FILE... sets when files were last changed, in RFC 3339.
func touch(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) > 1, "touch TIME FILE...")
	when, err := time.Parse(time.RFC3339Nano, args[0])
	ts.Check(err)
	for _, name := range args[1:] {
		ts.Check(os.Chtimes(ts.MkAbs(name), when, when))
	}
}

// mkfifo FILE makes a named pipe.
func makePipe(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 1, "mkfifo FILE")
	ts.Check(unix.Mkfifo(ts.MkAbs(args[0]), 0o666))
}

// heldFiles is the key of the files that a script holds.
type heldFiles struct{}

// hold PATH takes a lock on a file or directory, as another process would.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 1, "hold PATH")
	file := flock.New(ts.MkAbs(args[0]), flock.SetFlag(os.O_RDONLY))
	held, err := file.TryLock()
	ts.Check(err)
	if !held {
		ts.Fatalf("%s is held by somebody else", args[0])
	}
	ts.Value(heldFiles{}).(map[string]*flock.Flock)[args[0]] = file
	ts.Defer(func() { file.Close() })
}

// release PATH gives back what hold took.
func release(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 1, "release PATH")
	ts.Check(ts.Value(heldFiles{}).(map[string]*flock.Flock)[args[0]].Close())
}

// list DIR prints the names in a directory. Names of directories end in a slash.
func list(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 1, "list DIR")
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	out := ts.Stdout()
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		fmt.Fprintln(out, name)
	}
}

// cmptree DIR DIR compares all that is below two directories, byte for byte.
func compareTrees(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, len(args) == 2, "[!] cmptree DIR DIR")
	got, err := readTree(ts.MkAbs(args[0]))
	ts.Check(err)
	want, err := readTree(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(want) == 0 {
		ts.Fatalf("there is nothing below %s", args[1])
	}
	if equal := maps.Equal(got, want); equal == neg {
		ts.Fatalf("%s and %s: equal is %t, want %t", args[0], args[1], equal, !neg)
	}
}

// dump CACHE prints the files of all documents, a line each, in the order of
// the manifest.
func dump(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 1, "dump CACHE")
	var manifest struct{ Documents []struct{ File string } }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0]+"/manifest.json")), &manifest))
	for _, d := range manifest.Documents {
		fmt.Fprintln(ts.Stdout(), ts.ReadFile(args[0]+"/"+d.File))
	}
}

// readTree returns the contents of all files below dir by their names.
func readTree(dir string) (map[string]string, error) {
	found := map[string]string{}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	return found, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			found[name+"/"] = ""
		case e.Type().IsRegular():
			content, err := os.ReadFile(path)
			found[name] = string(content)
			return err
		default:
			found[name] = e.Type().String()
		}
		return nil
	})
}

// spans FILE prints the stages of a build in its profile: for the build itself, then for
// each page, in the order of time.
func spans(ts *testscript.TestScript, neg bool, args []string) {
	expect(ts, !neg && len(args) == 1, "spans FILE")
	head, table, _ := strings.Cut(ts.ReadFile(args[0]), "\n")
	columns := strings.Fields(head)
	stages := map[string][]string{}
	for line := range strings.Lines(table) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		took, err := strconv.Atoi(row[3])
		if len(row) != len(columns) || err != nil || took < 0 {
			ts.Fatalf("%q is not a row of %q", line, columns)
		}
		stages[row[4]] = append(stages[row[4]], row[1])
	}
	for _, page := range slices.Sorted(maps.Keys(stages)) {
		fmt.Fprintln(ts.Stdout(), strings.TrimSpace(page+" "+strings.Join(stages[page], " ")))
	}
}

func expect(ts *testscript.TestScript, ok bool, usage string) {
	if !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

// unescape undoes the escapes of a Go string.
func unescape(ts *testscript.TestScript, text string) string {
	raw, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	if err != nil {
		ts.Fatalf("%q: %v", text, err)
	}
	return raw
}

// under runs another program as a user without rights, with a umask, or with its output
// in a file.
//
//	under [-nobody] [-umask MODE] [-stdout FILE] CMD...
func under() {
	nobody := flag.Bool("nobody", false, "run as a user other than root")
	umask := flag.String("umask", "022", "the umask, in octal")
	stdout := flag.String("stdout", "", "where standard output goes")
	flag.Parse()

	mask, err := strconv.ParseInt(*umask, 8, 0)
	check(err)
	syscall.Umask(int(mask))
	if *stdout != "" {
		f, err := os.OpenFile(*stdout, os.O_WRONLY, 0)
		check(err)
		check(unix.Dup2(int(f.Fd()), syscall.Stdout))
	}
	if *nobody && os.Geteuid() == 0 {
		const nobody = 65534
		check(syscall.Setgroups(nil))
		check(syscall.Setgid(nobody))
		check(syscall.Setuid(nobody))
	}
	program, err := exec.LookPath(flag.Arg(0))
	check(err)
	check(syscall.Exec(program, flag.Args(), os.Environ()))
}

// interrupt is a program that runs another one, which writes its profile to
// the named pipe PIPE, and interrupts it as soon as something comes through:
// it is in the midst of its work then, and waits for the pipe to be emptied.
// The exit status is the other program's, in the manner of a shell.
//
//	interrupt [-again PATH] PIPE CMD...
func interrupt() {
	again := flag.String("again", "", "once `PATH` exists, interrupt until the program is gone; run it up to 100 times, until PATH is left")
	flag.Parse()

	// Shells let programs in the background ignore interrupts. A signal that this
	// program handles is not ignored by those that it starts.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	status := interruptOnce(*again)
	// On a busy machine, the other program may have tidied up before the second
	// interrupt arrives.
	for tries := 1; *again != "" && tries < 100; tries++ {
		if _, err := os.Lstat(*again); err == nil {
			break
		}
		status = interruptOnce(*again)
	}
	os.Exit(status)
}

// interruptOnce runs the program of the command line and returns its exit status.
func interruptOnce(again string) int {
	// The pipe is open for writing, too, so that it has no end.
	pipe, err := os.OpenFile(flag.Arg(0), os.O_RDWR, 0)
	check(err)
	defer pipe.Close()
	cmd := exec.Command(flag.Arg(1), flag.Args()[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	check(cmd.Start())
	_, err = pipe.Read(make([]byte, 1))
	check(err)
	if again != "" {
		for _, err := os.Lstat(again); err != nil; _, err = os.Lstat(again) {
			time.Sleep(time.Millisecond)
		}
	}
	check(cmd.Process.Signal(os.Interrupt))
	if again != "" {
		go func() {
			for cmd.Process.Signal(os.Interrupt) == nil {
				time.Sleep(time.Millisecond)
			}
		}()
	} else {
		go io.Copy(io.Discard, pipe)
	}
	cmd.Wait() // its exit status has the error
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// check ends the program if a step of a script fails.
func check(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
		os.Exit(99)
	}
}
