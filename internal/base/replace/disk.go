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
	"syscall"

	"github.com/contextcompiler/context/internal/base/files"
)

// A Disk is the operating system as a Staging uses it. Tests replace it to inject
// failures.
type Disk interface {
	Mkdir(path string) error
	WriteFile(path string, data []byte) error
	StreamFile(path string, write func(io.Writer) error) error // writes the output of write
	Link(from, to string) error
	Rename(from, to string) error
	RenameNew(from, to string) error // fails if to exists
	Exchange(a, b string) error      // errors.ErrUnsupported if the system cannot do it
	SyncTree(dir string) error       // makes everything below dir durable
	SyncDirectory(dir string) error  // makes the names in dir durable
	RemoveAll(path string) error
	Scratch(path string) (Scratch, error) // creates a file
}

// A Scratch is [files.Scratch].
type Scratch = files.Scratch

// System is the Disk of the operating system.
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

// RenameNew needs two calls unless the system supports it in a single call.
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

// SyncTree syncs the whole file system with a single call where possible, because
// syncing thousands of files one by one takes many times longer than writing them.
func (System) SyncTree(dir string) error {
	err := syncFileSystem(dir)
	if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
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
		return nil // file systems on Windows sync directories themselves
	}
	err := syncFile(dir)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some network file systems cannot sync directories
	}
	return err
}

func syncFile(path string) error {
	flag := os.O_RDONLY
	if runtime.GOOS == "windows" {
		flag = os.O_RDWR // Windows only syncs files opened for writing
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
