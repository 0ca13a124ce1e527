//go:build !linux && !darwin

package dotcontext

import (
	"io/fs"
	"os"
)

// lookAt returns the state and the type of the file at a path. It does not follow
// symlinks.
func lookAt(path string) (fileState, fs.FileMode, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return fileState{}, 0, err
	}
	return describedBy(info), info.Mode().Type(), nil
}

// describedBy returns no identity, so a memory never keeps the file.
func describedBy(info fs.FileInfo) fileState {
	return fileState{name: info.Name(), size: info.Size(), mtime: info.ModTime()}
}
