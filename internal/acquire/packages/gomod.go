package packages

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func isModulePath(name string) bool { return module.CheckPath(name) == nil }

// findModule finds the required version of a module in the module cache. Since Go 1.17, go.mod
// lists every module of the build, so the version in it is the version in use.
func findModule(workspace Workspace, name string) (Package, error) {
	path, file, err := readGoMod(workspace)
	if err != nil {
		return Package{}, err
	}
	if file == nil {
		return Package{}, fmt.Errorf("there is no go.mod in %s or above", workspace.Dir)
	}
	var wanted module.Version
	for _, r := range file.Require {
		if r.Mod.Path == name {
			wanted = r.Mod
		}
	}
	if wanted.Path == "" {
		return Package{}, fmt.Errorf("%s does not require it: name a module as go.mod does", path)
	}
	found := Package{Version: wanted.Version, Watch: []string{path}}
	for _, r := range file.Replace {
		if r.Old.Path != wanted.Path || r.Old.Version != "" && r.Old.Version != wanted.Version {
			continue
		}
		if r.New.Version == "" { // a directory
			found.Dir = r.New.Path
			if !filepath.IsAbs(found.Dir) {
				found.Dir = filepath.Join(filepath.Dir(path), filepath.FromSlash(found.Dir))
			}
			return found, requireDir(found.Dir, "go.mod replaces it by %s, and there is no such directory", found.Dir)
		}
		wanted, found.Version = r.New, r.New.Version
	}
	if workspace.ModuleCache == "" {
		return Package{}, errors.New("no module cache is known: set GOMODCACHE or HOME")
	}
	escaped, err := module.EscapePath(wanted.Path)
	if err != nil {
		return Package{}, err
	}
	version, err := module.EscapeVersion(wanted.Version)
	if err != nil {
		return Package{}, err
	}
	found.Dir = filepath.Join(workspace.ModuleCache, filepath.FromSlash(escaped)+"@"+version)
	return found, requireDir(found.Dir, "%s is not in the module cache %s: run go mod download", wanted, workspace.ModuleCache)
}

func requireDir(dir, format string, args ...any) error {
	ok, err := isDir(dir)
	if err == nil && !ok {
		err = fmt.Errorf(format, args...)
	}
	return err
}

func directModules(workspace Workspace) (names []string, err error) {
	path := filepath.Join(workspace.Dir, "go.mod")
	text, err := read(path)
	if err != nil || text == nil {
		return nil, err
	}
	file, err := modfile.ParseLax(path, text, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range file.Require {
		if !r.Indirect {
			names = append(names, r.Mod.Path)
		}
	}
	return names, nil
}

// readGoMod reads the nearest go.mod. The file is nil if there is none.
func readGoMod(workspace Workspace) (path string, file *modfile.File, err error) {
	dirs, err := workspace.upward()
	for _, dir := range dirs {
		path = filepath.Join(dir, "go.mod")
		text, err := read(path)
		if err != nil {
			return "", nil, err
		}
		if text != nil {
			file, err = modfile.Parse(path, text, nil)
			return path, file, err
		}
	}
	return "", nil, err
}
