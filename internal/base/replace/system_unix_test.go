//go:build unix

package replace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

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

func TestSignalsDontKeepDirectoriesUnlocked(t *testing.T) {
	defer func() { systemLock = unix.Flock }()
	interruptions := 2
	systemLock = func(fd, how int) error {
		if interruptions--; interruptions >= 0 {
			return unix.EINTR
		}
		return unix.Flock(fd, how)
	}
	path := t.TempDir()
	release, err := Seize(path)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	interruptions = 2
	if release, err := Hold(path); err != ErrInUse {
		release()
		t.Errorf("got %v, want %v", err, ErrInUse)
	}
}

// An ownedInfo says that a file belongs to another user.
type ownedInfo struct{ fs.FileInfo }

func (o ownedInfo) Sys() any {
	stat := *o.FileInfo.Sys().(*syscall.Stat_t)
	stat.Uid++
	return &stat
}

func TestAFileOfAnotherOwnerIsNotLinked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "name")
	restore(t, path, oldTree)
	s, err := Begin(path, Options{Replace: true, Admit: func(string) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name := "a"
	for n := range oldTree {
		if !strings.Contains(n, "/") {
			name = n
		}
	}
	found, err := os.Lstat(filepath.Join(path, name))
	if err != nil {
		t.Fatal(err)
	}
	ours := s.made
	s.made = ownedInfo{ours}
	if s.Keep(filepath.Join(path, name), found.ModTime(), name) {
		t.Error("linked a file that belongs to somebody else")
	}
	s.made = ours
	if !s.Keep(filepath.Join(path, name), found.ModTime(), name) {
		t.Error("did not link a file of this user")
	}
}
