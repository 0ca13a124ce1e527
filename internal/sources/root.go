package sources

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/files"
)

// A root is an open directory of sources. Safe for concurrent use.
type root struct {
	mount Mount
	scope scope
	dir   *os.Root
	real  string // absolute path without symlinks

	mu struct {
		sync.Mutex
		idle []openDirectory // in the order of their last use
	}
}

// An openDirectory is a directory below a root, with its path. Sources are read
// directory by directory, and to open each from the root down would take most
// of the time.
type openDirectory struct {
	path string
	dir  *os.Root
}

// maxIdle is the number of directories that stay open between two uses: enough
// for the workers of a build.
const maxIdle = 32

// ErrNoSources is the error of a mount whose directory cannot be opened.
var ErrNoSources = errors.New("no sources")

// openRoot opens the directory of a mount. It fails with [fault.IO] if there is none.
func openRoot(mount Mount) (*root, error) {
	path := mount.Dir
	// Symlinks first: ".." behind one leads to the parent of its target.
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = files.Absolute(real)
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "%w at %s: %w", ErrNoSources, path, fault.Cause(err))
	}
	dir, err := files.OpenRoot(real)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fault.Errorf(fault.IO, "%w at %s: it is not a directory", ErrNoSources, path)
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "%w at %s: %w", ErrNoSources, path, fault.Cause(err))
	}
	r := &root{mount: mount, dir: dir, real: real}
	r.scope = r.newScope()
	return r, nil
}

// close releases the directory.
func (r *root) close() {
	for _, d := range r.mu.idle {
		d.dir.Close()
	}
	r.dir.Close()
}

// open opens the regular file at a path below the root.
func (r *root) open(file string) (*os.File, fs.FileInfo, error) {
	dir, name := path.Split(file)
	d, err := r.take(dir)
	if err != nil {
		return nil, nil, err
	}
	defer r.giveBack(d)
	return files.Open(d.dir, name)
}

// take opens the directory at a path. No other goroutine has it until giveBack.
func (r *root) take(path string) (openDirectory, error) {
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

// giveBack keeps a directory open for the next source. If too many are open, it
// closes the one that was used longest ago.
func (r *root) giveBack(d openDirectory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.idle = append(r.mu.idle, d)
	if len(r.mu.idle) > maxIdle {
		r.mu.idle[0].dir.Close()
		r.mu.idle = slices.Delete(r.mu.idle, 0, 1)
	}
}

// A linkTarget is the target of a symlink.
type linkTarget struct {
	found fs.FileInfo // nil if it leads nowhere
	root  *root       // that it lies below; nil for none
	path  string      // below that root
}

// follow follows the symlink at a path below one of the roots. A symlink that leads
// nowhere is not an error.
func (roots Roots) follow(from *root, path string) (target linkTarget, err error) {
	link := filepath.Join(from.real, filepath.FromSlash(path))
	target.found, err = os.Stat(link)
	if leadsNowhere(err) {
		return linkTarget{}, nil
	}
	if err != nil {
		return linkTarget{}, err
	}
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		return linkTarget{}, err
	}
	for _, root := range roots {
		if below, err := filepath.Rel(root.real, real); err == nil && filepath.IsLocal(below) {
			target.root, target.path = root, filepath.ToSlash(below)
			break
		}
	}
	return target, nil
}

// leadsNowhere reports whether err says that a path does not exist: a name is
// missing, a directory is a file, or symlinks form a circle.
func leadsNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}
