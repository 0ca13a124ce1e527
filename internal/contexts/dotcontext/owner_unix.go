//go:build unix

package dotcontext

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and group of an old file. Only the superuser can give
// a file away; others can keep the group if they are a member.
func keepOwner(f *os.File, old fs.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	if ok && f.Chown(int(was.Uid), int(was.Gid)) != nil {
		f.Chown(-1, int(was.Gid))
	}
}
