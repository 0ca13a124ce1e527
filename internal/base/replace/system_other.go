//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package replace

import (
	"io/fs"
	"os"
)

const openLockFlags = 0

// locksDirectories is false because directories cannot be locked here. Windows refuses
// to move or remove an open directory anyway.
const locksDirectories = false

const (
	shared = iota
	exclusive
)

func tryLock(*os.File, int) bool { return true }

func unlock(*os.File) {}

// sameOwner always returns true, because Go does not tell the owner here.
func sameOwner(_, _ fs.FileInfo) bool { return true }
