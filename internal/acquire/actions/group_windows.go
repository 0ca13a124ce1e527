package actions

import (
	"os"
	"os/exec"
)

// isolate does nothing. Without a job object, only the command itself ends with its context.
func isolate(*exec.Cmd) {}

func endGroup(*os.Process) {}
