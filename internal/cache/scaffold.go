package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/fault"
)

// A scaffold is the path of the directory where a build works, beside the cache:
//
//	.NAME.context-new/made-by-context-build/
//	  new/   the cache that is being made; after an exchange, the old one
//	  old/   the old cache, where the system cannot exchange the two
//
// A scaffold with a cache that readers still use is called .NAME.context-old-N.
// The directory in between is our mark: a build removes nothing without it, so
// no user loses a directory that happens to have such a name.
type scaffold string

const markName = "made-by-context-build"

func (s scaffold) mark() string  { return filepath.Join(string(s), markName) }
func (s scaffold) cache() string { return filepath.Join(s.mark(), "new") }
func (s scaffold) old() string   { return filepath.Join(s.mark(), "old") }

// lookAt returns the info of the file at path, nil if there is none.
func lookAt(path string) (fs.FileInfo, error) {
	found, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "look at %s: %w", path, fault.Cause(err))
	}
	return found, nil
}

// isOurs reports whether a build made the scaffold: it is a directory that holds
// our mark and nothing else. An empty one may be one that a build had no
// time to mark; nothing is lost with it.
func (s scaffold) isOurs() (bool, error) {
	found, err := entriesIn(string(s))
	if found == nil || err != nil {
		return false, err
	}
	mark, isMarked := found[markName]
	return len(found) == 0 || len(found) == 1 && isMarked && mark.IsDir(), nil
}

// make makes the scaffold of a new cache. An empty directory may be there.
func (s scaffold) make(disk disk) error {
	for _, dir := range []string{string(s), s.mark(), s.cache(), filepath.Join(s.cache(), documentsName)} {
		err := disk.mkdir(dir)
		if err != nil && (dir != string(s) || !errors.Is(err, fs.ErrExist)) {
			return fault.Errorf(fault.IO, "make directory %s: %w", dir, fault.Cause(err))
		}
	}
	return nil
}

// remove removes a scaffold with its contents, the mark last. It fails with
// errInUse if readers have a cache in it open.
func (s scaffold) remove(disk disk) error {
	for _, dir := range []string{s.cache(), s.old()} {
		if err := removeUnused(dir, disk); err != nil {
			return err
		}
	}
	return disk.removeAll(string(s))
}

var errInUse = errors.New("a reader has it open")

// removeUnused removes a directory unless a reader has it open.
func removeUnused(path string, disk disk) error {
	found, err := lookAt(path)
	if err != nil || found == nil {
		return err
	}
	if !found.IsDir() { // opening it might wait for ever
		return disk.removeAll(path)
	}
	dir, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return disk.removeAll(path) // no reader can have it open
	case err != nil:
		return err
	}
	defer dir.Close()
	if !tryLock(dir, exclusive) {
		return errInUse
	}
	return disk.removeAll(path)
}
