package replace

import (
	"errors"
	"io/fs"
	"os"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// A Directory is open for reading.
type Directory struct {
	Root *os.Root
	Info fs.FileInfo // of the directory

	stat func() (fs.FileInfo, error) // of the file at the path now
	mark *os.File                    // locked, so Staging.Close keeps the directory
}

// Open opens the directory at path and marks it as in use. It reads the path as [Begin]
// does, so a reader finds the directory made under the same path.
//
// It fails with the error of the system, or with [fault.IO] if other processes keep
// replacing the directory.
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

// OpenIn is [Open] for a slash path below dir. Symlinks cannot lead out of dir.
func OpenIn(dir *os.Root, path string) (*Directory, error) {
	return open(path,
		func() (*os.Root, error) { return files.OpenRootIn(dir, path) },
		func() (fs.FileInfo, error) { return dir.Stat(path) })
}

func open(path string, openRoot func() (*os.Root, error), stat func() (fs.FileInfo, error)) (*Directory, error) {
	const tries = 100 // each fails only if the directory is replaced between two calls
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
	return nil, fault.Errorf(fault.IO, "cannot open %s: builds keep replacing it; try again later", path)
}

// markInUse locks the directory. Failing to lock it is harmless: either the directory is
// being removed right now, so open tries again, or another program holds a lock.
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

// IsCurrent reports whether the directory has not been moved or replaced since.
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

// ErrInUse is returned for a directory that another process uses or removes.
var ErrInUse = errors.New("a reader still uses it")

// Hold marks the directory at path as in use until release is called, or until the process
// ends. It needs no permission to write.
//
// It fails with the error of the system, and with [ErrInUse] while [Seize] holds the directory.
func Hold(path string) (release func(), err error) { return lockAt(path, shared) }

// Seize keeps others from using the directory at path, so that the caller can move it away. It
// fails with [ErrInUse] if [Open] or [Hold] mark it as in use. On Windows, it does nothing, because
// the system refuses to move such a directory.
func Seize(path string) (release func(), err error) {
	if !locksDirectories { // opening it would prevent the move
		return func() {}, nil
	}
	return lockAt(path, exclusive)
}

func lockAt(path string, how int) (release func(), err error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if !tryLock(dir, how) {
		dir.Close()
		return nil, ErrInUse
	}
	return func() {
		unlock(dir)
		dir.Close()
	}, nil
}
