package packages

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/toml"
)

var (
	pythonName       = lazy.Regexp(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`) // PEP 508
	pythonSeparators = lazy.Regexp(`[-_.]+`)
	requiredName     = lazy.Regexp(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)`)
)

func isPythonName(name string) bool { return pythonName().MatchString(name) }

// normalizePython unifies the spellings of a package's name as PEP 503 says.
func normalizePython(name string) string {
	return strings.ToLower(pythonSeparators().ReplaceAllString(name, "-"))
}

// findPython finds a package in the site-packages of the virtual environment. All packages share
// that directory, so the list of files in .dist-info tells which ones belong to the package.
func findPython(workspace Workspace, name string) (Package, error) {
	environments, err := workspace.virtualEnvironments()
	if err != nil {
		return Package{}, err
	}
	for _, environment := range environments {
		for _, site := range sitePackages(environment) {
			found, err := findDistribution(site, normalizePython(name))
			if err != nil || found.Dir != "" {
				return found, err
			}
		}
	}
	if len(environments) == 0 {
		return Package{}, fmt.Errorf("there is no virtual environment (.venv or venv) in %s or above: make one, or activate yours", workspace.Dir)
	}
	return Package{}, fmt.Errorf("it is not installed in %s: install your requirements there", environments[0])
}

// sitePackages returns the directories of a virtual environment that can contain packages.
func sitePackages(environment string) (sites []string) {
	versions, _ := os.ReadDir(filepath.Join(environment, "lib"))
	for _, v := range versions {
		if strings.HasPrefix(v.Name(), "python3") {
			sites = append(sites, filepath.Join(environment, "lib", v.Name(), "site-packages"))
		}
	}
	return append(sites, filepath.Join(environment, "Lib", "site-packages")) // on Windows
}

// virtualEnvironments returns the active environment. Without one, it returns the environments in the
// nearest directory that contains .venv or venv.
func (w Workspace) virtualEnvironments() (dirs []string, err error) {
	if w.VirtualEnv != "" {
		return []string{w.VirtualEnv}, nil
	}
	above, err := w.upward()
	for _, dir := range above {
		for _, name := range []string{".venv", "venv"} {
			at := filepath.Join(dir, name)
			ok, err := isDir(at)
			if err != nil {
				return nil, err
			}
			if ok {
				dirs = append(dirs, at)
			}
		}
		if dirs != nil {
			break
		}
	}
	return dirs, err
}

// findDistribution finds a package by its normalized name in a site-packages directory. Without
// such a package, the result is zero.
func findDistribution(site, name string) (Package, error) {
	entries, err := os.ReadDir(site)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Package{}, err
	}
	for _, entry := range entries {
		base, ok := strings.CutSuffix(entry.Name(), ".dist-info")
		if !ok {
			continue
		}
		stem, _, _ := strings.Cut(base, "-")
		if normalizePython(stem) != name {
			continue
		}
		metadata := filepath.Join(site, entry.Name(), "METADATA")
		version, err := metadataVersion(metadata)
		if err != nil {
			return Package{}, err
		}
		record := filepath.Join(site, entry.Name(), "RECORD")
		listed, err := recorded(record)
		if err != nil {
			return Package{}, err
		}
		return Package{Version: version, Dir: site, Files: listed, Watch: []string{metadata, record}, inLock: name}, nil
	}
	return Package{}, nil
}

// metadataVersion reads the version in a METADATA file, which begins like an e-mail.
func metadataVersion(path string) (string, error) {
	text, err := read(path)
	if err != nil {
		return "", err
	}
	for line := range lines(text) {
		if strings.TrimSpace(line) == "" {
			break
		}
		if version, ok := strings.CutPrefix(line, "Version:"); ok {
			return strings.TrimSpace(version), nil
		}
	}
	return "", fmt.Errorf("%s names no version: install the package again", path)
}

// recorded returns the files below site-packages in a RECORD file, sorted. Others, such as
// scripts in ../../../bin, are left out.
func recorded(path string) (all []string, err error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return nil, fmt.Errorf("%s is missing, so nobody knows which files are its own: install the package with pip or uv", path)
	}
	rows := csv.NewReader(bytes.NewReader(text))
	rows.FieldsPerRecord, rows.ReuseRecord = -1, true
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			slices.Sort(all)
			return slices.Compact(all), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s is not a table of files: %w", path, err)
		}
		if file := row[0]; isPlainPath(file) && !strings.Contains(file, "__pycache__/") {
			all = append(all, file)
		}
	}
}

// directPython returns the packages in pyproject.toml and requirements.txt.
func directPython(workspace Workspace) (names []string, err error) {
	at := filepath.Join(workspace.Dir, "pyproject.toml")
	text, err := read(at)
	if err != nil {
		return nil, err
	}
	var declared struct {
		Project struct {
			Dependencies         []string
			OptionalDependencies map[string][]string `toml:"optional-dependencies"`
		}
		DependencyGroups map[string][]any `toml:"dependency-groups"`
		Tool             struct {
			Poetry struct{ Dependencies map[string]any }
		}
	}
	if err := toml.Unmarshal(text, &declared); err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	required := declared.Project.Dependencies
	for _, extra := range declared.Project.OptionalDependencies {
		required = append(required, extra...)
	}
	for _, group := range declared.DependencyGroups {
		for _, element := range group {
			if text, ok := element.(string); ok { // an included group is a table
				required = append(required, text)
			}
		}
	}
	for name := range declared.Tool.Poetry.Dependencies {
		if name != "python" {
			required = append(required, name)
		}
	}
	list, err := read(filepath.Join(workspace.Dir, "requirements.txt"))
	if err != nil {
		return nil, err
	}
	required = append(required, strings.Split(string(list), "\n")...)
	for _, text := range required {
		if match := requiredName().FindStringSubmatch(text); match != nil {
			names = append(names, normalizePython(match[1]))
		}
	}
	return names, nil
}
