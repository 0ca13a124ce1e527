package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/contextcompiler/context/fault"
)

// A lock keeps builds of one cache apart. The system lets go of it when its
// process dies; its file, which may then stay, says nothing by itself.
type lock struct{ file *flock.Flock }

// acquire takes the lock whose file is at path, or fails at once with
// [fault.IO]: waiting would hide a build that hangs.
func acquire(path string) (*lock, error) {
	const tries = 100 // each is lost only to a build that has just ended
	for range tries {
		l, err := tryAcquire(path)
		if l != nil || err != nil {
			return l, err
		}
	}
	return nil, fault.Errorf(fault.IO, "builds take the lock %s over and over: try again", path)
}

// tryAcquire is one try of acquire. It returns nil if the file is replaced meanwhile.
func tryAcquire(path string) (*lock, error) {
	if err := isLockOrAbsent(path); err != nil {
		return nil, err
	}
	file := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|openLockFlags), flock.SetPermissions(0o666))
	held, err := file.TryLock()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) {
		os.Remove(path) // no build can hold it
		return nil, fault.Errorf(fault.IO, "the file system of %s has no locks, which keep builds apart: %w", filepath.Dir(path), err)
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "write to %s, where the cache is to be: lock %s: %w", filepath.Dir(path), path, fault.Cause(err))
	}
	if !held {
		return nil, fault.Errorf(fault.IO, "another build is making this cache: wait until it has ended, then try again")
	}
	isThere, err := isAt(path, file)
	if !isThere || err != nil {
		file.Close()
		return nil, err
	}
	return &lock{file}, nil
}

// isLockOrAbsent makes sure that nothing is at path but a lock's file, which is
// empty. It looks before the file is opened, which does things to some devices.
func isLockOrAbsent(path string) error {
	found, err := lookAt(path)
	if err != nil || found == nil || isLock(found) {
		return err
	}
	return notALock(path)
}

func isLock(file fs.FileInfo) bool { return file.Mode().IsRegular() && file.Size() == 0 }

func notALock(path string) error {
	return fault.Errorf(fault.IO, "%s is in the way of the lock, and no build made it: move it, then try again", path)
}

// isAt reports whether a file that we have locked is the one at path. The build
// before us removed its file on release: a lock on that keeps no build out.
func isAt(path string, file *flock.Flock) (bool, error) {
	locked, err := file.Stat()
	if err != nil {
		return false, fault.Errorf(fault.IO, "look at %s: %w", path, fault.Cause(err))
	}
	current, err := lookAt(path)
	if err != nil || current == nil || !os.SameFile(locked, current) {
		return false, err
	}
	if !isLock(locked) {
		return false, notALock(path)
	}
	return true, nil
}

// release removes the file while the lock is still held, then lets go.
func (l *lock) release() {
	os.Remove(l.file.Path())
	l.file.Close()
}
