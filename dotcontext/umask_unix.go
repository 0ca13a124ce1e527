//go:build unix

package dotcontext

import (
	"io/fs"
	"sync"
	"syscall"
)

// umask returns the permissions that new files are not to have. It can only be
// read by setting it, which is done once.
var umask = sync.OnceValue(func() fs.FileMode {
	mask := syscall.Umask(0)
	syscall.Umask(mask)
	return fs.FileMode(mask)
})
