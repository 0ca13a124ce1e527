package replace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// A lock lets only one process at a time replace a directory. The system releases it
// when the process dies. Its file may stay, because the file alone locks nothing.
type lock struct{ file *flock.Flock }

// acquire takes the lock of the file at path. If another process holds the lock, it
// fails immediately with [fault.IO], because waiting would hide a hanging process.
func acquire(path string) (*lock, error) {
	const tries = 100 // each fails only if another process releases the lock at the same time
	for range tries {
		l, err := tryAcquire(path)
		if l != nil || err != nil {
			return l, err
		}
	}
	return nil, fault.Errorf(fault.IO, "cannot get the lock %s: other builds keep taking it; try again later", path)
}

// tryAcquire returns nil if the file at path is replaced in the meantime.
func tryAcquire(path string) (*lock, error) {
	// Look first, because opening some devices has side effects.
	found, err := files.LookAt(path)
	if err == nil && found != nil && !isLock(found) {
		err = notALock(path)
	}
	if err != nil {
		return nil, err
	}
	file := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|openLockFlags), flock.SetPermissions(0o666))
	held, err := files.TryLock(file)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) {
		os.Remove(path)
		return nil, fault.Errorf(fault.IO, "the file system of %s does not support locks, which keep builds apart: %w", filepath.Dir(path), err)
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "write to %s: lock %s: %w", filepath.Dir(path), path, fault.Cause(err))
	}
	if !held {
		return nil, fault.Errorf(fault.IO, "another build is already running: wait until it finishes, then try again")
	}
	isThere, err := isAt(path, file)
	if !isThere || err != nil {
		file.Close()
		return nil, err
	}
	return &lock{file}, nil
}

func isLock(file fs.FileInfo) bool { return file.Mode().IsRegular() && file.Size() == 0 }

func notALock(path string) error {
	return fault.Errorf(fault.IO, "%s is in the way of the lock, and was not made by a build: move it, then try again", path)
}

// isAt reports whether a locked file is still the file at path. If another process has
// removed the file, its lock protects nothing.
func isAt(path string, file *flock.Flock) (bool, error) {
	locked, err := file.Stat()
	if err != nil {
		return false, fault.Errorf(fault.IO, "look at %s: %w", path, fault.Cause(err))
	}
	current, err := files.LookAt(path)
	if err != nil || current == nil || !os.SameFile(locked, current) {
		return false, err
	}
	if !isLock(locked) {
		return false, notALock(path)
	}
	return true, nil
}

// release removes the file while it is locked and then unlocks it. Windows cannot remove
// open files, so there the order is reversed.
func (l *lock) release() {
	os.Remove(l.file.Path())
	l.file.Close()
	if runtime.GOOS == "windows" {
		os.Remove(l.file.Path()) // fails if another process holds the lock by now
	}
}
