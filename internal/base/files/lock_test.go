package files

import (
	"context"
	"syscall"
	"testing"
	"time"
)

// An interruptedLock fails a few times, is held by another process, and is then free.
type interruptedLock struct{ calls int }

func (l *interruptedLock) TryLock() (bool, error) {
	l.calls++
	if l.calls%3 > 0 {
		return false, syscall.EINTR
	}
	return l.calls > 3, nil
}

func TestSignalsDontKeepLocksAway(t *testing.T) {
	l := new(interruptedLock)
	if locked, err := TryLock(l); locked || err != nil || l.calls != 3 {
		t.Errorf("got %t, %v after %d calls", locked, err, l.calls)
	}
	if locked, err := WaitForLock(t.Context(), l, time.Nanosecond); !locked || err != nil || l.calls != 6 {
		t.Errorf("got %t, %v after %d calls", locked, err, l.calls)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if locked, err := WaitForLock(ended, new(interruptedLock), time.Hour); locked || err != context.Canceled {
		t.Errorf("got %t, %v", locked, err)
	}
}
