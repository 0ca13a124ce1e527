package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
	if exists(path) {
		return "", errors.New("it is a symlink that leads nowhere")
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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !os.IsNotExist(err)
}

// isRetired reports whether path is one that retired begins and a number ends.
func (t target) isRetired(path string) bool {
	number, ok := strings.CutPrefix(path, t.retired())
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

func isDirectory(path string) bool {
	found, err := os.Lstat(path)
	return err == nil && found.IsDir()
}

func (t target) parent() string  { return filepath.Dir(t.path) }
func (t target) lock() string    { return t.beside("lock") }
func (t target) staging() string { return t.beside("new") }
func (t target) retired() string { return t.beside("old-") }
func (t target) between() string { return t.beside("was") }

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
	if !exists(t.path) {
		return t.isOutsideOfCaches()
	}
	if err := t.isCache(); replace || err != nil {
		return err
	}
	return fault.Errorf(fault.IO, "%s %w", t.shown, ErrExists)
}

// ErrExists is wrapped by the error of a build that finds a cache at its target
// and is not asked to replace it.
var ErrExists = errors.New("already exists")

// isOutsideOfCaches makes sure that the target does not lie in a cache, which
// holds nothing but its own files.
func (t target) isOutsideOfCaches() error {
	for _, dir := range []string{t.parent(), filepath.Dir(t.parent())} {
		if exists(filepath.Join(dir, manifestName)) && (target{dir, dir}).isCache() == nil {
			return fault.Errorf(fault.IO, "%s would lie in the cache %s: choose another path", t.shown, dir)
		}
	}
	return nil
}

// isCache makes sure that what is at the target was made by a build, whole or
// damaged, or is an empty directory, so that replacing it loses nothing else.
func (t target) isCache() error {
	refuse := func(why string) error {
		return fault.Errorf(fault.IO, "%s already exists and is not a cache (%s): choose another path, or move it away", t.shown, why)
	}
	if !isDirectory(t.path) {
		return refuse("it is no directory")
	}
	entries, err := os.ReadDir(t.path)
	if err != nil {
		return refuse(fault.Cause(err).Error())
	}
	if len(entries) == 0 {
		return nil
	}
	found := map[string]os.DirEntry{}
	for _, e := range entries {
		found[e.Name()] = e
	}
	if e := found[manifestName]; e == nil || !e.Type().IsRegular() {
		return refuse("it has no " + manifestName)
	}
	if e := found[documentsName]; e == nil || !e.IsDir() {
		return refuse("it has no directory " + documentsName)
	}
	for _, e := range entries {
		if name := e.Name(); name != manifestName && name != indexName && name != selectionName && name != passagesName && name != documentsName {
			return refuse("it holds " + name)
		}
	}
	return t.holdsDocumentsOnly(refuse)
}

func (t target) holdsDocumentsOnly(refuse func(why string) error) error {
	documents, err := os.ReadDir(filepath.Join(t.path, documentsName))
	if err != nil {
		return refuse(fault.Cause(err).Error())
	}
	for _, e := range documents {
		if !e.Type().IsRegular() || !looksLikeDocument(e.Name()) {
			return refuse("it holds " + documentsName + "/" + e.Name())
		}
	}
	return nil
}

// looksLikeDocument reports whether a document's file may have that name.
func looksLikeDocument(name string) bool {
	digits := len(document.Version{}.Stem())
	return len(name) > digits && strings.HasSuffix(name, ".json") &&
		strings.Trim(name[:digits], "0123456789abcdef") == ""
}
