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
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/contextcompiler/context/fault"
)

// A Root is the directory that sources are found under. Nothing outside of it
// is ever read. Safe for concurrent use.
type Root struct {
	dir  *os.Root
	real string // absolute path without symlinks

	mu struct {
		sync.Mutex
		idle []openDirectory // the one that was used last is the last
	}
}

// An openDirectory is a directory below a root, with its path. Sources are read
// directory by directory, and to open each from the root down would take most
// of the time.
type openDirectory struct {
	path string
	dir  *os.Root
}

// maxIdle is how many directories stay open while nobody uses them: enough for
// the workers of a build.
const maxIdle = 32

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
	return &Root{dir: dir, real: real}, nil
}

// Path returns the root's absolute path, without symlinks.
func (r *Root) Path() string { return r.real }

// Close releases the directory.
func (r *Root) Close() {
	for _, d := range r.mu.idle {
		d.dir.Close()
	}
	r.dir.Close()
}

// open opens the file at a path below the root to be read.
func (r *Root) open(file string) (*os.File, error) {
	dir, name := path.Split(file)
	d, err := r.take(dir)
	if err != nil {
		return nil, err
	}
	defer r.giveBack(d)
	// Should a pipe have come in place of the file, this does not wait for
	// a writer.
	return d.dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// take opens the directory at a path for the caller alone.
func (r *Root) take(path string) (openDirectory, error) {
	r.mu.Lock()
	for i, d := range slices.Backward(r.mu.idle) {
		if d.path == path {
			r.mu.idle = slices.Delete(r.mu.idle, i, i+1)
			r.mu.Unlock()
			return d, nil
		}
	}
	r.mu.Unlock()
	dir, err := r.dir.OpenRoot(cmp.Or(path, "."))
	return openDirectory{path, dir}, err
}

// giveBack keeps a directory open for the next, and closes the one that nobody
// has used for longest if there are too many.
func (r *Root) giveBack(d openDirectory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.idle = append(r.mu.idle, d)
	if len(r.mu.idle) > maxIdle {
		r.mu.idle[0].dir.Close()
		r.mu.idle = slices.Delete(r.mu.idle, 0, 1)
	}
}

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
