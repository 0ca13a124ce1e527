package mcp

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"syscall"

	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/wire"
)

// listCaches returns {"caches":[{"path","has_manifest"}]}: the directories in
// the root, or in a directory below it, sorted by path.
func listCaches(caches *caches, text []byte) (string, error) {
	args, err := parseArguments(text, "root")
	if err != nil {
		return "", err
	}
	dir := "."
	if !args.isAbsent("root") {
		if dir, err = args.text("root"); err != nil {
			return "", err
		}
	}
	if dir != "." && !isPath(dir) {
		return "", missing(dir)
	}
	entries, err := readDirectory(caches, dir)
	if err != nil {
		return "", err
	}
	var e wire.Encoder
	e.BeginObject()
	e.Key("caches")
	e.BeginArray()
	for _, name := range entries {
		found, err := caches.root.Lstat(path.Join(name, "manifest.json"))
		e.BeginObject()
		e.Key("path")
		e.String(name)
		e.Key("has_manifest")
		e.Bool(err == nil && found.Mode().IsRegular())
		e.EndObject()
	}
	e.EndArray()
	e.EndObject()
	e.Newline()
	return string(e.Bytes()), nil
}

// readDirectory returns the paths of the directories in dir, sorted. What a
// build has beside its cache for a while is none of them.
func readDirectory(caches *caches, dir string) ([]string, error) {
	if found, err := caches.root.Stat(dir); err == nil && !found.IsDir() {
		return nil, missing(dir) // and not opened: a pipe would wait for a writer
	}
	f, err := caches.root.Open(dir)
	if err != nil {
		return nil, directoryError(dir, err)
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, directoryError(dir, err)
	}
	var paths []string
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() && isPath(name) && !cache.IsTransient(e.Name()) {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// directoryError says why a directory cannot be listed.
func directoryError(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EIO) {
		return fault.Errorf(fault.IO, "list %s: %w", dir, err)
	}
	return fault.Errorf(fault.CacheMissing, "list %s: %w", dir, err)
}
