// Package cli is the command line, with a file for each command: it parses flags, makes a
// single call and prints its result.
//
// Commands print their product on standard output, and everything else on standard
// error. A failed command prints a line beginning with "error: " on standard
// error, and nothing on standard output unless its product is a report.
// It exits with the status of its fault (`context --help` lists them).
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/wire"
)

// The exit statuses without a fault.
const (
	statusOK          = 0
	statusUsage       = 1
	statusInterrupted = 130
)

// Run runs the command line of this process and exits. An interrupt cancels the
// command, and a second interrupt ends the process at once.
func Run() { runProcess(rootCommand()) }

func runProcess(cmd *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(runCommand(ctx, cmd, os.Args[1:], os.Stdout, os.Stderr))
}

// Main runs the command named by args and returns its exit status.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	return runCommand(ctx, rootCommand(), args, stdout, stderr)
}

// runCommand runs the root of a command line.
func runCommand(ctx context.Context, cmd *cobra.Command, args []string, stdout, stderr io.Writer) (status int) {
	defer storeUses.Close()
	defer func() {
		if p := recover(); p != nil {
			status = report(cmd, fault.Recovered(p))
		}
	}()
	out := &watchedWriter{Writer: stdout}
	args = withPattern(cmd, args)
	cmd.SetArgs(args)
	cmd.SetOut(out)
	remarks := &remarkWriter{Writer: stderr}
	defer remarks.finish()
	cmd.SetErr(remarks)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { io.WriteString(out, shortHelp(cmd)) })
	strictCompletion(cmd)
	cmd.SetFlagErrorFunc(flagFault)
	if isCompletion(args) {
		unquoteUsages(cmd)
	} else {
		strictFlags(cmd)
	}
	cmd.InitDefaultHelpCmd()
	cmd.PersistentPreRunE = checkGiven
	ran, _, err := cmd.Find(args)
	if err != nil && !isCompletion(args) {
		err = unknownCommand(cmd, args) // there is no other error
	} else {
		err = checkCode(args)
	}
	if err == nil {
		ran, err = cmd.ExecuteContextC(ctx)
	}
	_, isExplained := errors.AsType[*fault.Error](err)
	if failed := out.first.Load(); failed != nil && !(isExplained && errors.Is(err, fault.Cause(*failed))) {
		return report(ran, fault.Errorf(fault.IO, "%w: %w", errOutput, fault.Cause(*failed)))
	}
	if err == nil {
		return statusOK
	}
	if failed, ok := errors.AsType[*runError](err); ok {
		return report(ran, failed.err)
	}
	if ran.Name() == "help" {
		ran = ran.Root()
	}
	say(ran, console.Remark{Kind: "error", Message: fmt.Sprintf("%v (see `%s --help`)", err, ran.CommandPath())})
	return statusUsage
}

// A watchedWriter remembers the first error of its writer, because some commands ignore
// it. The error is atomic, since a server may still write for a client after giving up on it.
type watchedWriter struct {
	io.Writer
	first atomic.Pointer[error]
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		w.first.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Unwrap returns the underlying writer, so console can tell whether it is a terminal.
func (w *watchedWriter) Unwrap() io.Writer { return w.Writer }

// A runError is the failure of a command after its arguments were accepted. Cobra's own
// errors are of other types and concern the command line.
type runError struct{ err error }

func (e *runError) Error() string { return e.err.Error() }
func (e *runError) Unwrap() error { return e.err }

func run(call func(cmd *cobra.Command) error) func(*cobra.Command, []string) error {
	return runOn(func(cmd *cobra.Command, _ []string) error { return call(cmd) })
}

// runOn turns a call into a RunE, which tells failures from mistakes in the command line.
func runOn(call func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := call(cmd, args)
		if _, ok := errors.AsType[*usageError](err); ok || err == nil {
			return err
		}
		return &runError{err}
	}
}

// A usageError is a mistake in the command line not found by cobra.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// report prints err with a hint, unless it is already printed, and returns its exit
// status.
func report(cmd *cobra.Command, err error) int {
	if _, isReported := errors.AsType[*reportedError](err); isReported {
		return fault.CodeOf(err).ExitStatus()
	}
	if errors.Is(err, context.Canceled) {
		say(cmd, console.Remark{Kind: "error", Message: "interrupted"})
		return statusInterrupted
	}
	say(cmd, console.Remark{Kind: "error", Message: withHint(cmd, err)})
	if p, ok := errors.AsType[*fault.Panic](err); ok {
		fmt.Fprintf(cmd.ErrOrStderr(), "This is a bug. Please report it with what follows.\n%s", p.Stack)
	}
	return fault.CodeOf(err).ExitStatus()
}

// printJSON prints v as a line of JSON.
func printJSON(cmd *cobra.Command, v any) error {
	return print(cmd, append(wire.Marshal(v), '\n'))
}

// errOutput means writing to standard output failed.
var errOutput = errors.New("write standard output")

// print fails with [fault.IO] and errOutput.
func print(cmd *cobra.Command, data []byte) error {
	if _, err := cmd.OutOrStdout().Write(data); err != nil {
		return fault.Errorf(fault.IO, "%w: %w", errOutput, fault.Cause(err))
	}
	return nil
}
