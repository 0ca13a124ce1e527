//go:build unix

package files

import (
	"syscall"
	"testing"
)

// makePipe makes a pipe that has no writer.
func makePipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
}
