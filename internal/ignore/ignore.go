// Package ignore decides which paths of a tree are left out, by rules written
// as in a .gitignore file.
//
// The promise: a walker that hands rules down leaves out exactly what git
// would. That holds to the byte: '?' stands for one byte, not one character,
// names are compared with regard to case (git's core.ignoreCase=false, on any
// platform), and a malformed rule matches nothing, without a word.
//
//	root: Rules{} ── With(".", text) ──> rules ── Match ──> files of the root
//	                                       └── With("docs", text) ──> rules below docs
//
// Rules are a value that never changes, so a directory's rules may be handed
// to all its subdirectories at once.
//
// The matcher is our own because the libraries are not git: the best of them,
// go-git's, decides 38 of the 101 cases in testdata otherwise, and no
// rewriting of its input mends how it treats "**", bytes and directories.
package ignore

import "strings"

// Rules decide which paths of a tree are left out. The zero value leaves
// nothing out. Rules are immutable and safe for concurrent use; equal Rules
// decide alike.
type Rules struct {
	// The files form a list that directories share up to the point where they
	// part, so that a deep or wide tree copies no rule.
	last *file
}

// A file is what one ignore file says, and the file whose rules it overrules.
type file struct {
	below string // the directory it is in, with a final slash; "" for the root
	rules []rule // as they stand in the file
	outer *file  // nil if there is none
}

// With returns the rules and, after them, those that text, an ignore file in
// the directory dir, holds. Later rules win. dir is a slash path below the
// root, or "." for the root itself; rules say nothing about paths that are
// not below their directory.
func (r Rules) With(dir string, text []byte) Rules {
	rules := parse(string(text))
	if len(rules) == 0 {
		return r
	}
	below := ""
	if dir != "." {
		below = dir + "/"
	}
	return Rules{&file{below, rules, r.last}}
}

// Match reports whether the rules leave out path, a slash path below the
// root. The root itself, ".", is never left out.
//
// Match looks at path alone, not at the directories that hold it: a walker
// does not enter a directory that is left out, and so nothing in there can be
// kept after all.
func (r Rules) Match(path string, isDir bool) bool {
	if path == "." {
		return false
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	for f := r.last; f != nil; f = f.outer {
		inside, ok := strings.CutPrefix(path, f.below)
		if !ok {
			continue
		}
		for i := len(f.rules) - 1; i >= 0; i-- {
			if f.rules[i].matches(inside, name, isDir) {
				return !f.rules[i].keeps
			}
		}
	}
	return false
}
