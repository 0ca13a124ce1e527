package actions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/process"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/replace"
)

// The variables of every command. Some generators print the time, so a fixed time makes their
// output reproducible. Zip files can't contain an earlier time than this.
var fixedEnvironment = []string{"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "SOURCE_DATE_EPOCH=315532800", "TZ=UTC"}

// directoryVariables are variables whose values are directories made for each run.
var directoryVariables = map[string]string{
	"HOME": "home", "USERPROFILE": "home", "TMPDIR": "tmp", "TEMP": "tmp", "TMP": "tmp",
}

// CheckVariable fails if an action can't set an environment variable.
func CheckVariable(name string) error {
	upper := strings.ToUpper(name)
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		return fmt.Errorf("%q is not the name of a variable", name)
	case upper == "PATH" || directoryVariables[upper] != "":
		return fmt.Errorf("%s can't be set: every command gets the user's PATH, and a HOME and a TMPDIR of its own", name)
	}
	return nil
}

// maxChatter bounds what a command prints on standard output, and on standard error, in bytes.
const maxChatter = 64 << 20

// waitForPipes is how long other processes may keep the output of a command open after its end.
const waitForPipes = time.Second

// run runs the command in an empty directory, and returns the directory with its output.
func (a *BuildAction) run(ctx context.Context, searchPath, work string) (out string, err error) {
	program, err := a.program(searchPath)
	if err != nil {
		return "", a.errorf(ctx, "%w", err)
	}
	out = filepath.Join(work, "out")
	for _, name := range []string{"out", "home", "tmp"} {
		if err := os.Mkdir(filepath.Join(work, name), 0o777); err != nil {
			return "", a.errorf(ctx, "%w", err)
		}
	}
	timeout := cmp.Or(a.Timeout, DefaultTimeout)
	limited, stop := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("it was ended after %v: set timeout if it needs longer", timeout))
	defer stop()
	limited, end := context.WithCancelCause(limited)
	defer end(nil)
	cmd := exec.CommandContext(limited, program)
	cmd.Args = slices.Clone(a.Run)
	for i := 1; i < len(cmd.Args); i++ {
		cmd.Args[i] = strings.ReplaceAll(cmd.Args[i], Placeholder, out)
	}
	cmd.Dir, cmd.Env, cmd.WaitDelay = a.dir(), a.environment(searchPath, work), waitForPipes
	stdout, stderr := &chatter{left: maxChatter, end: end}, &chatter{left: maxChatter, end: end}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	process.Isolate(cmd, syscall.SIGKILL)
	err = cmd.Run()
	process.EndGroup(cmd.Process)
	if cause := context.Cause(limited); cause != nil {
		return "", a.errorf(ctx, "%w", cause)
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		if cmd.Process == nil { // the system only says that the file doesn't exist, even if its interpreter is missing
			return "", a.errorf(ctx, "%s cannot start: %w: it must be built for this system, or be a script whose first line names an interpreter that exists, and ends with LF", a.Run[0], fault.Cause(err))
		}
		said := cmp.Or(stderr.String(), stdout.String(), "it printed nothing")
		return "", a.errorf(ctx, "%w: %s", fault.Cause(err), said)
	}
	return out, nil
}

// environment returns all variables of the command.
func (a *BuildAction) environment(searchPath, work string) []string {
	env := slices.Concat(fixedEnvironment, []string{"PATH=" + strings.Join(absolute(searchPath), string(filepath.ListSeparator))})
	for name, dir := range directoryVariables {
		env = append(env, name+"="+filepath.Join(work, dir))
	}
	slices.Sort(env)
	return append(env, a.Env...) // the last value of a variable counts
}

// A chatter keeps the end of what a command prints, and ends the command if it prints too much.
type chatter struct {
	process.Tail
	left int64
	end  context.CancelCauseFunc
}

func (c *chatter) Write(p []byte) (int, error) {
	if c.left -= int64(len(p)); c.left < 0 {
		c.end(fmt.Errorf("it printed more than %d bytes", maxChatter))
	}
	return c.Tail.Write(p)
}

// String returns the last lines as a single line.
func (c *chatter) String() string {
	const most = 1000 // bytes
	return c.Lines(most, " | ", strings.TrimSpace)
}

// collect copies the output of the command in work to an entry. It copies
// instead of moving, because a process that is still running could change files it has open.
func (a *BuildAction) collect(ctx context.Context, work string, entry *replace.Staging) error {
	parent, err := os.OpenRoot(work)
	if err != nil {
		return a.errorf(ctx, "%w", err)
	}
	defer parent.Close()
	root, err := files.OpenPlainRoot(parent, "out")
	if err != nil {
		return a.errorf(ctx, "%w", err)
	}
	if root == nil {
		return a.errorf(ctx, "it removed or replaced the directory %s", Placeholder)
	}
	defer root.Close()
	var n, size int64
	err = fs.WalkDir(root.FS(), ".", func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case at == ".":
			return nil
		case e.IsDir():
			return entry.Mkdir(at)
		case !e.Type().IsRegular():
			return fmt.Errorf("it wrote %s, which is not a regular file: links, pipes and devices are refused", at)
		}
		if n++; n > maxFiles {
			return fmt.Errorf("it wrote more than %d files", maxFiles)
		}
		copied, err := copyFile(root, at, entry, maxBytes-size)
		size += copied
		return err
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("it wrote no file into %s", Placeholder)
	}
	if err != nil {
		return a.errorf(ctx, "%w", err)
	}
	return nil
}

// copyFile copies a file of at most limit bytes to an entry.
func copyFile(root *os.Root, at string, entry *replace.Staging, limit int64) (n int64, err error) {
	file, _, err := files.OpenPlain(root, at)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	err = entry.StreamFile(at, func(out io.Writer) error {
		n, err = io.Copy(out, io.LimitReader(file, limit+1))
		if err == nil && n > limit {
			err = fmt.Errorf("it wrote more than %d bytes", int64(maxBytes))
		}
		return err
	})
	return n, err
}
