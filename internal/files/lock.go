package files

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// lockWait bounds how long a process waits for others that write in a directory.
const lockWait = 10 * time.Second

// LockDirectory keeps other processes that call it from writing in a directory until unlock
// is called. The system unlocks it when this process dies. Where the system locks no
// directories, locked is false.
func LockDirectory(ctx context.Context, dir string) (locked bool, unlock func(), err error) {
	waiting, stop := context.WithTimeout(ctx, lockWait)
	defer stop()
	file := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	locked, err = file.TryLockContext(waiting, 5*time.Millisecond)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case waiting.Err() != nil:
		err = errors.New("another process keeps its directory locked: try again when it has ended")
	default:
		err = nil
	}
	return locked, func() { file.Close() }, err
}
