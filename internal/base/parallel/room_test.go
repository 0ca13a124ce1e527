package parallel_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/contextcompiler/context/internal/base/parallel"
)

// Steps never hold more than the size of the room. A step that needs more can still
// enter, and all of them end.
func TestARoomHoldsNoMoreThanItsSize(t *testing.T) {
	const size = 10
	room := parallel.NewRoom(size)
	sizes := []int64{1, size, 3, 2 * size, 7, 0, 5, 5, size, 1, 2, 3}
	var held atomic.Int64
	_, err := parallel.Each(t.Context(), len(sizes), len(sizes), func(ctx context.Context, _, i int) (struct{}, error) {
		n := sizes[i]
		leave, err := room.Enter(ctx, n)
		if err != nil {
			return struct{}{}, err
		}
		defer leave()
		if got := held.Add(min(n, size)); got > size {
			t.Errorf("%d are in a room of %d", got, size)
		}
		held.Add(-min(n, size))
		return struct{}{}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWaitingForRoomEndsWithTheContext(t *testing.T) {
	room := parallel.NewRoom(1)
	leave, err := room.Enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := room.Enter(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	leave()
	if _, err := room.Enter(t.Context(), 1); err != nil {
		t.Errorf("got %v after the room was left", err)
	}
}
