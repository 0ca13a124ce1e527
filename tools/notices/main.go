// Notices writes THIRD_PARTY_NOTICES: the licences of Go and of the modules that
// are linked into the programs. It fails if a licence is not allowed.
//
// It must run in the directory of module tools.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the SPDX identifiers of licences that only require a notice.
// CC-BY-4.0 is for documentation.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "ISC", "MIT"}

// The systems and architectures of releases. All must be checked, since some
// modules are linked only on one of them.
var (
	systems       = []string{"darwin", "freebsd", "linux", "windows"}
	architectures = []string{"amd64", "arm64"}
)

func main() {
	text, err := notices("..")
	if err == nil {
		err = os.WriteFile("../THIRD_PARTY_NOTICES", text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// notices returns the licences of everything linked into the programs of the module
// at root.
func notices(root string) ([]byte, error) {
	found, err := components(root)
	if err != nil {
		return nil, err
	}
	text := bytes.NewBufferString("The programs contain the following software.\n")
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if err := writeNotice(text, name, found[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return text.Bytes(), nil
}

// components returns Go and the linked modules, with the directories that may
// contain their licences.
func components(root string) (map[string][]string, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	found := map[string][]string{"Go": {strings.TrimSpace(string(goroot))}}
	for _, system := range systems {
		for _, architecture := range architectures {
			packages, err := linked(root, system, architecture)
			if err != nil {
				return nil, err
			}
			for _, p := range packages {
				p.addTo(found)
			}
		}
	}
	return found, nil
}

// A goPackage is a package in the output of `go list`.
type goPackage struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	} // nil in the standard library
}

// addTo adds the package's directory, and the directories above it in its module.
func (p goPackage) addTo(found map[string][]string) {
	if p.Module == nil || p.Module.Main {
		return
	}
	name := p.Module.Path + " " + p.Module.Version
	for dir := p.Dir; len(dir) >= len(p.Module.Dir); dir = filepath.Dir(dir) {
		if !slices.Contains(found[name], dir) {
			found[name] = append(found[name], dir)
		}
	}
}

// linked returns the packages of the programs on a system.
func linked(root, system, architecture string) (packages []goPackage, err error) {
	list := exec.Command("go", "list", "-deps", "-json=Dir,Module", "./cmd/...")
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying)([-_.][-_.\w]*)?$`)
	docsLicence = regexp.MustCompile(`(?i)^licen[cs]e[-_.]docs?$`)
	noticeFile  = regexp.MustCompile(`(?i)^notice([-_.][-_.\w]*)?$`)
)

// writeNotice writes the licences in the directories, and the notices next to them.
func writeNotice(text *bytes.Buffer, name string, dirs []string) error {
	var ids []string
	var body bytes.Buffer
	for _, path := range filesIn(dirs) {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if licenceFile.MatchString(filepath.Base(path)) {
			more, err := licencesOf(content)
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(path), err)
			}
			ids = append(ids, more...)
		}
		fmt.Fprintf(&body, "\n%s\n", bytes.TrimSpace(content))
	}
	if len(ids) == 0 {
		return errors.New("it has no licence: use another module")
	}
	slices.Sort(ids)
	heading := fmt.Sprintf("%s (%s)", name, strings.Join(slices.Compact(ids), ", "))
	fmt.Fprintf(text, "\n\n%s\n%s\n%s", heading, strings.Repeat("=", len(heading)), &body)
	return nil
}

func filesIn(dirs []string) (paths []string) {
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // cannot fail, because go list has just read the directory
		for _, e := range entries {
			name := e.Name()
			if docsLicence.MatchString(name) {
				continue // it is for the module's own documentation, which is not linked
			}
			if e.Type().IsRegular() && filepath.Ext(name) != ".go" && (licenceFile.MatchString(name) || noticeFile.MatchString(name)) {
				paths = append(paths, filepath.Join(dir, name))
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// licencesOf returns the licences in a text. It fails if most of the text is
// something else, or if a licence is not allowed.
func licencesOf(text []byte) (ids []string, err error) {
	const least = 75 // percent; the rest may say which licence is for what
	coverage := licensecheck.Scan(text)
	if coverage.Percent < least {
		return nil, fmt.Errorf("%.0f%% of it is a known licence: read it, and use another module", coverage.Percent)
	}
	for _, m := range coverage.Match {
		if !slices.Contains(allowed, m.ID) {
			return nil, fmt.Errorf("%s is not allowed: use another module", m.ID)
		}
		ids = append(ids, m.ID)
	}
	return ids, nil
}
