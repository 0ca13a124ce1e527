package cache

import (
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/replace"
)

// ErrExists is wrapped by the error of [Create] if there is a cache that it may
// not replace.
var ErrExists = errors.New("already exists")

// admit returns why no cache can be put at path, which the caller calls shown.
// An empty directory makes way for a cache, and a cache does if it is replaced.
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

// Obstacle returns why no build replaces what is at path, such as "it holds notes.txt". It
// returns "" if a build may replace it, or if the system refuses to look.
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

// admitInside returns why no cache can be put into a directory: it is a part of
// a cache.
func admitInside(parent, shown string) error {
	for _, dir := range []string{parent, filepath.Dir(parent)} {
		manifest, err := files.LookAt(filepath.Join(dir, manifestName))
		if err != nil {
			return err
		}
		if manifest == nil {
			continue
		}
		if why, err := whyNoCache(dir); why == "" {
			return cmp.Or(err, fault.Errorf(fault.IO, "%s would lie in the cache %s: choose another path, or remove that cache", shown, dir))
		}
	}
	return nil
}

// whyNoCache returns why the directory at path is not a cache. It returns "" for
// a cache, whole or damaged: a build that replaces it destroys nothing else.
func whyNoCache(path string) (why string, err error) {
	found, err := files.Entries(path)
	if err != nil || found == nil {
		return "it is no directory", err
	}
	if e := found[manifestName]; e == nil || !e.Type().IsRegular() {
		return "it has no " + manifestName, nil
	}
	if e := found[documentsName]; e == nil || !e.IsDir() {
		return "it has no directory " + documentsName, nil
	}
	names := []string{manifestName, fileListName, indexName, documentsName}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(names, name) {
			return "it holds " + name, nil
		}
	}
	documents, err := files.Entries(filepath.Join(path, documentsName))
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		if !documents[name].Type().IsRegular() || !looksLikeDocument(name) {
			return "it holds " + documentsName + "/" + name, nil
		}
	}
	return "", err
}

// looksLikeDocument reports whether a build may give that name to a document's
// file.
func looksLikeDocument(name string) bool {
	digits := len(document.Version{}.Stem())
	return len(name) > digits && strings.HasSuffix(name, ".json") &&
		strings.Trim(name[:digits], "0123456789abcdef") == ""
}
