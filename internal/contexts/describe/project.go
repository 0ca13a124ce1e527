package describe

import (
	"cmp"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A ProjectProfile describes a project by the files in its root.
type ProjectProfile struct {
	Name           string // from a manifest, or ""
	Description    string // from a manifest, on one line as in a summary, or ""
	Language       string // "Unknown" if no file shows it
	Framework      string // "" if unknown
	PackageManager string // "" if unknown
}

// ProjectOf describes the project whose root fsys contains. names lists the files
// in the root. bytesByExtension must contain the size of all files of the project
// by their lower-case extensions (".go"). The language with the most bytes wins.
//
// A manifest for that language describes the project. Other manifests may describe
// only a part, such as a website. For this reason, they only count if their name is
// also in the first manifest or the title of the README. ProjectOf fails if a file
// cannot be read.
func ProjectOf(fsys fs.FS, names []string, bytesByExtension map[string]int64) (ProjectProfile, error) {
	r := dirReader{fsys: fsys, names: names}
	language := mainLanguage(bytesByExtension)
	p := ProjectProfile{Language: language.name, Framework: frameworkOf(names)}
	ordered := slices.Clone(ecosystems)
	slices.SortStableFunc(ordered, func(a, b ecosystem) int { return cmp.Compare(b.speaks(p.Language), a.speaks(p.Language)) })
	for _, e := range ordered {
		own := language.class > headers || e.speaks(p.Language) == 1
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

// speaks returns 1 if a language is of the ecosystem, otherwise 0.
func (e ecosystem) speaks(language string) int {
	if slices.Contains(e.languages, language) {
		return 1
	}
	return 0
}

// mainLanguage returns the kind with the most bytes, in the first class with any
// bytes.
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

// frameworkOf returns the framework whose own file is in the root. Dependencies
// don't count, since they may be for one part of many.
func frameworkOf(names []string) string {
	for _, f := range frameworks {
		if slices.ContainsFunc(names, func(name string) bool { return name == f.file || strings.HasPrefix(name, f.file+".") }) {
			return f.name
		}
	}
	return ""
}

// managerOf returns the package manager named in a manifest. Otherwise, it returns the
// package manager whose file exists.
func (r *dirReader) managerOf(e ecosystem, manifests []projectManifest) string {
	for _, m := range manifests {
		if m.manager != "" {
			return m.manager
		}
	}
	for _, file := range e.files {
		if r.has(file.name) {
			return file.manager
		}
	}
	return ""
}
