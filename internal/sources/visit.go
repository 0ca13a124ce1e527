package sources

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/ignore"
)

// The ignore files. Ours only applies at the root. Git's applies in every directory, but
// only with SourceFilter.Gitignore.
const (
	contextIgnore = ".contextignore"
	gitIgnore     = ".gitignore"
	maxIgnoreSize = 1 << 20
)

// A subtree is a directory to visit, together with the directories below it.
type subtree struct {
	root  *root
	path  string       // below the root
	depth int          // of its path among the sources: 0 for a root without a prefix
	rules ignore.Rules // of the directories above it
}

func (t subtree) name() string { return t.root.sourcePath(t.path) }

// A visit collects the contents of one directory.
type visit struct {
	roots  Roots
	filter SourceFilter
	dir    subtree
	found  Discovery
	below  []subtree // in the order of their names

	goParts []Source // files of the Go package in the directory

	likely    lookalikes
	unmatched unmatchedPatterns // by the levels above; shared with other visits
	matched   []scopedPattern   // the ones that match something here
}

func (v *visit) visit() error {
	if v.dir.depth > maxDepth {
		return fault.Errorf(fault.IO, "%s %w", v.dir.name(), ErrTooDeep)
	}
	entries, err := v.list()
	if err != nil {
		return err
	}
	rules, err := v.rulesIn(entries)
	if err != nil {
		return err
	}
	for _, e := range entries {
		err = cmp.Or(err, v.entry(path.Join(v.dir.path, e.Name()), e, rules))
	}
	if len(v.goParts) > 0 {
		v.addGoPackage(rules)
	}
	return err
}

// list returns the entries sorted by name. Otherwise, a directory with several errors
// could report a different one on each file system.
func (v *visit) list() ([]fs.DirEntry, error) {
	entries, err := files.ReadDir(v.dir.root.dir, v.dir.path)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "directory %s %w: %w", v.dir.name(), ErrUnreadable, fault.Cause(err))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// rulesIn returns the rules that apply in the directory and below it.
func (v *visit) rulesIn(entries []fs.DirEntry) (rules ignore.Rules, err error) {
	rules = v.dir.rules
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && !e.IsDir() })
	}
	if v.filter.Gitignore && has(gitIgnore) {
		rules, err = v.withFile(rules, gitIgnore)
	}
	if v.dir.path != "." || err != nil {
		return rules, err
	}
	if has(contextIgnore) {
		rules, err = v.withFile(rules, contextIgnore)
	}
	rules = v.dir.root.rules(rules, v.dir.root.mount.Exclude...)
	return v.filter.exclude(rules), err
}

func (v *visit) withFile(rules ignore.Rules, name string) (ignore.Rules, error) {
	text, err := readFile(v.dir.root, path.Join(v.dir.path, name), maxIgnoreSize)
	if err != nil {
		return rules, err
	}
	return rules.With(v.dir.name(), text), nil
}

func (v *visit) entry(below string, e fs.DirEntry, rules ignore.Rules) error {
	name := v.dir.root.sourcePath(below)
	v.matched = append(v.matched, v.unmatched.matching(name, e.IsDir())...)
	switch {
	case e.IsDir():
		if v.dir.root.scope.enters(name) && !rules.Match(name, true) {
			v.below = append(v.below, subtree{v.dir.root, below, v.dir.depth + 1, rules})
		}
		return nil
	case rules.Match(name, false):
		return nil
	case e.Type() == fs.ModeSymlink:
		return v.symlink(name, below)
	case !v.dir.root.scope.takes(name):
		if v.dir.root.scope.lacks(name) {
			v.likely.see(name, e.Type())
		}
		return nil
	case !e.Type().IsRegular():
		v.warn(below, "not a regular file, so it is skipped")
		return nil
	}
	v.add(Source{Path: name, root: v.dir.root})
	return nil
}

// symlink adds the symlink at a path below the root if it is a source.
func (v *visit) symlink(name, below string) error {
	target, err := v.roots.follow(v.dir.root, below)
	switch isPage := v.dir.root.scope.takes(name); {
	case err != nil && isPage:
		return fault.Errorf(fault.IO, "symlink %s %w: %w", name, ErrUnreadable, fault.Cause(err))
	case err != nil: // not a page, but it could be a directory
		v.warn(below, fmt.Sprintf("symlink that cannot be followed (%v), so it is skipped", fault.Cause(err)))
	case target.found == nil && isPage:
		v.warn(below, "broken symlink, so it is skipped")
	case target.found == nil:
	case target.root == nil && isPage:
		v.warn(below, "symlink that leads out of the sources, so it is skipped")
	case target.found.IsDir():
		v.warn(below, "symlink to a directory, so it is skipped")
	case !isPage:
	case !target.found.Mode().IsRegular():
		v.warn(below, "symlink to something that is not a regular file, so it is skipped")
	default:
		v.add(Source{Path: name, root: target.root, other: &otherSource{file: target.path}})
	}
	return nil
}

func (v *visit) add(found Source) {
	name := found.Path
	if !utf8.ValidString(name) {
		v.found.Invalid = append(v.found.Invalid, name)
		return
	}
	found.ID = document.IDOf(name)
	if path.Ext(name) != goExtension {
		v.found.Documents = append(v.found.Documents, found)
	} else if isGoPart(path.Join(v.dir.path, path.Base(name))) {
		v.goParts = append(v.goParts, found)
	}
}

// addGoPackage adds the page of the Go files in the directory, unless patterns exclude the page.
func (v *visit) addGoPackage(rules ignore.Rules) {
	found := v.dir.root.goPackage(v.dir.path, v.goParts)
	v.matched = append(v.matched, v.unmatched.matching(found.Path, false)...)
	if !rules.Match(found.Path, false) {
		v.found.Documents = append(v.found.Documents, found)
	}
}

func (v *visit) warn(below, what string) {
	root := v.dir.root
	v.found.Warnings = append(v.found.Warnings, Warning{Text: root.sourcePath(below) + ": " + what, File: root.shown(below)})
}
