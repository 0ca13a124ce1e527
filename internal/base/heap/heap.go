// Package heap sorts items by integer keys lazily, an item at a time. Unlike
// container/heap, it doesn't call through an interface for every comparison, which takes
// twice as long.
package heap

type Element[T any] struct {
	Key   uint64
	Value T
}

// A Heap keeps the item with the highest key at the front. Items with the same key can come
// in any order.
type Heap[T any] []Element[T]

// Order turns items in any order into a heap.
func (h Heap[T]) Order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

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

// Pop removes and returns the first item. The heap must not be empty.
func (h *Heap[T]) Pop() Element[T] {
	first, last := (*h)[0], len(*h)-1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	if last > 0 {
		h.sink(0)
	}
	return first
}

// Replace replaces the first item. The heap must not be empty.
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
