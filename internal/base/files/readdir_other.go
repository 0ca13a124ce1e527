//go:build !unix || aix

package files

import (
	"io/fs"
	"os"
)

// ReadDir returns the entries of the directory at a path below dir, in any order. Only their
// names and types are safe to use.
func ReadDir(dir *os.Root, path string) ([]fs.DirEntry, error) {
	f, err := dir.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}
