// Package recent keeps the values that were used last in bounded memory.
package recent

import (
	"container/list"
	"sync"
	"sync/atomic"
)

// A Cache holds values by keys. It drops the values that were used least recently if
// all have more than a number of bytes together. Safe for concurrent use.
type Cache[K comparable, V any] struct {
	most int

	mu      sync.Mutex
	size    int        // of all entries, in bytes
	entries *list.List // of entry[K, V], the one used last first
	places  map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// An Owner is one of several things whose values share a Cache. Its keys have its Owner.
type Owner uint64

var owners atomic.Uint64

// NewOwner returns an Owner that differs from all before.
func NewOwner() Owner { return Owner(owners.Add(1)) }

// New returns an empty Cache of at most this number of bytes.
func New[K comparable, V any](most int) *Cache[K, V] {
	return &Cache[K, V]{most: most, entries: list.New(), places: map[K]*list.Element{}}
}

// Get returns the value of a key.
func (c *Cache[K, V]) Get(key K) (value V, isHeld bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	place, isHeld := c.places[key]
	if !isHeld {
		return value, false
	}
	c.entries.MoveToFront(place)
	return place.Value.(entry[K, V]).value, true
}

// Put adds a value of size bytes, unless the key has one. It adds none that is larger
// than the Cache.
func (c *Cache[K, V]) Put(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places[key] != nil || size > c.most {
		return
	}
	c.places[key] = c.entries.PushFront(entry[K, V]{key, value, size})
	for c.size += size; c.size > c.most; {
		last := c.entries.Remove(c.entries.Back()).(entry[K, V])
		delete(c.places, last.key)
		c.size -= last.size
	}
}
