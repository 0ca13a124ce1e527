package cache

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func (systemDisk) renameNew(from, to string) error {
	err := renameat2(from, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, errors.ErrUnsupported) {
		return renameNewSlowly(from, to)
	}
	return err
}

func (systemDisk) exchange(a, b string) error {
	return renameat2(a, b, unix.RENAME_EXCHANGE)
}

// renameat2 is the system call; a file system or kernel that does not know the
// flag is errors.ErrUnsupported.
func renameat2(from, to string, flag uint) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flag)
	if err == unix.EINVAL {
		err = unix.ENOTSUP
	}
	return err
}

// syncTree syncs the whole file system: one call, where syncing thousands of
// files one by one takes many times as long as writing them.
func (systemDisk) syncTree(dir string) error {
	return withDirectory(dir, unix.Syncfs)
}

func (systemDisk) syncDirectory(dir string) error {
	return withDirectory(dir, unix.Fsync)
}

func withDirectory(dir string, call func(fd int) error) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return call(int(f.Fd()))
}
