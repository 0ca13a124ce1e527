package describe

import (
	"slices"
	"strings"
)

// A manifest is the contents of the file that a package manager reads.
type manifest struct {
	name        string
	description string
	manager     string // the package manager that it names itself, or ""
}

// An ecosystem is what surrounds a family of languages.
type ecosystem struct {
	languages []string
	manifests []manifestFile
	managers  []managerFile
}

// A manifestFile is read by read. Its name may begin with a star.
type manifestFile struct {
	name string
	read func(content []byte) manifest
}

// ecosystemsFor returns all ecosystems, the one of the language first.
func ecosystemsFor(language string) []ecosystem {
	sorted := slices.Clone(ecosystems)
	slices.SortStableFunc(sorted, func(a, b ecosystem) int {
		return order(slices.Contains(a.languages, language), slices.Contains(b.languages, language))
	})
	return sorted
}

// order compares two conditions: true comes first.
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
func (r *reader) manifestSummary(dir string) string {
	if dir == "." {
		return ""
	}
	for _, e := range ecosystems {
		for _, m := range e.read(r) {
			if m.description != "" {
				return m.description
			}
		}
	}
	return ""
}

// read returns the manifests of an ecosystem that are among the files. A broken
// one says nothing.
func (e ecosystem) read(r *reader) (manifests []manifest) {
	for _, file := range e.manifests {
		for _, name := range r.names {
			if !matches(file.name, name) {
				continue
			}
			content := r.whole(name)
			m := attempt(func() manifest { return file.read([]byte(content)) })
			m.name, m.description = oneLine(m.name), oneLine(m.description)
			manifests = append(manifests, m)
		}
	}
	return manifests
}

// matches reports whether name is the pattern, or ends as a pattern does that
// begins with a star.
func matches(pattern, name string) bool {
	if suffix, ok := strings.CutPrefix(pattern, "*"); ok {
		return len(name) > len(suffix) && strings.HasSuffix(name, suffix)
	}
	return name == pattern
}
