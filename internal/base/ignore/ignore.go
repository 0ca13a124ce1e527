// Package ignore decides which paths of a tree are left out, by rules like in a .gitignore file.
//
// If a walker passes the rules down, it leaves out exactly the same paths as git. '?' matches a
// byte, not a character. Case matters on every platform (git's core.ignoreCase=false). A malformed
// rule matches nothing, without a warning.
//
//	root: Rules{} ── With(".", text) ──> rules ── Match ──> files of the root
//	                                       └── With("docs", text) ──> rules below docs
//
// Rules are immutable values, so a directory can pass its rules to all its subdirectories at the
// same time.
//
// The matcher is our own because all libraries differ from git. The best, go-git's, decides
// 38 of the 101 cases in testdata differently, and no change of its input corrects how it
// treats "**", bytes and directories.
package ignore

import "strings"

// Rules decide which paths of a tree are left out. The zero value leaves nothing out. Rules
// are immutable and safe for concurrent use, and equal Rules make the same decisions.
type Rules struct {
	// Directories share the common part of the list, so no rule is copied in deep or wide trees.
	last *ruleFile
}

// A ruleFile contains the rules of an ignore file.
type ruleFile struct {
	below string    // its directory, ending in a slash; "" for the root
	rules []rule    // in the order of the file
	outer *ruleFile // the file overridden by this file, or nil
}

// With returns the rules followed by the rules of an ignore file in the directory dir. Later rules
// win. dir is a slash path below the root, or "." for the root itself. Rules match only paths below
// their directory.
func (r Rules) With(dir string, text []byte) Rules {
	rules := parse(string(text))
	if len(rules) == 0 {
		return r
	}
	below := ""
	if dir != "." {
		below = dir + "/"
	}
	return Rules{&ruleFile{below, rules, r.last}}
}

// Match reports whether the rules leave out path, a slash path below the root. The root
// itself, ".", is never left out.
//
// Match considers only path itself, not the directories above it, because a walker doesn't enter
// ignored directories.
func (r Rules) Match(path string, isDir bool) bool {
	leftOut, _ := r.Decide(path, isDir)
	return leftOut
}

// Decide is [Match], and reports whether any rule matches path at all. Without such a rule,
// other rules can decide.
func (r Rules) Decide(path string, isDir bool) (leftOut, isDecided bool) {
	if path == "." {
		return false, false
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	for f := r.last; f != nil; f = f.outer {
		inside, ok := strings.CutPrefix(path, f.below)
		if !ok {
			continue
		}
		for i := len(f.rules) - 1; i >= 0; i-- {
			if f.rules[i].matches(inside, name, isDir) {
				return !f.rules[i].keeps, true
			}
		}
	}
	return false, false
}

// Covers reports whether the last rule to match path, or any directory above it, leaves it out. So
// a list of rules can select files: guide/ followed by !guide/drafts/ covers all files below guide
// except the drafts.
func (r Rules) Covers(path string) bool {
	for f := r.last; f != nil; f = f.outer {
		inside, ok := strings.CutPrefix(path, f.below)
		if !ok {
			continue
		}
		for i := len(f.rules) - 1; i >= 0; i-- {
			if f.rules[i].matchesOn(inside) {
				return !f.rules[i].keeps
			}
		}
	}
	return false
}
