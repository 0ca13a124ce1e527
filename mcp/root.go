package mcp

import (
	"io/fs"
	"os"
	slashpath "path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/caches/cache"
)

// maxWarm is how many caches stay open between calls.
const maxWarm = 8

// A cacheRoot opens the caches below a directory. Every call opens the directory again, because
// it may be created or replaced while the server runs. It is safe for concurrent use.
type cacheRoot struct {
	path string // of the directory
	warm warmSet
}

func newCacheRoot(path string) *cacheRoot {
	return &cacheRoot{path: path, warm: warmSet{most: maxWarm}}
}

// openRoot opens a directory of caches. It fails with [fault.CacheMissing] if the directory
// doesn't exist, and with [fault.IO] if the system refuses to open it.
func openRoot(path string) (*os.Root, error) {
	root, err := files.OpenRoot(path)
	if err != nil {
		code := fault.CodeOf(cache.DirectoryError(path, err))
		return nil, fault.Errorf(code, "cache root %s: %w", path, fault.Cause(err))
	}
	return root, nil
}

// open returns the cache at a plain path below the root. The caller must call release. It fails
// like openRoot and [answers.OpenIn].
func (r *cacheRoot) open(path string) (_ *answers.Cache, release func(), err error) {
	root, err := openRoot(r.path)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	return r.warm.open(location{root, path})
}

// plainPath returns the plain form of a slash path below the root: "good/" and "./good" become
// "good", and the root itself is ".". Paths that leave the root, or are only valid on some systems,
// count as missing, so the result never depends on the disk or the system.
func plainPath(path string) (string, error) {
	plain := slashpath.Clean(path)
	if slices.Contains(strings.Split(path, "/"), "..") || strings.ContainsAny(path, "\\\x00") || !fs.ValidPath(plain) {
		return "", missing(path)
	}
	return plain, nil
}

func missing(path string) error {
	return fault.Errorf(fault.CacheMissing, "%q is not a path below the cache root", path)
}
