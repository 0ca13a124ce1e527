//go:build !windows

package actions

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// isolate puts a command and its child processes into a group, which ends with the context of
// the command.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// endGroup ends the processes left by a command.
func endGroup(p *os.Process) {
	if p != nil {
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // fails if there are none
	}
}
