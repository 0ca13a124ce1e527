package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/contextcompiler/context/fault"
)

// publish puts the staged cache in its place. All of it is on the disk before
// the first name changes, so that a loss of power leaves the old or the new.
func (w *Writer) publish() error {
	if err := w.disk.syncTree(w.target.staging()); err != nil {
		return fault.Errorf(fault.IO, "sync %s: %w", w.target.staging(), fault.Cause(err))
	}
	// Much time has passed since Create looked.
	if err := w.target.admits(w.options.Replace); err != nil {
		return err
	}
	if err := w.moveIntoPlace(); err != nil {
		return fault.Errorf(fault.IO, "put the new cache at %s: %w", w.target.shown, fault.Cause(err))
	}
	w.placed = true
	w.parents = nil // they hold something now
	err := w.disk.syncDirectory(w.target.parent())
	// Should what was replaced stay, the next build removes it: the cache is
	// in its place.
	w.removeReplaced(w.target.staging())
	if err != nil {
		return fault.Errorf(fault.IO, "sync %s: %w", w.target.parent(), fault.Cause(err))
	}
	return nil
}

// moveIntoPlace renames the staged cache to the target, or exchanges the two;
// after that the staging name is free, or holds what was replaced.
func (w *Writer) moveIntoPlace() error {
	staging, place := w.target.staging(), w.target.path
	if !w.options.Replace || !exists(place) {
		return w.disk.renameNew(staging, place)
	}
	err := w.disk.exchange(staging, place)
	if errors.Is(err, syscall.EXDEV) { // an overlay, and the cache in a layer below
		return fmt.Errorf("the file system cannot move the old one (%w): remove it, then build again", err)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	// Two steps: between them there is no cache, but never a broken one. A
	// build that comes after a death in between puts the old one back.
	was := w.target.between()
	if err := w.disk.rename(place, was); err != nil {
		return err
	}
	if err := w.disk.renameNew(staging, place); err != nil {
		return errors.Join(err, w.disk.rename(was, place))
	}
	w.removeReplaced(was)
	return nil
}

// restore puts the old cache back if a build died between the two steps of
// replacing it, and reports whether it did.
func (w *Writer) restore() (restored bool, err error) {
	was := w.target.between()
	if !exists(was) || exists(w.target.path) {
		return false, nil
	}
	if err := w.disk.renameNew(was, w.target.path); err != nil {
		return false, fault.Errorf(fault.IO, "put the cache back from %s: %w", was, fault.Cause(err))
	}
	return true, nil
}

// cleanUp removes what builds that were killed left beside the target. The
// lock is held, so nobody is writing there.
func (w *Writer) cleanUp() error {
	leftovers := []string{w.target.staging(), w.target.between()}
	siblings, _ := os.ReadDir(w.target.parent())
	for _, e := range siblings {
		if path := filepath.Join(w.target.parent(), e.Name()); w.target.isRetired(path) {
			leftovers = append(leftovers, path)
		}
	}
	for _, path := range leftovers {
		// One that stays is in the way only under the name of the staging.
		if err := w.removeReplaced(path); err != nil && path == w.target.staging() {
			return fault.Errorf(fault.IO, "remove %s, which an earlier build left behind: %w", path, fault.Cause(err))
		}
	}
	return nil
}

// removeReplaced removes a directory that is no longer anybody's cache. One
// that readers have open goes out of the way and is left to a later build.
func (w *Writer) removeReplaced(path string) error {
	if !isDirectory(path) { // or it would be opened, which may wait for ever
		return w.disk.removeAll(path)
	}
	dir, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return w.disk.removeAll(path) // nobody can have it open to read
	case err != nil:
		return err
	}
	defer dir.Close()
	if tryLock(dir, exclusive) {
		return w.disk.removeAll(path)
	}
	if w.target.isRetired(path) {
		return nil
	}
	return w.disk.rename(path, w.freeRetired())
}

// freeRetired returns a path for a replaced cache that nothing has yet.
func (w *Writer) freeRetired() string {
	for n := 0; ; n++ {
		if path := w.target.retired() + strconv.Itoa(n); !exists(path) {
			return path
		}
	}
}
