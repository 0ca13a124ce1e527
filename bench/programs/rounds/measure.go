package main

import (
	"fmt"
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

// measure runs a program and discards its output.
func measure(args []string) (usage, error) {
	syscall.Sync()
	cmd := exec.Command(args[0], args[1:]...)
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
