package files

import (
	"context"
	"errors"
	"os"
	"syscall"
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
	locked, err = WaitForLock(waiting, file, 5*time.Millisecond)
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

// A Lockable is a lock such as [flock.Flock].
type Lockable interface{ TryLock() (bool, error) }

// TryLock tries to take a lock again while signals interrupt it, which some file systems allow.
func TryLock(file Lockable) (bool, error) {
	for {
		if locked, err := file.TryLock(); !errors.Is(err, syscall.EINTR) {
			return locked, err
		}
	}
}

// WaitForLock takes a lock as soon as nobody else holds it, and looks after each pause.
func WaitForLock(ctx context.Context, file Lockable, pause time.Duration) (bool, error) {
	for {
		if locked, err := TryLock(file); locked || err != nil {
			return locked, err
		}
		if err := Pause(ctx, pause); err != nil {
			return false, err
		}
	}
}

// Pause waits for a while. It fails if ctx ends.
func Pause(ctx context.Context, pause time.Duration) error {
	over, stop := context.WithTimeout(ctx, pause)
	defer stop()
	<-over.Done()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
