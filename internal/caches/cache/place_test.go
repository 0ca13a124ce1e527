package cache_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/caches/cache"
)

// Only an absent directory counts as missing. All other errors are I/O errors, because
// they may be temporary or hide a cache.
func TestOnlyWhatIsNotThereIsMissing(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, outside := root.Stat("../outside")
	for err, want := range map[error]fault.Code{
		fs.ErrNotExist:       fault.CacheMissing,
		syscall.ENOENT:       fault.CacheMissing,
		syscall.ENOTDIR:      fault.CacheMissing,
		syscall.ELOOP:        fault.CacheMissing,
		syscall.ENAMETOOLONG: fault.CacheMissing,
		outside:              fault.CacheMissing,
		syscall.EACCES:       fault.IO,
		syscall.EPERM:        fault.IO,
		syscall.EIO:          fault.IO,
		syscall.EMFILE:       fault.IO,
		syscall.ENFILE:       fault.IO,
		syscall.ENOMEM:       fault.IO,
		syscall.EAGAIN:       fault.IO,
		syscall.EINTR:        fault.IO,
	} {
		for _, err := range []error{err, &fs.PathError{Op: "open", Path: "docs", Err: err}, fmt.Errorf("look: %w", err)} {
			got := cache.DirectoryError("docs", err)
			if fault.CodeOf(got) != want {
				t.Errorf("%v: got %v, want %v", err, got, want)
			}
			if want == fault.IO && !errors.Is(got, fault.Cause(err)) {
				t.Errorf("%v: got %v, which lacks the cause", err, got)
			}
		}
	}
}
