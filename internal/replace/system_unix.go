//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package replace

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openLockFlags open neither a symlink nor a pipe that has no writer.
const openLockFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK

const locksDirectories = true

// Readers share the lock on a directory. The process that removes it has the
// lock for itself.
const (
	shared    = unix.LOCK_SH
	exclusive = unix.LOCK_EX
)

// tryLock locks an open directory and reports whether it could. It succeeds if
// the file system has no locks.
func tryLock(dir *os.File, how int) bool {
	return unix.Flock(int(dir.Fd()), how|unix.LOCK_NB) != unix.EWOULDBLOCK
}

// unlock unlocks a directory at once. Close alone does not while a child process
// that is about to start has a copy of the handle.
func unlock(dir *os.File) { unix.Flock(int(dir.Fd()), unix.LOCK_UN) }

// sameOwner reports whether two files have the same owner and group.
func sameOwner(a, b fs.FileInfo) bool {
	x, _ := a.Sys().(*syscall.Stat_t)
	y, _ := b.Sys().(*syscall.Stat_t)
	return x != nil && y != nil && x.Uid == y.Uid && x.Gid == y.Gid
}
