package describe

import (
	"io/fs"
	"slices"
	"strings"
)

// A manifest is what the file says that a package manager reads.
type manifest struct {
	name         string
	description  string
	dependencies []string // their names in lower case
	manager      string   // the package manager that it names itself, or ""
}

// An ecosystem is what surrounds a family of languages.
type ecosystem struct {
	languages  []string
	manifests  []manifestFile
	managers   []managerFile
	frameworks []framework
}

// A manifestFile is read by read. Its name may begin with a star.
type manifestFile struct {
	name string
	read func(content []byte) manifest
}

// ecosystems are all that are known. Where several are at home in a project,
// the one of its language comes first, then they come in this order.
var ecosystems = []ecosystem{
	goEcosystem, rustEcosystem, scriptEcosystem, pythonEcosystem, rubyEcosystem, phpEcosystem,
	javaEcosystem, dartEcosystem, swiftEcosystem, dotnetEcosystem, elixirEcosystem, haskellEcosystem,
}

// ecosystemsFor returns all ecosystems with those of the language in front.
func ecosystemsFor(language string) []ecosystem {
	sorted := slices.Clone(ecosystems)
	slices.SortStableFunc(sorted, func(a, b ecosystem) int {
		return order(slices.Contains(a.languages, language), slices.Contains(b.languages, language))
	})
	return sorted
}

// order puts what is true first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// manifestSummary returns the description in the first manifest that has one.
func manifestSummary(fsys fs.FS, names []string) string {
	for _, e := range ecosystems {
		for _, m := range e.read(fsys, names) {
			if m.description != "" {
				return m.description
			}
		}
	}
	return ""
}

// read returns the manifests of an ecosystem that are among the files. One that
// cannot be read says nothing.
func (e ecosystem) read(fsys fs.FS, names []string) (manifests []manifest) {
	for _, file := range e.manifests {
		for _, name := range names {
			if file.matches(name) {
				manifests = append(manifests, readManifest(file, readWhole(fsys, name)))
			}
		}
	}
	return manifests
}

func (f manifestFile) matches(name string) bool { return matches(f.name, name) }

// matches reports whether name is the pattern, or ends as a pattern does that
// begins with a star.
func matches(pattern, name string) bool {
	if suffix, ok := strings.CutPrefix(pattern, "*"); ok {
		return len(name) > len(suffix) && strings.HasSuffix(name, suffix)
	}
	return name == pattern
}

// readManifest reads content, which may be anything.
func readManifest(file manifestFile, content []byte) (m manifest) {
	defer func() {
		if recover() != nil {
			m = manifest{}
		}
	}()
	m = file.read([]byte(textOf(content)))
	m.name, m.description = oneLine(m.name), oneLine(m.description)
	for i, dependency := range m.dependencies {
		m.dependencies[i] = strings.ToLower(dependency)
	}
	return m
}
