//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package replace

import (
	"io/fs"
	"os"
)

const openLockFlags = 0

// locksDirectories is false: a directory cannot be locked here. Windows neither moves nor
// removes one that is open.
const locksDirectories = false

const (
	shared = iota
	exclusive
)

// tryLock succeeds.
func tryLock(*os.File, int) bool { return true }

func unlock(*os.File) {}

// sameOwner is true, because Go does not tell the owner here.
func sameOwner(_, _ fs.FileInfo) bool { return true }
