//go:build !windows

package fetch

import (
	"os"
	"syscall"
)

// interrupt asks a process to end, so that it can remove its temporary files.
func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
