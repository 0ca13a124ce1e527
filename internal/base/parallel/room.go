package parallel

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// A Room limits how much several steps can hold at once, for example in memory. It is
// safe for concurrent use.
type Room struct {
	size int64
	free *semaphore.Weighted
}

// NewRoom returns an empty room.
func NewRoom(size int64) *Room { return &Room{size, semaphore.NewWeighted(size)} }

// Enter waits until there is room for n, and leave gives the room back. Steps enter in
// the order of their calls, so small steps cannot keep a large step waiting forever. If
// n exceeds the size of the room, the step enters as soon as the room is empty. A step
// must not enter twice, because it could wait for itself.
func (r *Room) Enter(ctx context.Context, n int64) (leave func(), err error) {
	n = min(n, r.size)
	if err := r.free.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { r.free.Release(n) }, nil
}
