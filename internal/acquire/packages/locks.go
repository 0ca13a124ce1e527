package packages

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/toml"
	"github.com/contextcompiler/context/internal/base/words"
)

// A lockFile is the file where a package manager writes down the chosen versions.
type lockFile struct {
	name    string
	install string // command for users
	isPart  bool   // the file may leave packages out
	// versions returns the versions of a package in the text of a lock file. A project can
	// depend on several versions of the same package.
	versions func(text []byte, name string) ([]string, error)
	// accepts reports whether a listed version allows another installed one; it may be nil.
	accepts func(listed, installed string) bool
}

// checkLock fails with [fault.Stale] if the nearest lock file doesn't list the installed
// version of a package. It returns the path of the lock file, or "" if there is none. A
// directory can contain several lock files, for example while a project changes its package
// manager: then one of them must list the version.
func checkLock(workspace Workspace, kinds []lockFile, name, version string) (lock string, err error) {
	dirs, err := workspace.upward()
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		isHere := false
		var mismatch error
		for _, kind := range kinds {
			at := filepath.Join(dir, kind.name)
			text, err := read(at)
			if err != nil {
				return "", err
			}
			if text == nil {
				continue
			}
			isHere = true
			versions, err := kind.versions(text, name)
			verdict := "does not list it"
			switch accepts := func(listed string) bool {
				return listed == version || kind.accepts != nil && kind.accepts(listed, version)
			}; {
			case err != nil:
				return "", fmt.Errorf("%s: %w", at, err)
			case slices.ContainsFunc(versions, accepts):
				return at, nil
			case len(versions) > 0:
				verdict = "lists " + firstOf(versions)
			case kind.isPart:
				continue
			}
			mismatch = cmp.Or(mismatch, fault.Errorf(fault.Stale, "%s is installed, but %s %s: run %s", firstOf([]string{version}), at, verdict, kind.install))
		}
		// A lock file above the repository, such as a stray one in a home directory, is not the
		// project's.
		if _, err := os.Lstat(filepath.Join(dir, ".git")); isHere || err == nil {
			return "", mismatch
		}
	}
	return "", nil
}

// firstOf names the first few versions, because a lock file can list any number of any length.
func firstOf(versions []string) string {
	const named, length = 5, 100
	names := words.Few(versions, named)
	for i, name := range names {
		if len(name) > length {
			names = slices.Clone(names)
			names[i] = strings.ToValidUTF8(name[:length], "") + "..."
		}
	}
	return strings.Join(names, " and ")
}

var npmLocks = []lockFile{
	{name: "package-lock.json", install: "npm ci", versions: packageLock},
	{name: "npm-shrinkwrap.json", install: "npm ci", versions: packageLock},
	{name: "pnpm-lock.yaml", install: "pnpm install", versions: pnpmLock},
	{name: "yarn.lock", install: "yarn install", versions: yarnLock},
}

var pythonLocks = []lockFile{
	{name: "uv.lock", install: "uv sync", versions: tomlLock},
	{name: "poetry.lock", install: "poetry install", versions: tomlLock},
	{name: "pdm.lock", install: "pdm sync", versions: tomlLock},
	{name: "requirements.txt", install: "pip install -r requirements.txt", versions: requirements, isPart: true, accepts: meansPythonVersion},
}

// packageLock reads package-lock.json, of version 1 (dependencies) or later (packages).
func packageLock(text []byte, name string) (versions []string, err error) {
	var lock struct {
		Packages     map[string]struct{ Version, Name string }
		Dependencies map[string]struct{ Version string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("not a lock file of npm: %w", causeOfJSON(err))
	}
	for at, p := range lock.Packages {
		if at == "node_modules/"+name || strings.HasSuffix(at, "/node_modules/"+name) || p.Name == name {
			versions = append(versions, p.Version)
		}
	}
	if d, ok := lock.Dependencies[name]; ok && lock.Packages == nil {
		versions = append(versions, d.Version)
	}
	return distinct(versions), nil
}

// causeOfJSON says what is wrong in JSON without the names of Go types.
func causeOfJSON(err error) error {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("unexpected %s at byte %d", kind.Value, kind.Offset)
	}
	return err
}

// pnpmKey matches a key of the packages in pnpm-lock.yaml: next@16.4.6, and before version 9
// of the file /next@16.4.6(react@19.3.1) or /next/16.4.6.
var pnpmKey = lazy.Regexp(`^  ['"]?/?((?:@[^/'"]+/)?[^@/'"]+)[@/]([^('":_]+)`)

// pnpmLock reads the keys below packages in pnpm-lock.yaml. It reads lines instead of YAML
// because pnpm always writes them in this form, while a YAML parser takes seconds for a
// large file.
func pnpmLock(text []byte, name string) (versions []string, err error) {
	below := false
	for line := range lines(text) {
		if line != "" && line[0] != ' ' {
			below = strings.HasPrefix(line, "packages:")
		}
		if match := pnpmKey().FindStringSubmatch(line); below && match != nil && match[1] == name {
			versions = append(versions, match[2])
		}
	}
	return distinct(versions), nil
}

// yarnLock reads yarn.lock. An entry begins with version ranges, such as next@^16.0.0 or
// "next@npm:^16.0.0", followed by the version that was chosen for them.
func yarnLock(text []byte, name string) (versions []string, err error) {
	ours := false
	for line := range lines(text) {
		if line != "" && line[0] != ' ' && line[0] != '#' {
			first, _, _ := strings.Cut(strings.Trim(line, `"`), ",")
			ours = strings.HasPrefix(first, name+"@")
		}
		if version, ok := strings.CutPrefix(line, "  version"); ok && ours {
			versions = append(versions, strings.Trim(version, `: "`))
		}
	}
	return distinct(versions), nil
}

// tomlLock reads the packages of uv.lock, poetry.lock or pdm.lock.
func tomlLock(text []byte, name string) (versions []string, err error) {
	var lock struct {
		Package []struct{ Name, Version string }
	}
	if err := toml.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	for _, p := range lock.Package {
		if normalizePython(p.Name) == name {
			versions = append(versions, p.Version)
		}
	}
	return distinct(versions), nil
}

// pinned matches a requirement of one version, such as fastapi[all]==0.120.1.
var pinned = lazy.Regexp(`^\s*([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*===?\s*([^\s;#*]+)\s*(?:[;#\\].*)?$`)

// requirements reads the pinned versions in requirements.txt. Ranges and packages that aren't
// listed allow any version, because people often write the file by hand, without indirect
// dependencies.
func requirements(text []byte, name string) (versions []string, err error) {
	for line := range lines(text) {
		if match := pinned().FindStringSubmatch(line); match != nil && normalizePython(match[1]) == name {
			versions = append(versions, match[2])
		}
	}
	return distinct(versions), nil
}

// meansPythonVersion reports whether ==listed allows an installed version. As PEP 440 says, 1.0
// equals 1.0.0, and 2.1 allows a local build such as 2.1+cpu.
func meansPythonVersion(listed, installed string) bool {
	if !strings.Contains(listed, "+") {
		installed, _, _ = strings.Cut(installed, "+")
	}
	return trimPythonVersion(listed) == trimPythonVersion(installed)
}

func trimPythonVersion(version string) string {
	version = strings.TrimPrefix(strings.ToLower(version), "v")
	for strings.HasSuffix(version, ".0") {
		version = strings.TrimSuffix(version, ".0")
	}
	return version
}

// lines returns the lines of a text without their ends.
func lines(text []byte) iter.Seq[string] {
	return strings.SplitSeq(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
}

func distinct(versions []string) []string {
	slices.Sort(versions)
	return slices.Compact(versions)
}

// isPlainPath reports whether a slash path stays below the directory that it is joined to.
func isPlainPath(p string) bool {
	return p == path.Clean(p) && filepath.IsLocal(filepath.FromSlash(p)) && !strings.Contains(p, `\`)
}
