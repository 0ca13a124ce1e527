//go:build !linux && !darwin

package dotcontext

import (
	"io/fs"
	"os"
)

// lookAt returns the file at a path and its type. It does not follow symlinks.
func lookAt(path string) (fileState, fs.FileMode, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return fileState{}, 0, err
	}
	return describedBy(info), info.Mode().Type(), nil
}

// describedBy returns the state of an open file. Without an identity, no memory
// keeps it.
func describedBy(info fs.FileInfo) fileState {
	return fileState{name: info.Name(), size: info.Size(), mtime: info.ModTime()}
}
