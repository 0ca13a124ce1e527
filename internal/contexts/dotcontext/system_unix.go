//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dotcontext

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lookAt returns the state and the type of the file at a path. It does not follow
// symlinks.
func lookAt(path string) (f fileState, mode fs.FileMode, err error) {
	var found unix.Stat_t
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Lstat(path, &found)
	}
	switch found.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode = fs.ModeDir
	default:
		mode = fs.ModeIrregular
	}
	return fileState{
		size:  found.Size,
		mtime: time.Unix(found.Mtim.Unix()),
		id:    identity{uint64(found.Dev), found.Ino, found.Ctim.Nano()},
	}, mode, err
}

// keepOwner gives f the owner and group of an old file. Only the superuser can give
// a file away; others can keep the group if they are a member.
func keepOwner(f *os.File, old fs.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	if ok && f.Chown(int(was.Uid), int(was.Gid)) != nil {
		f.Chown(-1, int(was.Gid))
	}
}
