package cache

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/contextcompiler/context/fault"
)

// A place is where a reader looks for a cache.
type place struct {
	path string // as the caller named it
	open func() (*os.Root, error)
	stat func() (fs.FileInfo, error)
}

// atPath returns the place at a path, which it reads as a build does, so that
// what is made at a path is found at that path.
func atPath(path string) place {
	at := path
	if _, err := os.Lstat(path); path != "" && errors.Is(err, fs.ErrNotExist) {
		if located, err := Locate(path); err == nil {
			at = located
		}
	}
	return place{
		path: path,
		open: func() (*os.Root, error) { return os.OpenRoot(at) },
		stat: func() (fs.FileInfo, error) { return os.Stat(at) },
	}
}

func below(dir *os.Root, path string) place {
	return place{
		path: path,
		open: func() (*os.Root, error) { return dir.OpenRoot(path) },
		stat: func() (fs.FileInfo, error) { return dir.Stat(path) },
	}
}

// openDirectory opens the directory at place and marks it as in use. A build
// may replace the directory between the two, so it looks again until what is
// marked is what is there.
func openDirectory(place place) (*Cache, error) {
	const tries = 100 // each is lost only to one more rebuild
	for range tries {
		root, err := place.openRoot()
		if err != nil {
			return nil, DirectoryError(place.path, err)
		}
		c := newCache(place.path, root)
		err = c.markInUse()
		if err == nil && place.has(c.found) {
			return c, nil
		}
		c.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, DirectoryError(place.path, err)
		}
	}
	return nil, fault.Errorf(fault.IO, "%s is being replaced over and over", place.path)
}

// openRoot opens the directory at the place. It looks first what is there,
// for opening a pipe would wait for somebody to write to it.
func (p place) openRoot() (*os.Root, error) {
	found, err := p.stat()
	if err != nil {
		return nil, err
	}
	if !found.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: p.path, Err: syscall.ENOTDIR}
	}
	return p.open()
}

// markInUse looks what directory was opened, and marks it. One that is being
// deleted cannot be marked, but then it is not at its place any more; if it is,
// somebody locks it for ends of their own, and it is read without the mark.
func (c *Cache) markInUse() error {
	dir, err := c.root.Open(".")
	if err != nil {
		return err
	}
	c.inUse = dir
	if c.found, err = dir.Stat(); err != nil {
		return err
	}
	tryLock(dir, shared)
	return nil
}

// Directory returns what the system says of the open directory. As long as
// [os.SameFile] says that it is the one at a path, a rebuild has not come.
func (c *Cache) Directory() fs.FileInfo { return c.found }

// has reports whether the directory at the place is still the one found there.
func (p place) has(found fs.FileInfo) bool {
	current, err := p.stat()
	return err == nil && os.SameFile(found, current)
}

// An AbsentError says that there is nothing at the path of a cache.
type AbsentError struct {
	Path string // as the caller named it
}

func (e *AbsentError) Error() string { return "no cache at " + e.Path }

// DirectoryError says why the cache directory at path cannot be opened. It has
// [fault.CacheMissing] if nothing is there, or something that is not a directory,
// and [fault.IO] if the system refuses to look. An error of another kind is a path
// that leads out of the directory to look in: it is missing for the caller.
func DirectoryError(path string, err error) error {
	errno, ok := errors.AsType[syscall.Errno](err)
	absent := []syscall.Errno{syscall.ENOENT, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL}
	if errno == syscall.ENOTDIR {
		return fault.Errorf(fault.CacheMissing, "no cache at %s: it is not a directory", path)
	}
	if !ok || errors.Is(err, fs.ErrNotExist) || slices.Contains(absent, errno) {
		return fault.Errorf(fault.CacheMissing, "%w", &AbsentError{path})
	}
	return fault.Errorf(fault.IO, "open %s: %w", path, fault.Cause(err))
}
