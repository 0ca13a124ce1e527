package mcp

import (
	"io/fs"
	"os"
	"sync"

	"github.com/contextcompiler/context/internal/answer/answers"
)

// A location is a path where a cache may be.
type location struct {
	root *os.Root // directory of a slash path; nil for a path of the system
	path string
}

func (l location) stat() (fs.FileInfo, error) {
	if l.root != nil {
		return l.root.Stat(l.path)
	}
	return os.Stat(l.path)
}

func (l location) open() (*answers.Cache, error) {
	if l.root != nil {
		return answers.OpenIn(l.root, l.path)
	}
	return answers.Open(l.path)
}

// A warmSet keeps the most recently used caches open between calls. If the directory of a cache
// is replaced, the next call opens the new directory, while calls on the old directory can
// finish. It is safe for concurrent use.
type warmSet struct {
	most int // how many caches stay open

	mu     sync.Mutex
	caches []*warmCache // most recently used last
}

// A warmCache is an open cache shared by calls.
type warmCache struct {
	path  string
	cache *answers.Cache
	users int  // calls using the cache
	gone  bool // removed from the set, so the last user must close the cache
}

// open returns the cache at a location. The caller must call release. It fails like
// [answers.Open].
func (s *warmSet) open(at location) (_ *answers.Cache, release func(), err error) {
	// Opening under the lock makes concurrent calls open a cache only once.
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.find(at)
	if err != nil {
		return nil, nil, err
	}
	w.users++
	return w.cache, func() { s.release(w) }, nil
}

// find returns the warm cache at a location, and makes it the last of the set. The caller must
// hold s.mu.
func (s *warmSet) find(at location) (*warmCache, error) {
	found, statErr := at.stat()
	for i, w := range s.caches {
		if w.path != at.path {
			continue
		}
		if statErr == nil && os.SameFile(found, w.cache.Directory()) {
			s.caches = append(append(s.caches[:i:i], s.caches[i+1:]...), w)
			return w, nil
		}
		s.drop(i)
		break
	}
	opened, err := at.open()
	if err != nil {
		return nil, err
	}
	w := &warmCache{path: at.path, cache: opened}
	if len(s.caches) == s.most {
		s.drop(0)
	}
	s.caches = append(s.caches, w)
	return w, nil
}

// drop removes the i-th cache from the set. The caller must hold s.mu.
func (s *warmSet) drop(i int) {
	w := s.caches[i]
	s.caches = append(s.caches[:i:i], s.caches[i+1:]...)
	w.gone = true
	if w.users == 0 {
		w.cache.Close()
	}
}

// forget removes a cache from the set after a call on it failed, so that the next call opens it
// again.
func (s *warmSet) forget(failed *answers.Cache) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.caches {
		if w.cache == failed {
			s.drop(i)
			return
		}
	}
}

func (s *warmSet) release(w *warmCache) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.users--; w.users == 0 && w.gone {
		w.cache.Close()
	}
}

// close closes the caches not used by any call. Calls close the others when they end.
func (s *warmSet) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.caches) > 0 {
		s.drop(0)
	}
}
