//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package cache

import (
	"os"

	"golang.org/x/sys/unix"
)

// The kinds of locks on a directory: readers share one, and a build that is
// about to delete it takes it for itself.
const (
	shared    = unix.LOCK_SH
	exclusive = unix.LOCK_EX
)

// unlock lets go of the lock at once. Closing does so only when no process that
// is being started holds a copy of the handle.
func unlock(dir *os.File) { unix.Flock(int(dir.Fd()), unix.LOCK_UN) }

// tryLock locks an open directory, until it is closed, and reports whether it
// could. Where the file system has no locks, nobody is kept out.
func tryLock(dir *os.File, how int) bool {
	return unix.Flock(int(dir.Fd()), how|unix.LOCK_NB) != unix.EWOULDBLOCK
}
