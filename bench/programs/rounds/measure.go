package main

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// usage is what one run of a program took.
type usage struct {
	wall, cpu time.Duration
	peak      int64 // bytes of memory
}

// String returns u as the figures of a benchmark's line.
func (u usage) String() string {
	return fmt.Sprintf("%d ns/op %d cpu-ns/op %d peak-B", u.wall.Nanoseconds(), u.cpu.Nanoseconds(), u.peak)
}

// measure runs a program, which writes its output to out.
func measure(args []string, out io.Writer) (usage, error) {
	syscall.Sync()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout = out
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if err != nil {
		return usage{}, fmt.Errorf("%q: %w", args, err)
	}
	state := cmd.ProcessState
	kilobytes := state.SysUsage().(*syscall.Rusage).Maxrss
	return usage{wall, state.UserTime() + state.SystemTime(), kilobytes << 10}, nil
}
