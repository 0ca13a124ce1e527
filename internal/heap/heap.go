// Package heap orders items by integer keys, one at a time. container/heap calls
// through an interface for every comparison and takes twice as long.
package heap

type Element[T any] struct {
	Key   uint64
	Value T
}

// A Heap has the item with the highest key first. The order of items with the same key
// is undefined.
type Heap[T any] []Element[T]

// Order makes a heap of items in any order.
func (h Heap[T]) Order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

// sink moves the i-th item down to its place.
func (h Heap[T]) sink(i int) {
	sinking := h[i]
	for child := 2*i + 1; child < len(h); child = 2*i + 1 {
		if right := child + 1; right < len(h) && h[right].Key > h[child].Key {
			child = right
		}
		if h[child].Key <= sinking.Key {
			break
		}
		h[i], i = h[child], child
	}
	h[i] = sinking
}

// Pop removes and returns the first item, which must exist.
func (h *Heap[T]) Pop() Element[T] {
	first, last := (*h)[0], len(*h)-1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	if last > 0 {
		h.sink(0)
	}
	return first
}

// Replace replaces the first item, which must exist.
func (h Heap[T]) Replace(item Element[T]) {
	h[0] = item
	h.sink(0)
}

func (h *Heap[T]) Push(item Element[T]) {
	*h = append(*h, item)
	i := len(*h) - 1
	for i > 0 && (*h)[(i-1)/2].Key < item.Key {
		(*h)[i] = (*h)[(i-1)/2]
		i = (i - 1) / 2
	}
	(*h)[i] = item
}
