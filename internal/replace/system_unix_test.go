//go:build unix

package replace

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/contextcompiler/context/fault"
)

// In a shared directory, other users can interfere with Begin. It neither waits for
// their files nor removes them. If a file is in the way, the error names it.
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
			err := put(path, replace, &faultyDisk{}, newTree) // must not wait for a writer of the pipe
			switch {
			case !isInTheWay && err != nil:
				t.Errorf("%s: %v", purpose, err)
			case isInTheWay && (err == nil || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), pipe)):
				t.Errorf("got %v, want an error that names %s", err, pipe)
			}
			if err := os.Remove(pipe); err != nil {
				t.Error(err)
			}
			replace = replace || !isInTheWay
		}
	}
}
