// Package recent keeps the values that were used last in bounded memory.
package recent

import (
	"container/list"
	"sync"
	"sync/atomic"
)

// A Map holds values by keys. It drops the values that were used least recently if
// all have more than a number of bytes together. Safe for concurrent use.
type Map[K comparable, V any] struct {
	most int

	mu      sync.Mutex
	size    int        // of all entries, in bytes
	entries *list.List // of mapEntry[K, V], the one used last first
	places  map[K]*list.Element
}

type mapEntry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// An Owner is one of several things whose values share a Map. Its keys have its Owner.
type Owner uint64

var owners atomic.Uint64

// NewOwner returns an Owner that differs from all before.
func NewOwner() Owner { return Owner(owners.Add(1)) }

// New returns an empty Map of at most this number of bytes.
func New[K comparable, V any](most int) *Map[K, V] {
	return &Map[K, V]{most: most, entries: list.New(), places: map[K]*list.Element{}}
}

// Get returns the value of a key.
func (m *Map[K, V]) Get(key K) (value V, isHeld bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	place, isHeld := m.places[key]
	if !isHeld {
		return value, false
	}
	m.entries.MoveToFront(place)
	return place.Value.(mapEntry[K, V]).value, true
}

// Put adds a value of size bytes, unless the key has one. It adds none that is larger
// than the Map.
func (m *Map[K, V]) Put(key K, value V, size int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.places[key] != nil || size > m.most {
		return
	}
	m.places[key] = m.entries.PushFront(mapEntry[K, V]{key, value, size})
	for m.size += size; m.size > m.most; {
		last := m.entries.Remove(m.entries.Back()).(mapEntry[K, V])
		delete(m.places, last.key)
		m.size -= last.size
	}
}
