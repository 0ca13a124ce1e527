package describe

import (
	"cmp"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A Project is what the files in its root say of it.
type Project struct {
	Name           string // "" if no file says it: the caller then takes the directory's
	Description    string // one line, as of Summary; "" if no file says it
	Language       string // "Unknown" if no file tells
	Framework      string // "" if none is known
	PackageManager string // "" if none is known
}

// ProjectOf describes the project in whose root fsys has the files that names
// lists. bytesByExtension has the size of all files of the project by their
// lower-case extensions (".go"): the language is the one with the most bytes.
//
// A manifest of that language is heard first, then other manifests, then the
// README.
func ProjectOf(fsys fs.FS, names []string, bytesByExtension map[string]int64) Project {
	p := Project{Language: languageOf(bytesByExtension)}
	for _, e := range ecosystemsFor(p.Language) {
		manifests := e.read(fsys, names)
		for _, m := range manifests {
			p.Name = cmp.Or(p.Name, m.name)
			p.Description = cmp.Or(p.Description, m.description)
			p.Framework = cmp.Or(p.Framework, e.frameworkOf(m.dependencies))
		}
		p.PackageManager = cmp.Or(p.PackageManager, e.managerOf(names, manifests))
	}
	prose, title := readmeOf(fsys, names)
	p.Name = shorten(cmp.Or(p.Name, title), maxName)
	p.Description = shorten(cmp.Or(p.Description, prose), maxSummary)
	return p
}

// maxName is the most characters of a project's name.
const maxName = 80

// readmeOf returns the first paragraph and the first heading that any README
// has.
func readmeOf(fsys fs.FS, names []string) (prose, title string) {
	for _, name := range readmes(names) {
		p, t := attemptIntroduction(fsys, name)
		prose, title = cmp.Or(prose, p), cmp.Or(title, t)
	}
	return prose, title
}

// attemptIntroduction is introduction, of which a panic says nothing.
func attemptIntroduction(fsys fs.FS, name string) (prose, title string) {
	defer func() {
		if recover() != nil {
			prose, title = "", ""
		}
	}()
	prose, title = introduction(fsys, name)
	return oneLine(prose), oneLine(title)
}

// unknownLanguage is the language of a project without text in any known one.
const unknownLanguage = "Unknown"

// languageOf returns the language with the most bytes: a programming language
// if there is one, else one of markup, else one of data.
func languageOf(bytesByExtension map[string]int64) string {
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
	return languages[0].name
}

// headersOf gives the headers of C to the language that includes them most
// likely: to the one of which there is more besides.
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

// frameworkOf returns the first framework that is among the dependencies.
func (e ecosystem) frameworkOf(dependencies []string) string {
	for _, f := range e.frameworks {
		if slices.ContainsFunc(dependencies, f.isDependency) {
			return f.name
		}
	}
	return ""
}

func (f framework) isDependency(name string) bool {
	if strings.HasSuffix(f.dependency, "/") || strings.HasSuffix(f.dependency, "-") {
		return strings.HasPrefix(name, f.dependency)
	}
	return name == f.dependency
}

// managerOf returns the package manager that a manifest names, or else the one
// whose file is there.
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
