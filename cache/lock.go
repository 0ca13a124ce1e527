package cache

import (
	"errors"
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
	for {
		file := flock.New(path, flock.SetPermissions(0o666))
		held, err := file.TryLock()
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) {
			os.Remove(path) // nobody can hold it
			return nil, fault.Errorf(fault.IO, "the file system of %s has no locks, which keep builds apart: %w", filepath.Dir(path), err)
		}
		if err != nil {
			return nil, fault.Errorf(fault.IO, "write to %s, where the cache is to be: %w", filepath.Dir(path), fault.Cause(err))
		}
		if !held {
			return nil, fault.Errorf(fault.IO, "another build is making this cache: wait until it has ended, then try again")
		}
		// The one before us removed its file on release. If that is the
		// file that we have locked, our lock keeps nobody out.
		if isAt(path, file) {
			return &lock{file}, nil
		}
		file.Close()
	}
}

func isAt(path string, file *flock.Flock) bool {
	locked, err := file.Stat()
	if err != nil {
		return false
	}
	current, err := os.Stat(path)
	return err == nil && os.SameFile(locked, current)
}

// release removes the file while the lock is still held, then lets go.
func (l *lock) release() {
	os.Remove(l.file.Path())
	l.file.Close()
}
