package cache

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/replace"
)

// ErrExists is returned by [Create] for an existing cache if it may not replace it.
var ErrExists = errors.New("already exists")

// admit returns why no cache can be put at path, which the caller calls shown. A cache
// may replace an empty directory. If replace is set, it may also replace another cache.
func admit(path, shown string, replace bool) error {
	found, err := files.LookAt(path)
	if err != nil {
		return err
	}
	if found == nil {
		return admitInside(filepath.Dir(path), shown)
	}
	entries, err := files.Entries(path)
	if err != nil {
		return err
	}
	if entries == nil || len(entries) > 0 {
		why, err := whyNoCache(path)
		if err != nil {
			return err
		}
		if why != "" {
			return fault.Errorf(fault.IO, "%s already exists and is not a cache (%s): choose another path, or move it away", shown, why)
		}
	}
	if !replace {
		return fault.Errorf(fault.IO, "%s %w", shown, ErrExists)
	}
	return nil
}

// Obstacle returns why a build would refuse to replace path, for example because "it
// contains notes.txt". It returns "" if a build may replace it, or if the system refuses
// to look.
func Obstacle(path string) (why string) {
	at, err := replace.Locate(path)
	if err != nil {
		return ""
	}
	if entries, err := files.Entries(at); err != nil || entries != nil && len(entries) == 0 {
		return ""
	}
	why, err = whyNoCache(at)
	if err != nil {
		return ""
	}
	return why
}

// admitInside returns an error if parent is part of a cache, because caches must not be
// nested.
func admitInside(parent, shown string) error {
	for _, dir := range []string{parent, filepath.Dir(parent)} {
		manifest, err := files.LookAt(filepath.Join(dir, ManifestPath))
		if err != nil {
			return err
		}
		if manifest == nil {
			continue
		}
		if why, err := whyNoCache(dir); why == "" {
			return cmp.Or(err, fault.Errorf(fault.IO, "%s would be inside the cache %s: choose another path, or remove that cache", shown, dir))
		}
	}
	return nil
}

// whyNoCache returns why the directory at path is not a cache, or "" if it is, whether
// complete or damaged. A build may replace it then, because it destroys nothing but a
// cache.
func whyNoCache(path string) (why string, err error) {
	found, err := files.Entries(path)
	if err != nil || found == nil {
		return "it is not a directory", err
	}
	if e := found[ManifestPath]; e == nil || !e.Type().IsRegular() {
		return "it contains no " + ManifestPath, nil
	}
	if e := found[DocumentsDir]; e == nil || !e.IsDir() {
		return "it contains no directory " + DocumentsDir, nil
	}
	names := []string{ManifestPath, fileListName, IndexPath, DocumentsDir}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(names, name) {
			return "it contains " + name, nil
		}
	}
	return whyForeign(filepath.Join(path, DocumentsDir))
}

// whyForeign returns why a directory contains more than documents, or "" if it doesn't. It
// keeps none of the names, because there can be a million of them.
func whyForeign(documents string) (why string, err error) {
	refused := func(err error) error {
		return fault.Errorf(fault.IO, "read directory %s: %w", documents, fault.Cause(err))
	}
	f, err := os.Open(documents)
	if err != nil {
		return "", refused(err)
	}
	defer f.Close()
	first := "" // otherwise, the reason would depend on the file system
	for {
		entries, err := f.ReadDir(1 << 10)
		for _, e := range entries {
			if name := e.Name(); !(e.Type().IsRegular() && looksLikeDocument(name)) && (first == "" || name < first) {
				first = name
			}
		}
		switch {
		case err == io.EOF && first == "":
			return "", nil
		case err == io.EOF:
			return "it contains " + DocumentsDir + "/" + first, nil
		case err != nil:
			return "", refused(err)
		}
	}
}

// looksLikeDocument reports whether a build could give this name to a document's file.
func looksLikeDocument(name string) bool {
	digits := len(document.Version{}.Stem())
	return len(name) > digits && strings.HasSuffix(name, ".json") &&
		strings.Trim(name[:digits], "0123456789abcdef") == ""
}
