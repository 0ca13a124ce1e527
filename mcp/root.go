package mcp

import (
	"io/fs"
	"os"
	slashpath "path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/resolve"
)

// maxWarm is the number of caches that stay open between calls.
const maxWarm = 8

// A cacheRoot opens the caches below a directory. Every call opens the root anew, because a
// root may come late, or be replaced. It is safe for concurrent use.
type cacheRoot struct {
	path string // of the directory
	warm warmSet
}

func newCacheRoot(path string) *cacheRoot {
	return &cacheRoot{path: path, warm: warmSet{most: maxWarm}}
}

// openRoot opens a directory of caches. It fails with [fault.CacheMissing] if the
// directory does not exist, and with [fault.IO] if the system refuses.
func openRoot(path string) (*os.Root, error) {
	root, err := files.OpenRoot(path)
	if err != nil {
		code := fault.CodeOf(cache.DirectoryError(path, err))
		return nil, fault.Errorf(code, "cache root %s: %w", path, fault.Cause(err))
	}
	return root, nil
}

// open returns the cache at a plain path below the root. Call release at the end. It
// fails as openRoot and [resolve.OpenIn] do.
func (r *cacheRoot) open(path string) (_ *resolve.Cache, release func(), err error) {
	root, err := openRoot(r.path)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	return r.warm.open(location{root, path})
}

// plainPath returns the plain form of a slash path below the root: "good/" and
// "./good" are "good", and the root itself is ".". A path that leads out of the root,
// or that only some systems take for a path, is missing, without a look at the disk.
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
