//go:build unix

package cache

import "golang.org/x/sys/unix"

// openLockFlags keep the opening of a lock's file from waiting at a pipe, and
// from making the target of a symlink.
const openLockFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK
