package heap_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/heap"
)

// Pop must yield items by descending key, regardless of the order in which they were
// added.
func TestPopYieldsTheHighestKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.Uint64Range(0, 50)).Draw(t, "keys")
		ordered := rapid.IntRange(0, len(keys)).Draw(t, "ordered")
		var h heap.Heap[int]
		for i, key := range keys[:ordered] {
			h = append(h, heap.Element[int]{Key: key, Value: i})
		}
		h.Order()
		for i, key := range keys[ordered:] {
			h.Push(heap.Element[int]{Key: key, Value: ordered + i})
		}
		var got []uint64
		for len(h) > 0 {
			item := h.Pop()
			if keys[item.Value] != item.Key {
				t.Fatalf("item %d: got key %d, want %d", item.Value, item.Key, keys[item.Value])
			}
			got = append(got, item.Key)
		}
		slices.Sort(keys)
		slices.Reverse(keys)
		if !slices.Equal(got, keys) {
			t.Errorf("got %v, want %v", got, keys)
		}
	})
}
