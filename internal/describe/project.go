package describe

import (
	"cmp"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A Project is described by the files in its root.
type Project struct {
	Name           string // in a manifest, or ""
	Description    string // in a manifest, one line as in a summary, or ""
	Language       string // "Unknown" if no file tells
	Framework      string // "" if none is known
	PackageManager string // "" if none is known
}

// ProjectOf describes the project in whose root fsys has the files that names
// lists. bytesByExtension has the size of all files of the project by their
// lower-case extensions (".go"): the language is the one with the most bytes.
//
// A manifest of that language describes the project. A manifest of another
// language may describe a part of it, such as a website. It counts only if it gives the
// project the name that it has in the first manifest or in the title of its
// README. ProjectOf fails if a file cannot be read.
func ProjectOf(fsys fs.FS, names []string, bytesByExtension map[string]int64) (Project, error) {
	r := reader{fsys: fsys, names: names}
	language := mainLanguage(bytesByExtension)
	p := Project{Language: language.name, Framework: frameworkOf(names)}
	for _, e := range ecosystemsFor(p.Language) {
		own := language.class != programming || slices.Contains(e.languages, p.Language)
		manifests := e.read(&r)
		for _, m := range manifests {
			if own || letters(m.name) == letters(cmp.Or(p.Name, r.readmeTitle())) {
				p.Name = cmp.Or(p.Name, m.name)
				p.Description = cmp.Or(p.Description, m.description)
			}
		}
		p.PackageManager = cmp.Or(p.PackageManager, e.managerOf(names, manifests))
	}
	p.Name = shorten(p.Name, maxName)
	p.Description = shorten(p.Description, maxSummary)
	return p, r.err
}

// unknownLanguage is that of a project without text in any known one.
var unknownLanguage = kind{"Unknown", other}

// mainLanguage returns the language with the most bytes. Programming languages
// come before markup, and markup before data.
func mainLanguage(bytesByExtension map[string]int64) kind {
	sizes := map[kind]int64{}
	for extension, size := range bytesByExtension {
		if k, known := kinds[extension]; known && k.class != other && size > 0 {
			sizes[k] += size
		}
	}
	headersOf(sizes, kinds[".h"], bytesByExtension[".h"])
	languages := slices.SortedFunc(maps.Keys(sizes), func(a, b kind) int {
		return cmp.Or(
			cmp.Compare(a.class, b.class),
			cmp.Compare(sizes[b], sizes[a]),
			strings.Compare(a.name, b.name),
		)
	})
	if len(languages) == 0 {
		return unknownLanguage
	}
	return languages[0]
}

// headersOf gives the headers of C to the language that most likely includes
// them: the one that has more text besides.
func headersOf(sizes map[kind]int64, c kind, headers int64) {
	relative := kinds[".cpp"]
	if sizes[kinds[".m"]] > sizes[relative] {
		relative = kinds[".m"]
	}
	if headers > 0 && sizes[relative] > sizes[c]-headers {
		sizes[c] -= headers
		sizes[relative] += headers
	}
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

// managerOf returns the package manager that a manifest names. Without a name, a
// file of the package manager tells it.
func (e ecosystem) managerOf(names []string, manifests []manifest) string {
	for _, m := range manifests {
		if e.isManager(m.manager) {
			return m.manager
		}
	}
	for _, file := range e.managers {
		if slices.ContainsFunc(names, func(name string) bool { return matches(file.name, name) }) {
			return file.manager
		}
	}
	return ""
}

// isManager reports whether manager is one of the ecosystem: a manifest may
// name anything.
func (e ecosystem) isManager(manager string) bool {
	return slices.ContainsFunc(e.managers, func(f managerFile) bool { return f.manager == manager })
}
