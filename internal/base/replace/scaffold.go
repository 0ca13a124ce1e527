package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// A scaffold is the path of the directory around the new directory until Commit. The
// comment of the package shows its contents.
type scaffold string

const markName = "made-by-context-build"

func (s scaffold) mark() string { return filepath.Join(string(s), markName) }
func (s scaffold) new() string  { return filepath.Join(s.mark(), "new") }
func (s scaffold) old() string  { return filepath.Join(s.mark(), "old") }

func (s scaffold) scratch(n int64) string {
	return filepath.Join(s.mark(), fmt.Sprintf("scratch-%d", n))
}

// isOurs reports whether this package made the scaffold. In that case, it is a directory
// and contains only the mark. An empty directory counts as well, because a process can
// die before it makes the mark.
func (s scaffold) isOurs() (bool, error) {
	found, err := files.Entries(string(s))
	if found == nil || err != nil {
		return false, err
	}
	mark, isMarked := found[markName]
	return len(found) == 0 || len(found) == 1 && isMarked && mark.IsDir(), nil
}

// make makes the scaffold, unless an empty directory is already there.
func (s scaffold) make(disk Disk) error {
	for _, dir := range []string{string(s), s.mark(), s.new()} {
		err := disk.Mkdir(dir)
		if err != nil && (dir != string(s) || !errors.Is(err, fs.ErrExist)) {
			return fault.Errorf(fault.IO, "make directory %s: %w", dir, fault.Cause(err))
		}
	}
	return nil
}

// remove removes the scaffold, and the mark last. It fails with ErrInUse if readers have
// a directory in it open.
func (s scaffold) remove(disk Disk) error {
	for _, dir := range []string{s.new(), s.old()} {
		if err := removeUnused(dir, disk); err != nil {
			return err
		}
	}
	return disk.RemoveAll(string(s))
}

func removeUnused(path string, disk Disk) error {
	found, err := files.LookAt(path)
	if err != nil || found == nil {
		return err
	}
	if found.IsDir() { // opening anything else could wait
		release, err := Seize(path)
		switch {
		case errors.Is(err, fs.ErrPermission): // then readers cannot open it either
		case err != nil:
			return err
		default:
			defer release()
		}
	}
	return disk.RemoveAll(path)
}

// clear makes room for the scaffold. Since it runs under the lock, any scaffold already
// there belongs to a dead process.
func (s *Staging) clear() error {
	left := s.newScaffold()
	found, err := files.LookAt(string(left))
	if err != nil || found == nil {
		return err
	}
	ours, err := left.isOurs()
	if err != nil {
		return err
	}
	if !ours {
		return fault.Errorf(fault.IO, "%s is in the way, and was not made by a build: move it, then try again", string(left))
	}
	restored, err := s.restore(left.old())
	if err != nil {
		return err
	}
	if err := s.removeScaffold(left); err != nil {
		return fault.Errorf(fault.IO, "remove %s, left over from an earlier build: %w", string(left), fault.Cause(err))
	}
	if restored {
		return s.options.Admit(s.path)
	}
	return nil
}

// restore puts the old directory back if a process died between two renames, and reports
// whether it did.
func (s *Staging) restore(old string) (restored bool, err error) {
	saved, err := files.LookAt(old)
	if err != nil || saved == nil {
		return false, err
	}
	if found, err := files.LookAt(s.path); err != nil || found != nil {
		return false, err
	}
	if err := s.disk.RenameNew(old, s.path); err != nil {
		return false, fault.Errorf(fault.IO, "restore %s from %s: %w", s.shown, old, fault.Cause(err))
	}
	return true, nil
}

// removeRetired removes the old directories whose readers have closed them by now. A
// later Begin removes the others.
func (s *Staging) removeRetired() {
	siblings, _ := os.ReadDir(s.parent())
	for _, e := range siblings {
		left := scaffold(filepath.Join(s.parent(), e.Name()))
		if !s.isRetired(string(left)) {
			continue
		}
		if ours, err := left.isOurs(); ours && err == nil {
			left.remove(s.disk)
		}
	}
}

// removeScaffold removes a scaffold. If readers have a directory in it open, it only
// gives the scaffold another name.
func (s *Staging) removeScaffold(left scaffold) error {
	err := left.remove(s.disk)
	if errors.Is(err, ErrInUse) {
		return s.disk.Rename(string(left), s.freeRetired())
	}
	return err
}
