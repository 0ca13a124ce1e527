package replace

import (
	"errors"
	"io/fs"
	"os"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/files"
)

// A Place is where a reader looks for a directory.
type Place struct {
	Path string // as the caller named it
	open func() (*os.Root, error)
	stat func() (fs.FileInfo, error)
}

// At returns the place at a path. It reads the path as [Begin] does, so that a
// reader finds the directory that was made there.
func At(path string) Place {
	at := path
	if _, err := os.Lstat(path); path != "" && errors.Is(err, fs.ErrNotExist) {
		if located, err := Locate(path); err == nil {
			at = located
		}
	}
	return Place{
		Path: path,
		open: func() (*os.Root, error) { return files.OpenRoot(at) },
		stat: func() (fs.FileInfo, error) { return os.Stat(at) },
	}
}

// In returns the place at a slash path below dir. It lets no symlink lead out
// of dir.
func In(dir *os.Root, path string) Place {
	return Place{
		Path: path,
		open: func() (*os.Root, error) { return files.OpenRootIn(dir, path) },
		stat: func() (fs.FileInfo, error) { return dir.Stat(path) },
	}
}

// A Directory is open for reading.
type Directory struct {
	Root *os.Root
	Info fs.FileInfo // of the directory

	place Place
	mark  *os.File // locked, so that Close of a Staging does not remove the directory
}

// Open opens the directory and marks it as in use. It fails with the error of
// the system, or with [fault.IO] if the directory is replaced all the time.
func (p Place) Open() (*Directory, error) {
	const tries = 100 // one fails only if the directory is replaced between two calls
	for range tries {
		root, err := p.open()
		if err != nil {
			return nil, err
		}
		d := &Directory{Root: root, place: p}
		err = d.markInUse()
		if err == nil && d.IsCurrent() {
			return d, nil
		}
		d.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, fault.Errorf(fault.IO, "%s is being replaced over and over", p.Path)
}

// markInUse locks the directory. A lock that fails does no harm: either the
// directory is removed right now, and Open tries again, or another program
// locks it.
func (d *Directory) markInUse() (err error) {
	if d.mark, err = d.Root.Open("."); err != nil {
		return err
	}
	if d.Info, err = d.mark.Stat(); err != nil {
		return err
	}
	tryLock(d.mark, shared)
	return nil
}

// IsCurrent reports whether the directory is still the one at its place.
func (d *Directory) IsCurrent() bool {
	current, err := d.place.stat()
	return err == nil && os.SameFile(d.Info, current)
}

// Close closes the directory.
func (d *Directory) Close() {
	if d.mark != nil {
		unlock(d.mark)
		d.mark.Close()
	}
	d.Root.Close()
}
