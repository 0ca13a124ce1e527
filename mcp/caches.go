package mcp

import (
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/fault"
)

// maxWarm is how many caches stay open between calls.
const maxWarm = 8

// caches are the caches below a root. The last few that were used stay open;
// one whose directory was replaced is opened anew by the next call, while calls
// that began on the old one finish on it. Safe for concurrent use.
type caches struct {
	root *os.Root

	mu   sync.Mutex
	warm []*warmCache // most recently used last
}

// A warmCache is an open cache that calls share.
type warmCache struct {
	path  string
	cache *cache.Cache
	users int  // calls at work on it
	gone  bool // no longer in the list: the last user closes it
}

func newCaches(root *os.Root) *caches { return &caches{root: root} }

// close closes the caches that are in no call.
func (c *caches) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.warm) > 0 {
		c.drop(0)
	}
}

// open returns the cache at path, below the root, and what to call when the
// caller is done with it. The errors are those of [cache.OpenToSelectIn].
func (c *caches) open(path string) (_ *cache.Cache, release func(), err error) {
	if !isPath(path) {
		return nil, nil, missing(path)
	}
	// Opening is done under the lock, so that calls that come together open a
	// cache once; meanwhile others wait.
	c.mu.Lock()
	defer c.mu.Unlock()
	w, err := c.find(path)
	if err != nil {
		return nil, nil, err
	}
	w.users++
	return w.cache, func() { c.release(w) }, nil
}

// find returns the warm cache at path as the last of the list. The caller
// holds c.mu.
func (c *caches) find(path string) (*warmCache, error) {
	found, statErr := c.root.Stat(path)
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
	opened, err := cache.OpenToSelectIn(c.root, path)
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

// forget takes a cache off the list on which a call has failed: the next call
// opens what is there by then.
func (c *caches) forget(failed *cache.Cache) {
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

// isPath reports whether path is a slash path of plain names below the root,
// as listCaches prints them. Whatever else an agent sends is looked at no
// further: it names nothing.
func isPath(path string) bool {
	return fs.ValidPath(path) && path != "." && !strings.ContainsAny(path, "\\\x00")
}

func missing(path string) error {
	return fault.Errorf(fault.CacheMissing, "%q is no path below the cache root", path)
}
