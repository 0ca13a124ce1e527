//go:build !windows

package fetch

import (
	"os"
	"os/exec"
	"syscall"
)

// group puts git and the programs that it starts into a group that ends with the context of the
// command. On a terminal, they stay in the group of the caller, because no other group can ask for
// passwords there, and Ctrl-C reaches all of them anyway.
func group(cmd *exec.Cmd) {
	terminal, err := os.Open("/dev/tty")
	if err == nil {
		terminal.Close()
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
