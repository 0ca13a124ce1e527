package parallel

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// A Room bounds how much several steps hold at once. Safe for concurrent use.
type Room struct {
	size int64
	free *semaphore.Weighted
}

// NewRoom returns a room of that size.
func NewRoom(size int64) *Room { return &Room{size, semaphore.NewWeighted(size)} }

// Enter waits until there is room for n, and returns what gives the room back.
// Steps enter in the order of their coming, so that small ones do not keep a
// large one out. One that is larger than the room enters when it is empty.
// A step must not enter twice: it could wait for itself.
func (r *Room) Enter(ctx context.Context, n int64) (leave func(), err error) {
	n = min(n, r.size)
	if err := r.free.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { r.free.Release(n) }, nil
}
