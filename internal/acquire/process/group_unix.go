//go:build !windows

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// Isolate puts a command and the programs that it starts into a group, which gets a signal when the
// context of the command ends.
func Isolate(cmd *exec.Cmd, signal syscall.Signal) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, signal)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// EndGroup ends the processes left by a command.
func EndGroup(p *os.Process) {
	if p != nil {
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // fails if there are none
	}
}
