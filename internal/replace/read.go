package replace

import (
	"errors"
	"io/fs"
	"os"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/files"
)

// A Directory is open for reading.
type Directory struct {
	Root *os.Root
	Info fs.FileInfo // of the directory

	stat func() (fs.FileInfo, error) // looks at the place of the directory
	mark *os.File                    // locked: Close of a Staging does not remove the directory
}

// Open opens the directory at path and marks it as in use. It reads the path as
// [Begin] does, so that a reader finds the directory that was made there.
//
// It fails with the error of the system, or with [fault.IO] if the directory is
// replaced all the time.
func Open(path string) (*Directory, error) {
	at := path
	if _, err := os.Lstat(path); path != "" && errors.Is(err, fs.ErrNotExist) {
		if located, err := Locate(path); err == nil {
			at = located
		}
	}
	return open(path,
		func() (*os.Root, error) { return files.OpenRoot(at) },
		func() (fs.FileInfo, error) { return os.Stat(at) })
}

// OpenIn is [Open] for a slash path below dir. No symlink leads out of dir.
func OpenIn(dir *os.Root, path string) (*Directory, error) {
	return open(path,
		func() (*os.Root, error) { return files.OpenRootIn(dir, path) },
		func() (fs.FileInfo, error) { return dir.Stat(path) })
}

func open(path string, openRoot func() (*os.Root, error), stat func() (fs.FileInfo, error)) (*Directory, error) {
	const tries = 100 // one fails only if the directory is replaced between two calls
	for range tries {
		root, err := openRoot()
		if err != nil {
			return nil, err
		}
		d := &Directory{Root: root, stat: stat}
		err = d.markInUse()
		if err == nil && d.IsCurrent() {
			return d, nil
		}
		d.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, fault.Errorf(fault.IO, "%s is being replaced over and over", path)
}

// markInUse locks the directory. A lock that fails does no harm: either the
// directory is removed right now, and open tries again, or another program
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
	current, err := d.stat()
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
