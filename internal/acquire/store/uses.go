package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/replace"
)

// Uses are the entries that a process uses, which [Store.Collect] leaves alone in all processes.
// The system forgets them when the process ends, even if it is killed. The zero Uses is empty,
// and it is safe for concurrent use.
//
// An entry is marked by a lock on its directory, which needs no permission to write. Where the
// system cannot lock directories, only the time of use protects an entry.
type Uses struct {
	mu      sync.Mutex
	entries map[string]heldEntry // by path
}

type heldEntry struct {
	found   fs.FileInfo
	release func()
}

// hold marks an entry as used until release, and reports whether it is still there.
func (u *Uses) hold(path string) (isThere bool) {
	if u == nil {
		return true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	const tries = 100 // each fails only while another process removes the entry
	for range tries {
		found, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			u.drop(path)
			return false
		}
		if err == nil && u.entries[path].release != nil && os.SameFile(found, u.entries[path].found) {
			return true
		}
		release, err := replace.Hold(path)
		switch {
		case err == nil:
			u.add(path, heldEntry{found, release})
		case errors.Is(err, replace.ErrInUse):
			_ = files.Pause(context.Background(), time.Millisecond)
		case !errors.Is(err, fs.ErrNotExist):
			return true // for example, too few file descriptors are left
		}
	}
	return true
}

func (u *Uses) add(path string, entry heldEntry) {
	u.drop(path) // somebody has removed the entry by hand
	if u.entries == nil {
		u.entries = map[string]heldEntry{}
	}
	u.entries[path] = entry
}

func (u *Uses) drop(path string) {
	if held, isHeld := u.entries[path]; isHeld {
		held.release()
		delete(u.entries, path)
	}
}

// release forgets an entry.
func (u *Uses) release(path string) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.drop(path)
}

// Close forgets all entries.
func (u *Uses) Close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for path := range u.entries {
		u.drop(path)
	}
}
