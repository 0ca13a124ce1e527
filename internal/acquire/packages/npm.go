package packages

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

var npmName = lazy.Regexp(`^(?:@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$`)

func isNPMName(name string) bool {
	return len(name) <= 214 && npmName().MatchString(name) && name != "node_modules"
}

// findNPM finds a package as Node.js does: in node_modules of the project or of a directory above
// it. With pnpm, the package there is a symlink.
func findNPM(workspace Workspace, name string) (found Package, err error) {
	dirs, err := workspace.upward()
	if err != nil {
		return Package{}, err
	}
	for _, dir := range dirs {
		at := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
		manifest := filepath.Join(at, "package.json")
		text, err := read(manifest)
		if err != nil {
			return Package{}, err
		}
		if text == nil {
			continue
		}
		var declared struct{ Version string }
		if err := json.Unmarshal(text, &declared); err != nil || declared.Version == "" {
			return Package{}, fmt.Errorf("%s names no version: install the package again", manifest)
		}
		found = Package{Version: declared.Version, Dir: at, Watch: []string{manifest}}
		break
	}
	if found.Dir == "" {
		return Package{}, fmt.Errorf("no node_modules in %s or above contains it: run npm install, or the same command of your package manager", workspace.Dir)
	}
	if found.Dir, err = filepath.EvalSymlinks(found.Dir); err != nil {
		return Package{}, err
	}
	if slices.Contains(strings.Split(filepath.ToSlash(found.Dir), "/"), "node_modules") { // otherwise, it is a workspace of the project, which lock files list in other ways
		found.inLock = name
	}
	return found, nil
}

// directNPM returns the dependencies in package.json, including those for development, because
// their documentation helps as well.
func directNPM(workspace Workspace) ([]string, error) {
	path := filepath.Join(workspace.Dir, "package.json")
	text, err := read(path)
	if err != nil || text == nil {
		return nil, err
	}
	var declared struct{ Dependencies, DevDependencies map[string]string }
	if err := json.Unmarshal(text, &declared); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, causeOfJSON(err))
	}
	return slices.AppendSeq(slices.Collect(maps.Keys(declared.Dependencies)), maps.Keys(declared.DevDependencies)), nil
}
