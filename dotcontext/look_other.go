//go:build !linux && !darwin

package dotcontext

import (
	"io/fs"
	"os"
)

// lookAt returns the file at a path and its type. It does not follow symlinks.
func lookAt(path string) (file, fs.FileMode, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return file{}, 0, err
	}
	return describedBy(info), info.Mode().Type(), nil
}

// describedBy returns the file that an open file is. It has no identity, so
// nothing is kept of it.
func describedBy(info fs.FileInfo) file {
	return file{name: info.Name(), size: info.Size(), mtime: info.ModTime()}
}
