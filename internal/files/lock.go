package files

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// lockWait is how long a process waits for others to finish writing in a directory.
const lockWait = 10 * time.Second

// LockDirectory keeps other callers of LockDirectory from writing in a directory until
// unlock is called. If this process dies, the system releases the lock. If the system
// cannot lock directories, locked is false.
func LockDirectory(ctx context.Context, dir string) (locked bool, unlock func(), err error) {
	waiting, stop := context.WithTimeout(ctx, lockWait)
	defer stop()
	file := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	locked, err = file.TryLockContext(waiting, 5*time.Millisecond)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case waiting.Err() != nil:
		err = errors.New("another process keeps the directory locked: try again when it finishes")
	default:
		err = nil
	}
	return locked, func() { file.Close() }, err
}
