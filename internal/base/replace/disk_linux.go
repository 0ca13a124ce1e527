package replace

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	noReplace = unix.RENAME_NOREPLACE
	exchange  = unix.RENAME_EXCHANGE
)

func renameWith(flag uint, from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flag)
	if err == unix.EINVAL { // the file system does not support the flag
		err = unix.ENOTSUP
	}
	return err
}

func syncFileSystem(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
