//go:build linux || darwin

package dotcontext

import (
	"io/fs"
	"syscall"
	"time"
)

// lookAt returns the state and the type of the file at a path. It does not follow
// symlinks.
func lookAt(path string) (f fileState, mode fs.FileMode, err error) {
	var found syscall.Stat_t
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Lstat(path, &found)
	}
	switch found.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
	case syscall.S_IFDIR:
		mode = fs.ModeDir
	default:
		mode = fs.ModeIrregular
	}
	return fileOf(&found), mode, err
}

func fileOf(found *syscall.Stat_t) fileState {
	mtime, ctime := timesOf(found)
	return fileState{
		size:  found.Size,
		mtime: time.Unix(mtime.Unix()),
		id:    identity{uint64(found.Dev), found.Ino, ctime.Nano()},
	}
}

func describedBy(info fs.FileInfo) fileState {
	f := fileOf(info.Sys().(*syscall.Stat_t))
	f.name = info.Name()
	return f
}
