//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package replace

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openLockFlags refuse to open a symlink, and do not wait for a writer of a pipe.
const openLockFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK

const locksDirectories = true

// Readers share the lock on a directory. The process removing the directory needs an
// exclusive lock.
const (
	shared    = unix.LOCK_SH
	exclusive = unix.LOCK_EX
)

// tryLock tries to lock an open directory and reports whether it succeeded. It also
// succeeds on file systems without locks.
func tryLock(dir *os.File, how int) bool {
	for {
		if err := systemLock(int(dir.Fd()), how|unix.LOCK_NB); err != unix.EINTR {
			return err != unix.EWOULDBLOCK
		}
	}
}

// systemLock is a variable so that tests can inject failures.
var systemLock = unix.Flock

// unlock unlocks a directory immediately. Close alone is not enough while a child
// process that is just starting still has a copy of the handle.
func unlock(dir *os.File) { unix.Flock(int(dir.Fd()), unix.LOCK_UN) }

func sameOwner(a, b fs.FileInfo) bool {
	x, _ := a.Sys().(*syscall.Stat_t)
	y, _ := b.Sys().(*syscall.Stat_t)
	return x != nil && y != nil && x.Uid == y.Uid && x.Gid == y.Gid
}
