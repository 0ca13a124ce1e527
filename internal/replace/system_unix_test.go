//go:build unix

package replace

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contextcompiler/context/fault"
)

// returns reports whether f returns. If f waits for a writer of the pipe at
// path, returns becomes that writer.
func returns(path string, f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return true
	case <-time.After(3 * time.Second):
	}
	if pipe, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		defer pipe.Close()
		<-done
	}
	return false
}

// In a shared directory, other users can put something where Begin works. It
// neither waits for that nor removes it. If a file is in the way, the error names
// it.
func TestBeginDoesNotWaitForAPipe(t *testing.T) {
	for _, replace := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "name")
		if replace {
			restore(t, path, oldTree)
		}
		for _, purpose := range []string{"lock", "new", "old-0", "old-x"} {
			pipe := beside(path, purpose)
			if err := syscall.Mkfifo(pipe, 0o666); err != nil {
				t.Fatal(err)
			}
			isInTheWay := purpose == "lock" || purpose == "new"
			ok := returns(pipe, func() {
				err := put(path, replace, &faultyDisk{}, newTree)
				switch {
				case !isInTheWay && err != nil:
					t.Errorf("%s: %v", purpose, err)
				case isInTheWay && (err == nil || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), pipe)):
					t.Errorf("got %v, want an error that names %s", err, pipe)
				}
			})
			if !ok {
				t.Errorf("%s: waits for a writer", purpose)
			}
			if err := os.Remove(pipe); err != nil {
				t.Error(err)
			}
			replace = replace || !isInTheWay
		}
	}
}
