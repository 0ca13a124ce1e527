package cache

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"github.com/contextcompiler/context/fault"
)

// An AbsentError says that nothing exists at the path of a cache.
type AbsentError struct {
	Path string // as passed by the caller
}

func (e *AbsentError) Error() string { return "no cache at " + e.Path }

// A ForeignError says that a directory is not a cache.
type ForeignError struct {
	Path string // as passed by the caller
}

func (e *ForeignError) Error() string {
	return e.Path + " is not a cache: it contains no " + ManifestPath
}

// Foreign returns a [ForeignError] about path as a [fault.CacheInvalid].
func Foreign(path string) error { return fault.Errorf(fault.CacheInvalid, "%w", &ForeignError{path}) }

// DirectoryError returns why the cache directory at path cannot be opened, as a
// [fault.CacheMissing] if no directory is there, and as a [fault.IO] if the system
// refuses to look. Errors of other kinds come from an [os.Root] whose path leads
// outside. Since the caller cannot find a cache there, they count as missing, too.
func DirectoryError(path string, err error) error {
	if _, coded := errors.AsType[*fault.Error](err); coded {
		return err
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	absent := []syscall.Errno{syscall.ENOENT, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL}
	if errno == syscall.ENOTDIR {
		return fault.Errorf(fault.CacheMissing, "no cache at %s: it is not a directory", path)
	}
	if !ok || errors.Is(err, fs.ErrNotExist) || slices.Contains(absent, errno) {
		return fault.Errorf(fault.CacheMissing, "%w", &AbsentError{path})
	}
	return fault.Errorf(fault.IO, "open %s: %w", path, fault.Cause(err))
}
