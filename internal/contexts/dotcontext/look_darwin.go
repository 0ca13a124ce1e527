package dotcontext

import "syscall"

func timesOf(found *syscall.Stat_t) (mtime, ctime syscall.Timespec) {
	return found.Mtimespec, found.Ctimespec
}
