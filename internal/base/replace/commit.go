package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// Commit puts the new directory in its place. It syncs all files before it changes the
// first name, so a power failure leaves either the old directory or the new one.
func (s *Staging) Commit() error {
	if err := s.disk.SyncTree(s.scaffold.new()); err != nil {
		return fault.Errorf(fault.IO, "sync %s: %w", s.scaffold.new(), fault.Cause(err))
	}
	// Begin called Admit long ago.
	if err := s.options.Admit(s.path); err != nil {
		return err
	}
	if err := s.moveIntoPlace(); err != nil {
		return fault.Errorf(fault.IO, "move the new directory to %s: %w", s.shown, fault.Cause(err))
	}
	s.parents = nil // no longer empty, so Close must not try to remove them
	if err := s.disk.SyncDirectory(s.parent()); err != nil {
		return fault.Errorf(fault.IO, "%s is in its place, but may not survive a power failure: sync %s: %w",
			s.shown, s.parent(), fault.Cause(err))
	}
	return nil
}

// moveIntoPlace renames the new directory, or exchanges it with the old one.
func (s *Staging) moveIntoPlace() error {
	made, old := s.scaffold.new(), s.scaffold.old()
	found, err := files.LookAt(s.path)
	if err != nil {
		return err
	}
	if !s.options.Replace || found == nil {
		return s.disk.RenameNew(made, s.path)
	}
	err = s.disk.Exchange(made, s.path)
	if errors.Is(err, syscall.EXDEV) { // an overlay with the old directory in a lower layer
		return fmt.Errorf("the file system cannot move the old directory (%w): remove it, then build again", err)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := s.disk.Rename(s.path, old); err != nil {
		if IsOpen(err) {
			return fmt.Errorf("another program keeps the old directory open (%w): close it, then build again", fault.Cause(err))
		}
		return err
	}
	if err := s.disk.RenameNew(made, s.path); err != nil {
		return errors.Join(err, s.disk.Rename(old, s.path))
	}
	return nil
}

// IsOpen reports whether Windows refuses to move a directory because it is open.
func IsOpen(err error) bool {
	const sharingViolation = syscall.Errno(32)
	return runtime.GOOS == "windows" && (errors.Is(err, sharingViolation) || errors.Is(err, fs.ErrPermission))
}
