package sources

import (
	"iter"
	"strings"

	"github.com/contextcompiler/context/internal/base/ignore"
)

// A SourceFilter leaves files out of the sources. It adds to the .contextignore files at
// the roots. The zero SourceFilter leaves out nothing.
type SourceFilter struct {
	Exclude   []string // patterns as in .gitignore, for paths of sources; they apply after the ignore files
	Gitignore bool     // leave out what git ignores, from the top of the working tree down
}

func (f SourceFilter) exclude(rules ignore.Rules) ignore.Rules {
	return rules.With(".", []byte(strings.Join(f.Exclude, "\n")))
}

// leavesOut reports whether the rules exclude a path or a directory on the way to it. It
// stops at the first match, as a walk would, and lets the patterns see what it reads by then.
func leavesOut(rules ignore.Rules, path string, isDir bool, patterns scopedPatterns) bool {
	for name := range elements(path) {
		isDir := isDir || name != path
		patterns.see(name, isDir)
		if rules.Match(name, isDir) {
			return true
		}
	}
	return false
}

// elements yields the directories above a path, outermost first, and then the path
// itself.
func elements(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if path[i] == '/' && !yield(path[:i]) {
				return
			}
		}
		if path != "" {
			yield(path)
		}
	}
}
