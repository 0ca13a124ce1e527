// Package recent keeps recently used values in bounded memory.
package recent

import (
	"container/list"
	"sync"
	"sync/atomic"
)

// A Map contains values by key. If they exceed a number of bytes together, it drops the
// least recently used. It is safe for concurrent use.
type Map[K comparable, V any] struct {
	most int

	mu      sync.Mutex
	size    int        // of all entries, in bytes
	entries *list.List // of mapEntry[K, V], the most recently used first
	places  map[K]*list.Element
}

type mapEntry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// An Owner separates the keys of several users of a Map. Each key must contain its Owner.
type Owner uint64

var owners atomic.Uint64

// NewOwner returns an Owner that differs from all earlier owners.
func NewOwner() Owner { return Owner(owners.Add(1)) }

// New returns an empty Map of at most this many bytes.
func New[K comparable, V any](most int) *Map[K, V] {
	return &Map[K, V]{most: most, entries: list.New(), places: map[K]*list.Element{}}
}

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

// Put adds a value of size bytes, unless the key already has a value. A value larger than
// the whole Map is not added.
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
