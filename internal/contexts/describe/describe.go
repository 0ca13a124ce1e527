// Package describe describes a directory of a code repository: in a sentence, file
// by file, and by the names declared in its source text. It runs no code.
//
//	manifest → package docs → README → kinds of files   the summary: the first
//	  that describes the directory
//	docs of a file → docs of its main declaration → names   the purpose of a file
//	declarations                                            the exports
//
// The same files result in the same description on every machine, in time linear in
// their size. It leaves out files with broken syntax, while files it cannot read
// are errors. It should rather say nothing than guess; for example, a README only
// counts where it is about the project.
package describe

import (
	"io/fs"
	"math"
)

// Bounds on a description, so that a person can still read it.
const (
	maxSummary = 300 // characters
	maxPurpose = 160 // characters
	maxFiles   = 200 // read, and therefore listed
	maxExports = 200
	maxName    = 80 // characters of a declared name; longer names are left out
)

// A Description of a directory comes from its files. Each text is a line of valid
// UTF-8 without control characters.
type Description struct {
	Summary string          // at most 300 characters, never empty
	Files   []DescribedFile // files with a purpose, sorted by name; at most 200
	Exports []string
}

// A DescribedFile is a source file or a page of documentation.
type DescribedFile struct {
	Name     string
	Purpose  string // at most 160 characters, never empty
	TestFile string // the file next to it with its tests, or ""
}

// Directory describes the directory in fsys. names must list its regular
// files in order, without a .context.yaml. dir is its slash-separated path from the
// project's root, or "." for the root, whose manifests are left to [ProjectOf].
//
// It fails if a file cannot be read. However, it skips files that are gone.
func Directory(fsys fs.FS, dir string, names []string) (Description, error) {
	r := dirReader{fsys: fsys, names: names}
	sources := r.sources()
	exporting := sources
	if holdsTests(dir) {
		exporting = nil
	}
	described := Description{Files: r.files(sources), Exports: exportsOf(exporting, maxExports)}
	for _, say := range []func() string{
		func() string { return r.manifestSummary(dir) },
		func() string { return packageSummary(sources) },
		r.readmeSummary,
		func() string { return contents(dir, r.names, exportsOf(exporting, math.MaxInt)) },
	} {
		if described.Summary == "" {
			described.Summary = shorten(oneLine(attempt(say)), maxSummary)
		}
	}
	return described, r.err
}

// attempt returns what say returns, or nothing if say panics, as some parsers do.
func attempt[T any](say func() T) (said T) {
	defer func() { recover() }()
	return say()
}
