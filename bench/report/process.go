package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A process is what one run of a command took.
type process struct {
	Wall time.Duration
	CPU  time.Duration // user and system
	Peak int64         // bytes of memory; 0 where the system does not tell
}

// A command is what to run, and the environment it needs beside the usual.
type command struct {
	args []string
	env  []string
}

// String names c without its paths.
func (c command) String() string {
	name := filepath.Base(c.args[0])
	if len(c.args) > 1 {
		name += " " + c.args[1]
	}
	return name
}

// measureCommand makes this program measure one command and print a process.
const measureCommand = "measure"

// A stopwatch measures commands one at a time.
type stopwatch struct {
	self   string // this program
	output string // the file that takes what commands print
}

// measure runs c by another process of this program. A process inherits the
// peak memory of the one that starts it, and we are big; that one is not.
func (w stopwatch) measure(ctx context.Context, c command) (process, error) {
	settle()
	cmd := interruptible(ctx, w.self, append([]string{measureCommand, w.output}, c.args...))
	cmd.Env = append(usualEnvironment(), c.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	answer, err := cmd.Output()
	if err != nil {
		return process{}, fmt.Errorf("%s: %w: %s", c, err, strings.TrimPrefix(lastLine(stderr.String()), "report: "))
	}
	var p process
	err = json.Unmarshal(answer, &p)
	return p, err
}

// measureHere runs a command with its output to a file, as /dev/null makes grep
// stop early, and prints what it took.
func measureHere(ctx context.Context, output string, args []string, stdout io.Writer) error {
	file, err := os.Create(output)
	if err != nil {
		return err
	}
	defer file.Close()
	cmd := interruptible(ctx, args[0], args[1:])
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = file, &stderr
	began := time.Now()
	err = cmd.Run()
	took := time.Since(began)
	if err != nil {
		return fmt.Errorf("%w: %s", err, lastLine(stderr.String()))
	}
	state := cmd.ProcessState
	return json.NewEncoder(stdout).Encode(process{took, state.UserTime() + state.SystemTime(), peakMemory(state)})
}

// interruptible returns a command that is interrupted, not killed, when ctx
// ends, so that it hands the interruption on and cleans up.
func interruptible(ctx context.Context, name string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// usualEnvironment is ours without what would tune a Go program, and in the
// locale in which grep is fastest.
func usualEnvironment() []string {
	var env []string
	for _, entry := range os.Environ() {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG", "LC_ALL":
		default:
			env = append(env, entry)
		}
	}
	return append(env, "LC_ALL=C")
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
