//go:build unix

package cache

import (
	"io/fs"
	"syscall"
)

// sameOwner reports whether two files have the same owner and group.
func sameOwner(a, b fs.FileInfo) bool {
	x, _ := a.Sys().(*syscall.Stat_t)
	y, _ := b.Sys().(*syscall.Stat_t)
	return x != nil && y != nil && x.Uid == y.Uid && x.Gid == y.Gid
}
