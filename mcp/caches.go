package mcp

import (
	"io/fs"
	"os"
	slashpath "path"
	"slices"
	"strings"
	"sync"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/resolve"
)

// maxWarm is the number of caches that stay open between calls.
const maxWarm = 8

// caches opens the caches below a root. Every call opens the root anew, because a
// root may come late, or be replaced. The most recently used caches stay open. If
// the directory of a cache is replaced, the next call opens the new one, and calls
// on the old one finish on it. It is safe for concurrent use.
type caches struct {
	root string // path of a directory

	mu   sync.Mutex
	warm []*warmCache // most recently used last
}

// A warmCache is an open cache that calls share.
type warmCache struct {
	path  string
	cache *resolve.Cache
	users int  // calls at work on it
	gone  bool // no longer in the list: the last user closes it
}

func newCaches(root string) *caches { return &caches{root: root} }

// openRoot opens the root. It fails with [fault.CacheMissing] if the directory
// does not exist, and with [fault.IO] if the system refuses.
func (c *caches) openRoot() (*os.Root, error) {
	root, err := files.OpenRoot(c.root)
	if err != nil {
		code := fault.CodeOf(cache.DirectoryError(c.root, err))
		return nil, fault.Errorf(code, "cache root %s: %w", c.root, fault.Cause(err))
	}
	return root, nil
}

// close closes the caches that are in no call.
func (c *caches) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.warm) > 0 {
		c.drop(0)
	}
}

// open returns the cache at a plain path below the root. Call release at the end. It
// fails as openRoot and [resolve.OpenIn] do.
func (c *caches) open(path string) (_ *resolve.Cache, release func(), err error) {
	root, err := c.openRoot()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	// Under the lock, calls at the same time open a cache once.
	c.mu.Lock()
	defer c.mu.Unlock()
	w, err := c.find(root, path)
	if err != nil {
		return nil, nil, err
	}
	w.users++
	return w.cache, func() { c.release(w) }, nil
}

// find returns the warm cache at path as the last of the list. The caller
// holds c.mu.
func (c *caches) find(root *os.Root, path string) (*warmCache, error) {
	found, statErr := root.Stat(path)
	for i, w := range c.warm {
		if w.path != path {
			continue
		}
		if statErr == nil && os.SameFile(found, w.cache.Directory()) {
			c.warm = append(append(c.warm[:i:i], c.warm[i+1:]...), w)
			return w, nil
		}
		c.drop(i)
		break
	}
	opened, err := resolve.OpenIn(root, path)
	if err != nil {
		return nil, err
	}
	w := &warmCache{path: path, cache: opened}
	if len(c.warm) == maxWarm {
		c.drop(0)
	}
	c.warm = append(c.warm, w)
	return w, nil
}

// drop takes the i-th cache off the list. The caller holds c.mu.
func (c *caches) drop(i int) {
	w := c.warm[i]
	c.warm = append(c.warm[:i:i], c.warm[i+1:]...)
	w.gone = true
	if w.users == 0 {
		w.cache.Close()
	}
}

// forget takes a cache off the list after a call on it has failed. The next call
// opens it anew.
func (c *caches) forget(failed *resolve.Cache) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, w := range c.warm {
		if w.cache == failed {
			c.drop(i)
			return
		}
	}
}

func (c *caches) release(w *warmCache) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.users--; w.users == 0 && w.gone {
		w.cache.Close()
	}
}

// plainPath returns the plain form of a slash path below the root: "good/" and
// "./good" are "good", and the root itself is ".". A path that leads out of the root,
// or that only some systems take for a path, is missing, without a look at the disk.
func plainPath(path string) (string, error) {
	plain := slashpath.Clean(path)
	if slices.Contains(strings.Split(path, "/"), "..") || strings.ContainsAny(path, "\\\x00") || !fs.ValidPath(plain) {
		return "", missing(path)
	}
	return plain, nil
}

func missing(path string) error {
	return fault.Errorf(fault.CacheMissing, "%q is not a path below the cache root", path)
}
