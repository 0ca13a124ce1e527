// Package replace replaces a directory: whole, or not at all.
//
//	Begin   lock; remove what killed processes left; make .NAME.context-new
//	Write…  the caller fills the new directory
//	Commit  sync it; exchange it with the old one in one step; sync the parent
//	Close   remove the old directory, or the new one without Commit; unlock
//
// These names stand beside the directory NAME for a while:
//
//	.NAME.context-lock            an empty file, locked from Begin to Close
//	.NAME.context-new/            the scaffold
//	    made-by-context-build/    the mark: nothing is removed without it
//	        new/                  the new directory; after Commit, the old one
//	        old/                  the old one, if two directories cannot be exchanged
//	        scratch-N             a file that the caller needs for a while
//	.NAME.context-old-N/          a scaffold with a directory that readers have open
//
// The promise: at every moment NAME is the old directory or the new one, with
// all of its files. This holds when a call fails, when the process dies, and
// after a loss of power.
//
// A file system that cannot exchange two directories takes two renames. If the
// process dies between them, NAME is missing until the next Begin, which puts
// the old directory back.
//
// Readers open a directory with [Open] and keep it until they close it,
// even if it is replaced meanwhile. To open is to take a shared lock on the
// directory: Close sees the lock, moves the scaffold to .NAME.context-old-N, and
// a later Begin removes it.
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
	"github.com/contextcompiler/context/internal/files"
)

// Options say what Begin may replace.
type Options struct {
	Replace bool // false fails with a directory that exists

	// Admit returns why no directory can be put at path, which is absolute
	// and leads through no symlink. Begin calls it, and Commit once more.
	Admit func(path string) error

	Disk Disk // nil means the operating system
}

// A Staging is a new directory that is not in its place yet. It writes files and makes
// scratch files concurrently; everything else is for one goroutine.
type Staging struct {
	path     string // absolute, without symlinks
	shown    string // as the caller named it
	options  Options
	disk     Disk
	lock     *lock
	parents  []string     // directories that Begin made, the deepest first
	scaffold scaffold     // "" until it is made
	made     fs.FileInfo  // of the new directory
	scratch  atomic.Int64 // files so far
}

// Begin begins to replace the directory at path, or to make it. A symlink to a
// directory stands for the directory.
//
// It fails with the error of Admit, and with [fault.IO] if another process
// replaces the same directory, if something is in the way, or if the system
// refuses.
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

// makeParents makes the directories above the path that are missing.
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

// Path returns the absolute path, without symlinks, that the directory will have.
func (s *Staging) Path() string { return s.path }

// in returns the path of a file in the new directory, by its slash path there.
func (s *Staging) in(name string) string {
	return filepath.Join(s.scaffold.new(), filepath.FromSlash(name))
}

// Mkdir makes a directory in the new one. This method and the next ones return
// the errors of the system.
func (s *Staging) Mkdir(name string) error { return s.disk.Mkdir(s.in(name)) }

// WriteFile writes a file.
func (s *Staging) WriteFile(name string, data []byte) error {
	return s.disk.WriteFile(s.in(name), data)
}

// StreamFile writes a file that holds the output of write.
func (s *Staging) StreamFile(name string, write func(io.Writer) error) error {
	return s.disk.StreamFile(s.in(name), write)
}

// Scratch makes a file beside the new directory. The caller closes it before Commit and
// Close. If the process dies, the next Begin removes it.
func (s *Staging) Scratch() (Scratch, error) {
	return s.disk.Scratch(s.scaffold.scratch(s.scratch.Add(1)))
}

// Rename renames a file.
func (s *Staging) Rename(from, to string) error { return s.disk.Rename(s.in(from), s.in(to)) }

// Keep gives a file of the old directory a second name in the new one, and
// reports whether it did. It does not if that shows: if the file was modified at
// another time, or if a new file would get another owner or mode.
func (s *Staging) Keep(name string, modified time.Time) bool {
	old := filepath.Join(s.path, filepath.FromSlash(name))
	found, err := os.Lstat(old)
	return err == nil && found.ModTime().Equal(modified) &&
		found.Mode() == s.made.Mode().Perm()&^0o111 && sameOwner(found, s.made) &&
		s.disk.Link(old, s.in(name)) == nil
}

// Close removes the old directory after Commit, and the new one without it. Then
// it unlocks. It may be called more than once.
func (s *Staging) Close() {
	if s.lock != nil {
		if s.scaffold != "" {
			s.removeScaffold(s.scaffold) // if that fails, the next Begin does it
		}
		s.lock.release()
		s.lock = nil
	}
	for _, dir := range s.parents {
		os.Remove(dir) // fails if it is not empty
	}
}
