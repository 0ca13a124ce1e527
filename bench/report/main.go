// Command report measures the programs of this module as whole processes, and
// writes what it finds as Markdown:
//
//	go run ./bench/report -corpus rust-rfcs=DIR -out docs/performance.md
//
// Data moves to the right:
//
//	stage → measure → judge → render
//
// Stage makes a corpus and its caches in the scratch directory. Measure runs
// the commands of one round after another, so that a ratio is always of two
// processes that ran close together, and drift of the machine cancels. Judge
// holds the ratios against the targets. Render is pure.
//
// It is for Linux: elsewhere what the system lacks is left out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) > 2 && args[0] == measureCommand {
		return measureHere(ctx, args[1], args[2:], stdout)
	}
	opts, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	return write(ctx, opts)
}

// write measures everything and writes the report.
func write(ctx context.Context, opts options) (err error) {
	scratch, err := os.MkdirTemp(opts.scratch, "context-report-")
	if err != nil {
		return err
	}
	defer func() {
		say("deleting the scratch directory")
		if failed := os.RemoveAll(scratch); err == nil {
			err = failed
		}
	}()
	b, err := newBench(ctx, scratch)
	if err != nil {
		return interrupted(ctx, err)
	}
	results, err := b.measureAll(ctx, opts)
	if err != nil {
		return interrupted(ctx, err)
	}
	r := report{machine: describeMachine(scratch), opts: opts, results: results, missing: b.missing}
	return writeKeepingNotes(opts.out, r.render())
}

// interrupted returns why ctx ended rather than what came of it.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// say tells whoever waits how far it is.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
