package cache

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
)

// A target is the place where a cache is to be, and the names beside it that a
// build uses. They begin with a dot and the cache's own name, so that a build
// finds what an earlier build of the same cache left behind.
type target struct {
	path  string // absolute, its last element no symlink
	shown string // as the caller named it
}

// targetAt returns the target at path. A symlink to a cache stands for the
// cache: replacing that keeps the link.
func targetAt(path string) (target, error) {
	located, err := Locate(path)
	if err != nil {
		return target{}, err
	}
	return target{located, path}, nil
}

// Locate returns the absolute path, without symlinks, of what is at path or is
// to be made there. It reads path as the system does: ".." behind a symlink
// leads to the parent of what the symlink leads to. Behind a directory that does
// not exist, which the system refuses, ".." takes that back.
func Locate(path string) (string, error) {
	located, err := locate(path)
	if err == nil {
		located, err = filepath.Abs(located)
	}
	if err != nil {
		return "", fault.Errorf(fault.IO, "path %s: %w", path, fault.Cause(err))
	}
	return located, nil
}

func locate(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if found, err := lookAt(path); err != nil || found != nil {
		return "", cmp.Or(err, errors.New("it is a symlink that leads nowhere"))
	}
	// What is not there yet is in a directory that is, or that is in one.
	dir, name := filepath.Split(strings.TrimRight(path, string(filepath.Separator)))
	if name == "" {
		return "", err
	}
	if dir == "" {
		return name, nil
	}
	parent, err := locate(dir)
	return filepath.Join(parent, name), err
}

// isRetired reports whether path is one that retired begins and a number ends.
func (t target) isRetired(path string) bool {
	number, ok := strings.CutPrefix(path, t.retired())
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

func (t target) parent() string     { return filepath.Dir(t.path) }
func (t target) lock() string       { return t.beside("lock") }
func (t target) scaffold() scaffold { return scaffold(t.beside("new")) }
func (t target) retired() string    { return t.beside("old-") }

// maxName is how many bytes a name has at most on the usual file systems.
const maxName = 255

// transient marks the names that a build uses beside a cache.
const transient = ".context-"

// beside returns the path of a file of ours beside the cache.
func (t target) beside(purpose string) string {
	const reserve = len(".") + len(transient) + 16
	name := filepath.Base(t.path)
	if len(name)+reserve > maxName {
		sum := sha256.Sum256([]byte(name))
		name = hex.EncodeToString(sum[:])
	}
	return filepath.Join(t.parent(), "."+name+transient+purpose)
}

// admits reports, as an error, why no cache can be put at the target.
func (t target) admits(replace bool) error {
	found, err := lookAt(t.path)
	if err != nil {
		return err
	}
	if found == nil {
		return t.isOutsideOfCaches()
	}
	switch why, err := t.whyOccupied(); {
	case err != nil:
		return err
	case why != "":
		return fault.Errorf(fault.IO, "%s already exists and is not a cache (%s): choose another path, or move it away", t.shown, why)
	case !replace:
		return fault.Errorf(fault.IO, "%s %w", t.shown, ErrExists)
	}
	return nil
}

// ErrExists is wrapped by the error of a build that finds a cache at its target
// and is not asked to replace it.
var ErrExists = errors.New("already exists")

// isOutsideOfCaches makes sure that the target does not lie in a cache, which
// holds nothing but its own files.
func (t target) isOutsideOfCaches() error {
	for _, dir := range []string{t.parent(), filepath.Dir(t.parent())} {
		manifest, err := lookAt(filepath.Join(dir, manifestName))
		if err != nil {
			return err
		}
		if manifest == nil {
			continue
		}
		if why, err := whyNoCache(dir); why == "" {
			return cmp.Or(err, fault.Errorf(fault.IO, "%s would lie in the cache %s: choose another path", t.shown, dir))
		}
	}
	return nil
}

// whyOccupied says why what is at the target cannot make way for a cache. It
// returns "" for a cache and for an empty directory.
func (t target) whyOccupied() (why string, err error) {
	found, err := entriesIn(t.path)
	if err != nil || found != nil && len(found) == 0 {
		return "", err
	}
	return whyNoCache(t.path)
}

// whyNoCache says why the directory at path is not a cache. It returns "" for a
// cache, whole or damaged: to replace that loses nothing else.
func whyNoCache(path string) (why string, err error) {
	found, err := entriesIn(path)
	if err != nil || found == nil {
		return "it is no directory", err
	}
	if e := found[manifestName]; e == nil || !e.Type().IsRegular() {
		return "it has no " + manifestName, nil
	}
	if e := found[documentsName]; e == nil || !e.IsDir() {
		return "it has no directory " + documentsName, nil
	}
	files := []string{manifestName, indexName, selectionName, documentsName}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(files, name) {
			return "it holds " + name, nil
		}
	}
	documents, err := entriesIn(filepath.Join(path, documentsName))
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		if !documents[name].Type().IsRegular() || !looksLikeDocument(name) {
			return "it holds " + documentsName + "/" + name, nil
		}
	}
	return "", err
}

// entriesIn returns the entries of the directory at path by name. It returns nil
// if something else is there, or nothing.
func entriesIn(path string) (map[string]os.DirEntry, error) {
	found, err := lookAt(path)
	if err != nil || found == nil || !found.IsDir() {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read directory %s: %w", path, fault.Cause(err))
	}
	byName := make(map[string]os.DirEntry, len(entries))
	for _, e := range entries {
		byName[e.Name()] = e
	}
	return byName, nil
}

// looksLikeDocument reports whether a document's file may have that name.
func looksLikeDocument(name string) bool {
	digits := len(document.Version{}.Stem())
	return len(name) > digits && strings.HasSuffix(name, ".json") &&
		strings.Trim(name[:digits], "0123456789abcdef") == ""
}
