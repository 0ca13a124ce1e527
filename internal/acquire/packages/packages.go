// Package packages finds installed dependencies of a project: in node_modules, in Go's module
// cache and in Python's site-packages. It downloads nothing and runs nothing.
//
// Versions are never guessed. The files of an installed package say which version it is, and
// a lock file, if there is one, must list the same version. Otherwise, Find fails and names
// the command to install the right version.
package packages

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/toml"
)

// A Registry is where packages come from.
type Registry string

const (
	NPM    Registry = "npm"
	Go     Registry = "go"
	Python Registry = "python"
)

// A Reference names a package, such as npm:@ai-sdk/react, go:github.com/spf13/cobra or
// python:fastapi.
type Reference struct {
	Registry Registry
	Name     string
}

// ParseReference reads a reference. It fails if the registry is unknown or the name is invalid
// there.
func ParseReference(text string) (Reference, error) {
	registry, name, _ := strings.Cut(text, ":")
	ref := Reference{Registry(registry), name}
	known, ok := managers[ref.Registry]
	if !ok {
		return Reference{}, fmt.Errorf("expected npm:NAME, go:MODULE or python:NAME, got %q", text)
	}
	if !known.isName(name) {
		if i := strings.IndexAny(name[min(1, len(name)):], "@=<>~!^[; "); i >= 0 && known.isName(name[:i+1]) {
			return Reference{}, fmt.Errorf("%q contains more than a name: the installed version counts, so write %s:%s", text, registry, name[:i+1])
		}
		return Reference{}, fmt.Errorf("%q is not the name of %s", name, known.noun)
	}
	return ref, nil
}

func (r Reference) String() string { return string(r.Registry) + ":" + r.Name }

// A Package is an installed package.
type Package struct {
	Reference
	Version string   // as its package manager writes it; Go versions begin with "v"
	Dir     string   // contains the files
	Files   []string // slash paths below Dir, sorted; nil means everything below Dir

	// Watch lists files to watch for another version: the lock file and the package's
	// own manifest.
	Watch []string

	inLock string // name in lock files; "" if they don't list the package
}

// Prefix is the slash path for the pages of a package, such as next@16.4.6.
func (p Package) Prefix() string { return p.Name + "@" + p.Version }

// A Workspace is a directory with installed dependencies. Package managers may also install them
// in directories above it.
type Workspace struct {
	Dir         string
	ModuleCache string // of Go: GOMODCACHE
	VirtualEnv  string // of Python; "" means .venv or venv, in Dir or the nearest directory above
}

// A manager knows where its package managers install packages.
type manager struct {
	noun   string // for messages
	isName func(string) bool
	find   func(workspace Workspace, name string) (Package, error)
	direct func(workspace Workspace) (names []string, err error)
	locks  []lockFile
}

var managers = map[Registry]manager{
	NPM:    {"an npm package", isNPMName, findNPM, directNPM, npmLocks},
	Go:     {"a Go module", isModulePath, findModule, directModules, nil},
	Python: {"a Python package", isPythonName, findPython, directPython, pythonLocks},
}

// validVersion matches the versions of all registries, such as v1.2.3+incompatible and 1!2.0rc1.
// Others can't be part of a path.
var validVersion = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9.+!~_-]*$`)

// Find finds an installed package. It fails with [fault.IO] if the package is not installed or
// if the system refuses to read it, and with [fault.Stale] if the lock file lists another
// version.
func (w Workspace) Find(ref Reference) (Package, error) {
	known := managers[ref.Registry]
	found, err := known.find(w, ref.Name)
	if err == nil && found.inLock != "" {
		var lock string
		if lock, err = checkLock(w, known.locks, found.inLock, found.Version); lock != "" {
			found.Watch = append(found.Watch, lock)
		}
	}
	switch {
	case err != nil && fault.CodeOf(err) == fault.Stale:
		return Package{}, fmt.Errorf("%s: %w", ref, err)
	case err != nil:
		return Package{}, fault.Errorf(fault.IO, "%s: %w", ref, err)
	}
	if !validVersion().MatchString(found.Version) {
		return Package{}, fault.Errorf(fault.IO, "%s: its version %q is invalid: install the package again", ref, found.Version)
	}
	found.Reference = ref
	return found, nil
}

// Direct returns the dependencies in the manifests of the project itself, sorted. Some may not
// be installed.
func (w Workspace) Direct() ([]Reference, error) {
	var all []Reference
	for _, registry := range []Registry{Go, NPM, Python} {
		names, err := managers[registry].direct(w)
		if err != nil {
			return nil, fault.Errorf(fault.IO, "find the dependencies of %s: %w", w.Dir, err)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if ref, err := ParseReference(string(registry) + ":" + name); err == nil {
				all = append(all, ref)
			}
		}
	}
	return all, nil
}

// maxLock is the largest manifest or lock file, in bytes. Even the lock files of large
// monorepos only take a few megabytes.
const maxLock = toml.MaxSize

// read reads the file at a path. It returns nil if there is none.
func read(path string) ([]byte, error) {
	text, err := files.ReadRegular(path, maxLock)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, files.ErrTooLarge):
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxLock)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, fault.Cause(err))
	}
	if text == nil { // the file is empty; nil means a missing file
		text = []byte{}
	}
	return text, nil
}

// isDir reports whether a directory is at a path, or a symlink to a directory.
func isDir(path string) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.IsDir(), err
}

// upward returns the absolute path of the workspace and those of the directories above it.
func (w Workspace) upward() (dirs []string, err error) {
	dir, err := files.Absolute(w.Dir)
	for err == nil && (len(dirs) == 0 || dir != dirs[len(dirs)-1]) {
		dirs = append(dirs, dir)
		dir = filepath.Dir(dir)
	}
	return dirs, err
}
