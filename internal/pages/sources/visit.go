package sources

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/ignore"
)

// The ignore files. Ours only applies at the root. Git's applies in every directory from the top of
// the working tree down, but only with SourceFilter.Gitignore.
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
	rules ignore.Rules // of the root and of the filter

	// gitRules are those of git's ignore files above the directory, for paths in the working tree.
	// They only decide about files that no rule mentions.
	gitRules ignore.Rules
}

func (t subtree) name() string { return t.root.sourcePath(t.path) }

// leavesOut reports whether the rules leave out the entry at a path below the root. If they don't
// decide, git's rules do.
func (t subtree) leavesOut(below string, isDir bool) bool {
	leftOut, isDecided := t.rules.Decide(t.root.sourcePath(below), isDir)
	return leftOut || !isDecided && t.gitRules.Match(t.root.gitPath(below), isDir)
}

// A visit collects the contents of one directory.
type visit struct {
	roots     Roots
	filter    SourceFilter
	isLenient bool // after an error, the rest of the directory is missing
	dir       subtree
	found     Discovery
	below     []subtree // in the order of their names

	gitFiles []string // absolute paths of files in a nested repository that decide, too

	goParts  []Source // files of the Go package in the directory
	likely   []string // extensions of files that look like documentation but are not sources
	patterns scopedPatterns
}

func (v *visit) visit() error {
	if v.dir.depth > maxDepth {
		return fault.Errorf(fault.IO, "%s %w", v.dir.name(), ErrTooDeep)
	}
	entries, err := v.list()
	if err != nil {
		return err
	}
	if err := v.readRules(entries); err != nil {
		return err
	}
	for _, e := range entries {
		err = cmp.Or(err, v.entry(path.Join(v.dir.path, e.Name()), e))
	}
	if len(v.goParts) > 0 {
		v.addGoPackage()
	}
	return err
}

// list returns the entries sorted by name. Otherwise, a directory with several errors
// could report a different one on each file system.
func (v *visit) list() ([]fs.DirEntry, error) {
	entries, err := files.ReadDir(v.dir.root.dir, v.dir.path)
	if v.dir.path != "." && errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it was listed a moment ago, for example in a cache that another build replaces
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "directory %s %w: %w", v.dir.name(), ErrUnreadable, fault.Cause(err))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// readRules adds the rules of the ignore files in the directory.
func (v *visit) readRules(entries []fs.DirEntry) (err error) {
	dir := &v.dir
	find := func(name string) fs.DirEntry {
		i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
		if i < 0 {
			return nil
		}
		return entries[i]
	}
	if v.followsGit() {
		if dir.path != "." && find(gitDirectory) != nil {
			err = v.enterRepository()
		}
		switch e := find(gitIgnore); {
		case e == nil || e.IsDir() || err != nil:
		case e.Type() == fs.ModeSymlink:
			v.warn(path.Join(dir.path, gitIgnore), "git doesn't follow a symlink here, so its patterns don't count")
		default:
			var text []byte
			text, err = v.readIgnore(gitIgnore)
			dir.gitRules = dir.gitRules.With(dir.root.gitPath(dir.path), text)
		}
	}
	if dir.path != "." || err != nil {
		return err
	}
	if e := find(contextIgnore); e != nil && !e.IsDir() {
		var text []byte
		text, err = v.readIgnore(contextIgnore)
		dir.rules = dir.rules.With(dir.name(), text)
	}
	dir.rules = v.filter.exclude(dir.root.rules(dir.rules, dir.root.mount.Exclude...))
	return err
}

func (v *visit) followsGit() bool { return v.filter.Gitignore && !v.dir.root.mount.isLocated }

// enterRepository forgets the rules of git's ignore files above the directory if another working
// tree begins there.
func (v *visit) enterRepository() error {
	exclude, isTop, err := gitExcludeIn(v.dir.root.at(v.dir.path))
	if err != nil || !isTop {
		return err
	}
	v.gitFiles = append(v.gitFiles, exclude)
	text, err := readOutside(exclude)
	v.dir.gitRules = ignore.Rules{}.With(v.dir.root.gitPath(v.dir.path), text)
	return err
}

func (v *visit) readIgnore(name string) ([]byte, error) {
	return readFile(v.dir.root, path.Join(v.dir.path, name), maxIgnoreSize)
}

func (v *visit) entry(below string, e fs.DirEntry) error {
	name := v.dir.root.sourcePath(below)
	v.patterns.see(name, e.IsDir())
	switch {
	case e.IsDir():
		if v.dir.root.scope.enters(name) && !v.dir.leavesOut(below, true) {
			v.below = append(v.below, subtree{v.dir.root, below, v.dir.depth + 1, v.dir.rules, v.dir.gitRules})
		}
		return nil
	case v.dir.leavesOut(below, false):
		return nil
	case e.Type() == fs.ModeSymlink:
		return v.symlink(name, below)
	case !v.dir.root.scope.takes(name):
		if e.Type().IsRegular() && isLookalike(name) && v.dir.root.scope.lacks(name) {
			v.likely = append(v.likely, path.Ext(name))
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
	found, root, target, err := v.roots.follow(v.dir.root, below)
	isPage := v.dir.root.scope.takes(name)
	problem := ""
	switch {
	case err != nil && isPage:
		return fault.Errorf(fault.IO, "symlink %s %w: %w", name, ErrUnreadable, fault.Cause(err))
	case err != nil: // not a page, but it could be a directory
		problem = fmt.Sprintf("symlink that cannot be followed (%v)", fault.Cause(err))
	case !isPage && (found == nil || !found.IsDir()):
		return nil
	case found == nil:
		problem = "broken symlink"
	case root == nil && isPage:
		problem = "symlink that leads out of the sources"
	case found.IsDir():
		problem = "symlink to a directory"
	case !found.Mode().IsRegular():
		problem = "symlink to something that is not a regular file"
	default:
		v.add(Source{Path: name, root: root, other: &otherSource{file: target}})
		return nil
	}
	v.warn(below, problem+", so it is skipped")
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
func (v *visit) addGoPackage() {
	found := v.dir.root.goPackage(v.dir.path, v.goParts)
	v.patterns.see(found.Path, false)
	if !v.dir.leavesOut(path.Join(v.dir.path, path.Base(found.Path)), false) {
		v.found.Documents = append(v.found.Documents, found)
	}
}

func (v *visit) warn(below, what string) {
	root := v.dir.root
	v.found.Warnings = append(v.found.Warnings, Warning{Text: root.sourcePath(below) + ": " + what, File: root.shown(below)})
}
