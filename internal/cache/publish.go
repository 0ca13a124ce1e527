package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/contextcompiler/context/fault"
)

// publish puts the new cache in its place. All of it is on the disk before
// the first name changes, so that a loss of power leaves the old or the new.
func (w *Writer) publish() error {
	if err := w.disk.syncTree(w.scaffold.cache()); err != nil {
		return fault.Errorf(fault.IO, "sync %s: %w", w.scaffold.cache(), fault.Cause(err))
	}
	// Much time has passed since Create looked.
	if err := w.target.admits(w.options.Replace); err != nil {
		return err
	}
	if err := w.moveIntoPlace(); err != nil {
		return fault.Errorf(fault.IO, "put the new cache at %s: %w", w.target.shown, fault.Cause(err))
	}
	w.parents = nil // they hold something now
	err := w.disk.syncDirectory(w.target.parent())
	// If the old cache cannot be removed, the next build does it.
	w.removeScaffold(w.scaffold)
	if err != nil {
		return fault.Errorf(fault.IO, "the new cache is in its place, but may not outlive a loss of power: sync %s: %w",
			w.target.parent(), fault.Cause(err))
	}
	return nil
}

// moveIntoPlace renames the new cache to the target, or exchanges the two.
func (w *Writer) moveIntoPlace() error {
	made, place := w.scaffold.cache(), w.target.path
	found, err := lookAt(place)
	if err != nil {
		return err
	}
	if !w.options.Replace || found == nil {
		return w.disk.renameNew(made, place)
	}
	err = w.disk.exchange(made, place)
	if errors.Is(err, syscall.EXDEV) { // an overlay, and the cache in a layer below
		return fmt.Errorf("the file system cannot move the old one (%w): remove it, then build again", err)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	// Two steps: between them there is no cache, but never a broken one. A
	// build that comes after a death in between puts the old one back.
	old := w.scaffold.old()
	if err := w.disk.rename(place, old); err != nil {
		return err
	}
	if err := w.disk.renameNew(made, place); err != nil {
		return errors.Join(err, w.disk.rename(old, place))
	}
	return nil
}

// clear makes room for the scaffold: it deals with the one that a killed build
// left. The lock is held, so no build works there.
func (w *Writer) clear() error {
	s := w.target.scaffold()
	found, err := lookAt(string(s))
	if err != nil || found == nil {
		return err
	}
	ours, err := s.isOurs()
	if err != nil {
		return err
	}
	if !ours {
		return fault.Errorf(fault.IO, "%s is in the way, and no build made it: move it, then try again", string(s))
	}
	restored, err := w.restore(s.old())
	if err != nil {
		return err
	}
	if err := w.removeScaffold(s); err != nil {
		return fault.Errorf(fault.IO, "remove %s, which an earlier build left behind: %w", string(s), fault.Cause(err))
	}
	if restored {
		return w.target.admits(w.options.Replace)
	}
	return nil
}

// restore puts the old cache back if a build died between the two steps of
// replacing it, and reports whether it did.
func (w *Writer) restore(old string) (restored bool, err error) {
	saved, err := lookAt(old)
	if err != nil || saved == nil {
		return false, err
	}
	if found, err := lookAt(w.target.path); err != nil || found != nil {
		return false, err
	}
	if err := w.disk.renameNew(old, w.target.path); err != nil {
		return false, fault.Errorf(fault.IO, "put the cache back from %s: %w", old, fault.Cause(err))
	}
	return true, nil
}

// removeRetired removes the caches that builds replaced, once no reader has them
// open. One that cannot be removed is left to a later build.
func (w *Writer) removeRetired() {
	siblings, _ := os.ReadDir(w.target.parent())
	for _, e := range siblings {
		s := scaffold(filepath.Join(w.target.parent(), e.Name()))
		if !w.target.isRetired(string(s)) {
			continue
		}
		if ours, err := s.isOurs(); ours && err == nil {
			s.remove(w.disk)
		}
	}
}

// removeScaffold removes a scaffold of ours. One with a cache that readers have
// open goes out of the way and is left to a later build.
func (w *Writer) removeScaffold(s scaffold) error {
	err := s.remove(w.disk)
	if errors.Is(err, errInUse) {
		return w.disk.rename(string(s), w.freeRetired())
	}
	return err
}

// freeRetired returns a path for a replaced cache that nothing has yet.
func (w *Writer) freeRetired() string {
	for n := 0; ; n++ {
		path := w.target.retired() + strconv.Itoa(n)
		if found, err := lookAt(path); found == nil || err != nil {
			return path
		}
	}
}
