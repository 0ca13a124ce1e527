//go:build unix && !aix

package files

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ReadDir returns the entries of the directory at a path below dir, in any order. Only their
// names and types are safe to use, because Info would follow the path again.
//
// The ReadDir method of a directory from an [os.Root] asks the system for the info of each
// entry. A handle from outside of the root takes the types from the directory instead.
func ReadDir(dir *os.Root, path string) ([]fs.DirEntry, error) {
	inRoot, err := dir.Open(path)
	if err != nil {
		return nil, err
	}
	defer inRoot.Close()
	fd, err := unix.FcntlInt(inRoot.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), inRoot.Name())
	defer f.Close()
	return f.ReadDir(-1)
}
