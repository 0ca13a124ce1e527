package mcp

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	slashpath "path"
	"syscall"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/caches/cache"
)

// list prints the directories in the root, or in a directory below it, sorted by path.
func (r *cacheRoot) list() toolCall {
	var path string
	parameter := request.Parameter{Name: "root", About: "Directory below the cache root; the cache root itself if left out"}.To(&path)
	return toolCall{parameters: []request.Parameter{parameter}, run: func(_ context.Context, out io.Writer) error { return r.listIn(path, out) }}
}

func (r *cacheRoot) listIn(path string, out io.Writer) error {
	dir, err := plainPath(path)
	if err != nil {
		return err
	}
	root, err := openRoot(r.path)
	if err != nil {
		return err
	}
	defer root.Close()
	paths, err := directoriesIn(root, dir)
	if err != nil {
		return err
	}
	var e wire.Encoder
	e.StreamTo(out)
	e.BeginObject()
	e.Key("caches")
	e.BeginArray()
	for _, path := range paths {
		has, err := hasManifest(root, path)
		if err := cmp.Or(err, e.Err()); err != nil {
			return err
		}
		e.Value(listedCache{path, has})
	}
	e.EndArray()
	e.EndObject()
	return e.Close()
}

// A listedCache describes a directory in the answer of context.list_caches.
type listedCache struct {
	Path        string `json:"path"`
	HasManifest bool   `json:"has_manifest"`
}

// directoriesIn returns the sorted paths of the directories in dir. It skips the temporary
// directories of builds.
func directoriesIn(root *os.Root, dir string) ([]string, error) {
	found, err := root.Stat(dir)
	if err == nil && !found.IsDir() {
		err = syscall.ENOTDIR // opening a pipe would wait for a writer
	}
	if err != nil {
		return nil, cache.DirectoryError(dir, err)
	}
	entries, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		return nil, cache.DirectoryError(dir, err)
	}
	var paths []string
	for _, e := range entries {
		path := slashpath.Join(dir, e.Name())
		plain, err := plainPath(path)
		if e.IsDir() && err == nil && plain == path && !replace.IsTransient(e.Name()) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// hasManifest reports whether the directory at path contains a manifest. It fails if the
// directory exists but cannot be read.
func hasManifest(root *os.Root, path string) (bool, error) {
	found, err := root.Lstat(slashpath.Join(path, "manifest.json"))
	if err == nil {
		return found.Mode().IsRegular(), nil
	}
	if err = cache.DirectoryError(path, err); fault.CodeOf(err) == fault.CacheMissing {
		err = nil
	}
	return false, err
}
