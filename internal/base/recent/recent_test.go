package recent

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A model of a Map: a list of keys, with the most recently used first. The value of a key
// is its size.
type model struct {
	most int
	keys []int
}

func (m *model) get(key int) bool {
	i := slices.Index(m.keys, key)
	if i < 0 {
		return false
	}
	m.keys = slices.Insert(slices.Delete(m.keys, i, i+1), 0, key)
	return true
}

func (m *model) put(key int) {
	if slices.Contains(m.keys, key) || key > m.most {
		return
	}
	m.keys = slices.Insert(m.keys, 0, key)
	for sum(m.keys) > m.most {
		m.keys = m.keys[:len(m.keys)-1]
	}
}

func sum(numbers []int) (n int) {
	for _, number := range numbers {
		n += number
	}
	return n
}

func TestTheValuesUsedLastAreHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(0, 30).Draw(t, "most")
		c, m := New[int, int](most), model{most: most}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := rapid.IntRange(1, 12).Draw(t, "key")
			if rapid.Bool().Draw(t, "put") {
				c.Put(key, key, key)
				m.put(key)
				continue
			}
			value, isHeld := c.Get(key)
			if want := m.get(key); isHeld != want || isHeld && value != key {
				t.Fatalf("%d of %v: got %d, %t, want %t", key, m.keys, value, isHeld, want)
			}
		}
		if len(c.places) != c.entries.Len() || c.size != sum(m.keys) {
			t.Fatalf("got %d places of %d entries and %d bytes, want %d", len(c.places), c.entries.Len(), c.size, sum(m.keys))
		}
	})
}
