package sources

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/ignore"
)

// A root is an open directory of sources. It is safe for concurrent use.
type root struct {
	mount Mount
	scope scope
	dir   *os.Root
	real  string // absolute path without symlinks

	// If the build follows git's ignore files:
	above    string   // slash path in the working tree
	gitFiles []string // absolute paths of the files above that decide, whether they exist or not

	mu struct {
		sync.Mutex
		idle []openDirectory // least recently used first
	}
}

// An openDirectory is a directory below a root, with its path. Sources are read
// directory by directory, and opening each of them from the root down would take most of
// the time of a build.
type openDirectory struct {
	path string
	dir  *os.Root
}

// maxIdle is how many directories stay open between two uses, which is enough for the
// workers of a build.
const maxIdle = 32

// ErrNoSources means that the directory of a mount cannot be opened.
var ErrNoSources = errors.New("no sources")

// openRoot opens the directory of a mount. It fails with [fault.IO] if the directory
// doesn't exist.
func openRoot(mount Mount) (*root, error) {
	path := mount.Dir
	// Symlinks first, because ".." after a symlink leads to the parent of its target.
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

func (r *root) close() {
	for _, d := range r.mu.idle {
		d.dir.Close()
	}
	r.dir.Close()
}

func (r *root) open(file string) (*os.File, fs.FileInfo, error) {
	dir, name := path.Split(file)
	d, err := r.take(dir)
	if err != nil {
		return nil, nil, err
	}
	defer r.giveBack(d)
	return files.Open(d.dir, name)
}

// take opens the directory at a path for one goroutine, until it calls giveBack.
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

// giveBack keeps a directory open for the next source. If too many directories are open,
// it closes the least recently used one.
func (r *root) giveBack(d openDirectory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.idle = append(r.mu.idle, d)
	if len(r.mu.idle) > maxIdle {
		r.mu.idle[0].dir.Close()
		r.mu.idle = slices.Delete(r.mu.idle, 0, 1)
	}
}

// sourcePath returns the path among the sources for a path below the root.
func (r *root) sourcePath(below string) string {
	if r.mount.Prefix == "" {
		return below
	}
	return path.Join(r.mount.Prefix, below)
}

// gitPath returns the path in the working tree of git for a path below the root.
func (r *root) gitPath(below string) string { return path.Join(r.above, below) }

// shown returns the path of a file below the root as users would write it.
func (r *root) shown(below string) string {
	return filepath.Join(r.mount.Dir, filepath.FromSlash(below))
}

// rules returns the outer rules, followed by patterns for paths below the root.
func (r *root) rules(outer ignore.Rules, patterns ...string) ignore.Rules {
	return outer.With(r.sourcePath("."), []byte(strings.Join(patterns, "\n")))
}
