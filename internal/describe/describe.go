// Package describe says in a sentence or two what a directory of a code
// repository holds, from the text that lies there: a README, the documentation
// of a package, a manifest, or else the kinds of its files.
//
// It promises an answer: a file that cannot be read or parsed is passed over.
// The same files give the same answer on every machine. It does not promise
// that the answer is good: what a README says first is what is repeated here.
//
//	README → package docs → manifest → kinds of files
//	   the first that says something describes the directory
package describe

import "io/fs"

// maxSummary is the most characters of a summary.
const maxSummary = 300

// A source is where a description may come from. It returns "" if there is
// nothing to say.
type source func(fsys fs.FS, names []string) string

// Summary describes the directory that fsys holds from its own files, of which
// names lists the regular ones in order. dir is its slash-separated path from
// the project's root, "." for the root. The summary is one line of valid UTF-8
// without control characters, of at most 300 characters and never empty.
func Summary(fsys fs.FS, dir string, names []string) string {
	for _, say := range []source{readmeSummary, packageSummary, manifestSummary} {
		if s := attempt(say, fsys, names); s != "" {
			return s
		}
	}
	return shorten(oneLine(contents(dir, names)), maxSummary)
}

// attempt is one line of what say returns. A parser that panics says nothing.
func attempt(say source, fsys fs.FS, names []string) (s string) {
	defer func() {
		if recover() != nil {
			s = ""
		}
	}()
	return shorten(oneLine(say(fsys, names)), maxSummary)
}
