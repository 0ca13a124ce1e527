// Package replace replaces a directory, either completely or not at all.
//
//	Begin   lock; remove the leftovers of killed processes; make .NAME.context-new
//	Write…  the caller fills the new directory
//	Commit  sync it; exchange it with the old one in one step; sync the parent
//	Close   remove the old directory, or the new one without Commit; unlock
//
// These names temporarily appear next to the directory NAME:
//
//	.NAME.context-lock            an empty file, locked from Begin to Close
//	.NAME.context-new/            the scaffold
//	    made-by-context-build/    the mark: nothing is removed without it
//	        new/                  the new directory; after Commit, the old one
//	        old/                  the old one, if two directories cannot be exchanged
//	        scratch-N             a temporary file of the caller
//	.NAME.context-old-N/          a scaffold with a directory that readers have open
//
// At any time, NAME is either the old directory or the new one, with all of its files.
// This holds even if a call fails, the process dies, or the power fails.
//
// If the file system cannot exchange two directories, Commit needs two renames instead.
// If the process dies between them, NAME is missing until the next Begin
// restores the old directory.
//
// Readers open a directory with [Open] and can keep using it until they close it, even
// if it is replaced in the meantime, because Open takes a shared lock on the directory.
// When Close sees the lock, it moves the scaffold to .NAME.context-old-N instead of
// removing it, and a later Begin removes it.
package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// Options say what Begin may replace.
type Options struct {
	Replace bool // if false, an existing directory is an error

	// Admit returns why a directory must not be put at path, which is absolute and free of
	// symlinks. Begin calls it first, and Commit calls it again.
	Admit func(path string) error

	Disk Disk // nil means the operating system
}

// A Staging is a new directory on its way to its place. Its methods WriteFile,
// StreamFile, Keep and Scratch are safe for concurrent use; the others are not.
type Staging struct {
	path     string // absolute, without symlinks
	shown    string // as the caller named it
	options  Options
	disk     Disk
	lock     *lock
	parents  []string     // made by Begin, deepest first
	scaffold scaffold     // "" until it exists
	made     fs.FileInfo  // of the new directory
	scratch  atomic.Int64 // number of files so far
}

// Begin starts to replace the directory at path, or to create it. If path is a symlink
// to a directory, Begin replaces its target.
//
// It fails with the error of Admit, and with [fault.IO] if another process is replacing
// the same directory, if something else is in the way, or if the system refuses.
func Begin(path string, options Options) (*Staging, error) {
	located, err := Locate(path)
	if err != nil {
		return nil, err
	}
	s := &Staging{path: located, shown: path, options: options, disk: options.Disk}
	if s.disk == nil {
		s.disk = System{}
	}
	if err := options.Admit(s.path); err != nil {
		return nil, err
	}
	if err := s.prepare(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Staging) prepare() (err error) {
	if err := s.makeParents(); err != nil {
		return err
	}
	if s.lock, err = acquire(s.lockPath()); err != nil {
		return fmt.Errorf("%s: %w", s.shown, err)
	}
	if err := s.clear(); err != nil {
		return err
	}
	s.removeRetired()
	s.scaffold = s.newScaffold()
	if err := s.scaffold.make(s.disk); err != nil {
		return err
	}
	if s.made, err = os.Lstat(s.scaffold.new()); err != nil {
		return fault.Errorf(fault.IO, "look at %s: %w", s.scaffold.new(), fault.Cause(err))
	}
	return nil
}

// makeParents makes the missing directories above the path.
func (s *Staging) makeParents() error {
	var missing []string
	for dir := s.parent(); ; dir = filepath.Dir(dir) {
		found, err := files.LookAt(dir)
		if err != nil {
			return err
		}
		if found != nil {
			break
		}
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := s.disk.Mkdir(missing[i]); err != nil && !errors.Is(err, os.ErrExist) {
			return fault.Errorf(fault.IO, "make directory %s: %w", missing[i], fault.Cause(err))
		}
		s.parents = missing[i:]
	}
	return nil
}

// Path returns the absolute path of the directory after Commit, free of symlinks.
func (s *Staging) Path() string { return s.path }

// Dir returns the absolute path of the new directory until Commit, for callers that check
// what they wrote.
func (s *Staging) Dir() string { return s.scaffold.new() }

func (s *Staging) in(name string) string {
	return filepath.Join(s.scaffold.new(), filepath.FromSlash(name))
}

// Mkdir makes a directory in the new directory. Like the methods below, it returns errors of
// the system without a code.
func (s *Staging) Mkdir(name string) error { return s.disk.Mkdir(s.in(name)) }

// WriteFile writes a file.
func (s *Staging) WriteFile(name string, data []byte) error {
	return s.disk.WriteFile(s.in(name), data)
}

// StreamFile writes the output of write to a file.
func (s *Staging) StreamFile(name string, write func(io.Writer) error) error {
	return s.disk.StreamFile(s.in(name), write)
}

// Scratch makes a temporary file next to the new directory. The caller must close it
// before Commit and Close. If the process dies, the next Begin removes the file.
func (s *Staging) Scratch() (Scratch, error) {
	return s.disk.Scratch(s.scaffold.scratch(s.scratch.Add(1)))
}

// Rename renames a file.
func (s *Staging) Rename(from, to string) error { return s.disk.Rename(s.in(from), s.in(to)) }

// Keep tries to give a file, such as one of the old directory, a second name in the new
// directory. It reports false if the result would differ from a new file, which is the case
// if the file was modified at another time, or if its owner or mode is another.
func (s *Staging) Keep(old string, modified time.Time, name string) bool {
	found, err := os.Lstat(old)
	return err == nil && found.ModTime().Equal(modified) &&
		found.Mode() == s.made.Mode().Perm()&^0o111 && sameOwner(found, s.made) &&
		s.disk.Link(old, s.in(name)) == nil
}

// Close removes the old directory after Commit, or otherwise the new one, and releases
// the lock. It can be called more than once.
func (s *Staging) Close() {
	if s.lock != nil {
		if s.scaffold != "" {
			s.removeScaffold(s.scaffold) // if this fails, the next Begin tries again
		}
		s.lock.release()
		s.lock = nil
	}
	for _, dir := range s.parents {
		os.Remove(dir) // fails unless it is empty
	}
}
