package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/project/targets"
)

// A fileFlag is the Contextfile of a command: path is the value of --file, and found what
// was read.
type fileFlag struct {
	path, found string
	allow       bool // value of --allow-convert
	permission  actions.Permission
	announce    func(*actions.BuildAction)
}

func (f *fileFlag) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "file", "", "use `FILE` instead of the nearest "+targets.Name)
}

// bindAllow binds the flag of commands that can run what a source declares with convert.
func (f *fileFlag) bindAllow(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.allow, "allow-convert", false, "run convert commands that you do not trust")
}

// mayConvert lets the commands of a Contextfile run if the user trusts them.
func (f *fileFlag) mayConvert(cmd *cobra.Command) {
	f.permission = actions.IfTrusted
	if f.allow {
		f.permission = actions.Always
	}
	if stderr := cmd.ErrOrStderr(); console.IsTerminal(stderr) {
		f.announce = func(a *actions.BuildAction) { fmt.Fprintf(stderr, "running %s\n", a) }
	}
}

func (f *fileFlag) environment() targets.Environment {
	e := environment()
	e.Workshop.Permission, e.Workshop.Announce = f.permission, f.announce
	return e
}

// complete completes the names of targets.
func (f *fileFlag) complete(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	if file, err := f.read(); err == nil {
		for _, t := range file.Targets {
			names = append(names, t.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// findContextfile returns the path of the nearest Contextfile, or "".
func findContextfile() (string, error) {
	path, err := targets.Find(".")
	if wrong, isMisspelled := errors.AsType[targets.MisspelledError](err); isMisspelled {
		err = usagef("%v", wrong)
	}
	return path, err
}

var errNoFile = errors.New("there is no " + targets.Name + " here or above")

// read reads the file of the flag, or the nearest Contextfile without the flag. It fails
// with [errNoFile] if the file is missing.
func (f *fileFlag) read() (_ *targets.Contextfile, err error) {
	if f.found = f.path; f.path == "" {
		if f.found, err = findContextfile(); err != nil {
			return nil, err
		}
	}
	if f.found == "" {
		return nil, errNoFile
	}
	return targets.Read(f.found, f.environment())
}

// isTarget reports whether the nearest Contextfile declares a target of this name.
func isTarget(name string) bool {
	file, err := new(fileFlag).read()
	if err == nil {
		_, err = file.Choose([]string{name})
	}
	return err == nil
}

// choose reads the file and returns the named targets, or all targets without names. instead
// says what to do without a file.
func (f *fileFlag) choose(names []string, instead string) (file *targets.Contextfile, chosen []targets.Target, err error) {
	file, err = f.read()
	switch {
	case errors.Is(err, errNoFile) && len(names) > 0:
		err = usagef("%v, so %q is not a target: %s", err, names[0], instead)
	case errors.Is(err, errNoFile):
		err = usagef("%v: %s", err, instead)
	case err == nil:
		if chosen, err = file.Choose(names); err != nil {
			err = usagef("%v", err)
		}
	}
	return file, chosen, err
}

type targetError struct {
	target targets.Target
	flags  []string // that a build of the target needs
	err    error
}

func aboutTarget(cmd *cobra.Command, t targets.Target, err error) *targetError {
	var given []string
	flags := []string{"file"}
	if cmd.Flag("shard") != nil {
		flags = append(flags, "shard", "cache")
	}
	for _, name := range flags {
		if value := cmd.Flag(name).Value.String(); value != "" {
			given = append(given, "--"+name, value)
		}
	}
	return &targetError{t, given, err}
}

func (e *targetError) Error() string { return e.target.Name + ": " + e.err.Error() }
func (e *targetError) Unwrap() error { return e.err }

// build returns the command for building the target.
func (e *targetError) build() []string {
	return append(append([]string{"context", "build"}, e.flags...), e.target.Name)
}

// A reportedError is an error whose message is already printed.
type reportedError struct{ error }

func (e *reportedError) Unwrap() error { return e.error }

// eachTarget passes the results of targets to use, in order, and prints its errors. It
// stops after the first error unless keepGoing is set, and returns it. It also stops at an
// interrupt, or if standard output cannot be written.
func eachTarget[Out any](cmd *cobra.Command, chosen []targets.Target, keepGoing bool, results iter.Seq2[Out, error],
	use func(targets.Target, Out, error) error,
) (first error) {
	i := 0
	for out, err := range results {
		t := chosen[i]
		i++
		if errors.Is(err, context.Canceled) {
			return err
		}
		if err = use(t, out, err); err == nil {
			continue
		}
		if errors.Is(err, errOutput) {
			return err // it is about no target
		}
		err = aboutTarget(cmd, t, err)
		report(cmd, err)
		if first == nil {
			first = &reportedError{err}
		}
		if !keepGoing {
			break
		}
	}
	return first
}

// A failedTarget is the line for a failed target.
type failedTarget struct {
	Target string      `json:"target"`
	Cache  string      `json:"cache"`
	Error  targetFault `json:"error"`
}

type targetFault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func failureOf(t targets.Target, err error) failedTarget {
	return failedTarget{t.Name, t.Build.Cache, faultOf(err)}
}

func faultOf(err error) targetFault {
	return targetFault{fault.CodeOf(err).String(), strings.ToValidUTF8(err.Error(), "\uFFFD")}
}
