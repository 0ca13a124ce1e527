package replace

import (
	"errors"

	"golang.org/x/sys/unix"
)

const (
	noReplace = unix.RENAME_EXCL
	exchange  = unix.RENAME_SWAP
)

func renameWith(flag uint32, from, to string) error { return unix.RenamexNp(from, to, flag) }

func syncFileSystem(string) error { return errors.ErrUnsupported }
