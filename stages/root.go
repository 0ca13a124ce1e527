// Package stages holds the steps of a build, one file each:
//
//	Discover → ( Read → Parse → Normalize → Hash → Write ) → Seal
//
// Each is a plain function from one named type to the next: what a type is
// called says what is now true of the data. No step knows its neighbours, and
// none changes what it was given. Discover and Read look at the sources, Write
// and Seal hand over to package cache; the steps between them touch no disk.
package stages

import (
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/fault"
)

// A Root is the directory that sources are found under. Nothing outside of it
// is ever read. Safe for concurrent use.
type Root struct {
	dir  *os.Root
	real string // absolute path without symlinks
}

// OpenRoot opens the directory at path. It fails with [fault.IO] if there is
// none.
func OpenRoot(path string) (*Root, error) {
	// Symlinks first: ".." behind one leads to the parent of its target.
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "no sources at %s: %w", path, fault.Cause(err))
	}
	// Opening a pipe would wait for somebody to write to it.
	if found, err := os.Stat(real); err == nil && !found.IsDir() {
		return nil, fault.Errorf(fault.IO, "no sources at %s: it is not a directory", path)
	}
	dir, err := os.OpenRoot(real)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "no sources at %s: %w", path, fault.Cause(err))
	}
	return &Root{dir, real}, nil
}

// Path returns the root's absolute path, without symlinks.
func (r *Root) Path() string { return r.real }

// Close releases the directory.
func (r *Root) Close() { r.dir.Close() }

// resolve follows the symlink at path, below the root, and returns the path
// below the root that it leads to; ok is false if that is outside.
func (r *Root) resolve(path string) (target string, ok bool, err error) {
	real, err := filepath.EvalSymlinks(filepath.Join(r.real, filepath.FromSlash(path)))
	if err != nil {
		return "", false, err
	}
	target, err = filepath.Rel(r.real, real)
	if err != nil || !filepath.IsLocal(target) {
		return "", false, nil
	}
	return filepath.ToSlash(target), true, nil
}
