package sources

import (
	"iter"
	"strings"

	"github.com/contextcompiler/context/internal/ignore"
)

// A SourceFilter leaves files out of the sources, in addition to .contextignore at the roots.
// The zero SourceFilter leaves out none.
type SourceFilter struct {
	Exclude   []string // patterns as in .gitignore, for paths of sources; they come after the ignore files
	Gitignore bool     // follow the .gitignore files of the tree
}

// exclude returns the rules and then those of the filter.
func (f SourceFilter) exclude(rules ignore.Rules) ignore.Rules {
	return rules.With(".", []byte(strings.Join(f.Exclude, "\n")))
}

// leavesOut reports whether rules leave out a path or a directory on the way to it. It
// removes from unmatched what matches, as far as a walk would come.
func leavesOut(rules ignore.Rules, path string, isDir bool, unmatched unmatchedPatterns) bool {
	for name := range elements(path) {
		isDir := isDir || name != path
		unmatched.remove(unmatched.matching(name, isDir))
		if rules.Match(name, isDir) {
			return true
		}
	}
	return false
}

// elements yields the directories that lead to a path, from the outermost, and the path.
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
