package replace

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/contextcompiler/context/internal/files"
)

// A Disk is the operating system to a Staging. Tests use one that fails.
type Disk interface {
	Mkdir(path string) error
	WriteFile(path string, data []byte) error
	StreamFile(path string, write func(io.Writer) error) error // writes the output of write
	Link(from, to string) error
	Rename(from, to string) error
	RenameNew(from, to string) error // fails if something is at to
	Exchange(a, b string) error      // errors.ErrUnsupported if the system cannot
	SyncTree(dir string) error       // everything below dir is on the disk
	SyncDirectory(dir string) error  // the names in dir are on the disk
	RemoveAll(path string) error
	Scratch(path string) (Scratch, error) // makes a file
}

// A Scratch is a file that is written once and then read. Close removes it.
type Scratch interface {
	io.Writer
	io.ReaderAt
	Name() string // its path
	Close() error
}

// System is the disk of the operating system.
type System struct{}

func (System) Mkdir(path string) error                  { return os.Mkdir(path, 0o777) }
func (System) WriteFile(path string, data []byte) error { return os.WriteFile(path, data, 0o666) }
func (System) Link(from, to string) error               { return os.Link(from, to) }
func (System) Rename(from, to string) error             { return os.Rename(from, to) }
func (System) Exchange(a, b string) error               { return renameWith(exchange, a, b) }
func (System) RemoveAll(path string) error              { return os.RemoveAll(path) }

func (System) StreamFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(f, 64<<10)
	err = write(buffered)
	return cmp.Or(err, buffered.Flush(), f.Close())
}

func (System) Scratch(path string) (Scratch, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return scratchFile{f}, nil
}

type scratchFile struct{ *os.File }

func (f scratchFile) Close() error {
	return cmp.Or(f.File.Close(), os.Remove(f.Name()))
}

// RenameNew takes two calls if the system has no single one.
func (System) RenameNew(from, to string) error {
	err := renameWith(noReplace, from, to)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if found, err := files.LookAt(to); err != nil || found != nil {
		return cmp.Or[error](err, &os.LinkError{Op: "rename", Old: from, New: to, Err: os.ErrExist})
	}
	return os.Rename(from, to)
}

// SyncTree syncs the whole file system in one call, if the system has such a
// call. To sync thousands of files one by one takes many times longer than to
// write them.
func (System) SyncTree(dir string) error {
	err := syncFileSystem(dir)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return System{}.SyncDirectory(path)
		}
		return syncFile(path)
	})
}

func (System) SyncDirectory(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // its file systems sync directories themselves
	}
	return syncFile(dir)
}

func syncFile(path string) error {
	flag := os.O_RDONLY
	if runtime.GOOS == "windows" {
		flag = os.O_RDWR // to sync takes the right to write
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
