package cache

import (
	"bufio"
	"cmp"
	"io"
	"os"
)

// A disk is what a Writer asks of the operating system. Tests put one in its
// place that fails.
type disk interface {
	mkdir(path string) error
	writeFile(path string, data []byte) error
	streamFile(path string, write func(io.Writer) error) error // a file of what write writes
	link(from, to string) error
	rename(from, to string) error
	renameNew(from, to string) error // fails if there is something at to
	exchange(a, b string) error      // errors.ErrUnsupported where the system cannot
	syncTree(dir string) error       // everything below dir is on the disk
	syncDirectory(dir string) error  // the names in dir are on the disk
	removeAll(path string) error
}

// systemDisk is the operating system itself. What differs between systems is
// in disk_linux.go, disk_darwin.go and disk_other.go.
type systemDisk struct{}

func (systemDisk) mkdir(path string) error      { return os.Mkdir(path, 0o777) }
func (systemDisk) link(from, to string) error   { return os.Link(from, to) }
func (systemDisk) rename(from, to string) error { return os.Rename(from, to) }
func (systemDisk) removeAll(path string) error  { return os.RemoveAll(path) }

func (systemDisk) writeFile(path string, data []byte) error {
	return os.WriteFile(path, data, 0o666)
}

func (systemDisk) streamFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(f, 64<<10)
	err = write(buffered)
	return cmp.Or(err, buffered.Flush(), f.Close())
}

// renameNewSlowly is renameNew where the system has no such call.
func renameNewSlowly(from, to string) error {
	if found, err := lookAt(to); err != nil || found != nil {
		return cmp.Or[error](err, &os.LinkError{Op: "rename", Old: from, New: to, Err: os.ErrExist})
	}
	return os.Rename(from, to)
}
