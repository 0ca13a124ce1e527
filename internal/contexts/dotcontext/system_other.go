//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package dotcontext

import (
	"io/fs"
	"os"
)

// lookAt returns the state and the type of the file at a path. It does not follow
// symlinks. The state has no identity, so a memory never keeps the file.
func lookAt(path string) (fileState, fs.FileMode, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return fileState{}, 0, err
	}
	return fileState{size: info.Size(), mtime: info.ModTime()}, info.Mode().Type(), nil
}

// keepOwner does nothing, because a process cannot set the owner of a file here.
func keepOwner(*os.File, fs.FileInfo) {}
