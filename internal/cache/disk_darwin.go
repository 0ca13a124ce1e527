package cache

import (
	"errors"

	"golang.org/x/sys/unix"
)

func (systemDisk) renameNew(from, to string) error {
	err := unix.RenamexNp(from, to, unix.RENAME_EXCL)
	if errors.Is(err, errors.ErrUnsupported) {
		return renameNewSlowly(from, to)
	}
	return err
}

func (systemDisk) exchange(a, b string) error {
	return unix.RenamexNp(a, b, unix.RENAME_SWAP)
}

func (systemDisk) syncTree(dir string) error      { return syncFiles(dir) }
func (systemDisk) syncDirectory(dir string) error { return syncFile(dir) }
