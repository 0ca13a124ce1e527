package cache

import (
	"errors"
	"io/fs"
	"os"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// These limits, in bytes, keep a hostile cache from using too much memory of a reader.
// In JSON, a control character takes six bytes.
const (
	maxManifestSize     = 1 << 30
	maxDocumentFileSize = 6*document.MaxSize + 1<<20
)

func readRegular(dir *os.Root, name string, buf []byte, limit int64) ([]byte, error) {
	data, err := files.ReadPlain(dir, name, buf, limit)
	return data, readError(name, err)
}

// readError gives an error its code: [fault.CacheInvalid] for a file that is missing,
// not regular or too large, and [fault.IO] if the system refuses.
func readError(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, files.ErrNotRegular) || errors.Is(err, files.ErrTooLarge):
		return fault.Errorf(fault.CacheInvalid, "%s: %w", name, err)
	}
	return fault.Errorf(fault.IO, "read %s: %w", name, fault.Cause(err))
}
