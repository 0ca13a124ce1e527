package parallel

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// A Room bounds how much several steps hold at once. It is safe for concurrent
// use.
type Room struct {
	size int64
	free *semaphore.Weighted
}

// NewRoom returns an empty room.
func NewRoom(size int64) *Room { return &Room{size, semaphore.NewWeighted(size)} }

// Enter waits for room for n; leave gives it back. Steps enter in the order of
// their calls, so small ones do not keep a large one out. If n is more than the
// size of the room, the step enters when the room is empty. A step must not
// enter twice: it could wait for itself.
func (r *Room) Enter(ctx context.Context, n int64) (leave func(), err error) {
	n = min(n, r.size)
	if err := r.free.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { r.free.Release(n) }, nil
}
