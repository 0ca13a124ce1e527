package describe

import (
	"cmp"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A ProjectProfile is described by the files in its root.
type ProjectProfile struct {
	Name           string // in a manifest, or ""
	Description    string // in a manifest, one line as in a summary, or ""
	Language       string // "Unknown" if no file tells
	Framework      string // "" if none is known
	PackageManager string // "" if none is known
}

// ProjectOf describes the project in whose root fsys has the files that names
// lists. bytesByExtension has the size of all files of the project by their
// lower-case extensions (".go"). The language is the one with the most bytes.
//
// A manifest of that language describes the project. Another manifest may
// describe a part of it, such as a website. It counts only if its name is also
// that of the first manifest, or the title of the README. ProjectOf fails if a
// file cannot be read.
func ProjectOf(fsys fs.FS, names []string, bytesByExtension map[string]int64) (ProjectProfile, error) {
	r := dirReader{fsys: fsys, names: names}
	language := mainLanguage(bytesByExtension)
	p := ProjectProfile{Language: language.name, Framework: frameworkOf(names)}
	for _, e := range ecosystemsFor(p.Language) {
		own := language.class > headers || slices.Contains(e.languages, p.Language)
		manifests := r.manifests(e)
		for _, m := range manifests {
			if own || letters(m.name) == letters(cmp.Or(p.Name, r.readmeTitle())) {
				p.Name = cmp.Or(p.Name, m.name)
				p.Description = cmp.Or(p.Description, m.description)
			}
		}
		p.PackageManager = cmp.Or(p.PackageManager, r.managerOf(e, manifests))
	}
	p.Name = shorten(p.Name, maxName)
	p.Description = shorten(p.Description, maxSummary)
	return p, r.err
}

// ecosystemsFor returns all ecosystems, the one of the language first.
func ecosystemsFor(language string) []ecosystem {
	own := func(e ecosystem) bool { return slices.Contains(e.languages, language) }
	others := slices.DeleteFunc(slices.Clone(ecosystems), own)
	if i := slices.IndexFunc(ecosystems, own); i >= 0 {
		return slices.Insert(others, 0, ecosystems[i])
	}
	return others
}

// mainLanguage returns the kind with the most bytes in the first class that has
// any.
func mainLanguage(bytesByExtension map[string]int64) fileKind {
	sizes := map[fileKind]int64{}
	for extension, size := range bytesByExtension {
		if k, known := kinds()[extension]; known && k.class != other && size > 0 {
			sizes[k] += size
		}
	}
	languages := slices.SortedFunc(maps.Keys(sizes), func(a, b fileKind) int {
		return cmp.Or(
			cmp.Compare(a.class, b.class),
			cmp.Compare(sizes[b], sizes[a]),
			strings.Compare(a.name, b.name),
		)
	})
	if len(languages) == 0 {
		return fileKind{"Unknown", other}
	}
	return languages[0]
}

// frameworkOf returns the framework whose own file lies in the root. A
// dependency says less: the project may have it for one part of many.
func frameworkOf(names []string) string {
	for _, f := range frameworks {
		if slices.ContainsFunc(names, func(name string) bool { return name == f.file || strings.HasPrefix(name, f.file+".") }) {
			return f.name
		}
	}
	return ""
}

// managerOf returns the package manager that a manifest names, or that a file of
// the package manager tells.
func (r *dirReader) managerOf(e ecosystem, manifests []projectManifest) string {
	for _, m := range manifests {
		if m.manager != "" {
			return m.manager
		}
	}
	for _, file := range e.managers {
		if r.has(file.name) {
			return file.manager
		}
	}
	return ""
}
