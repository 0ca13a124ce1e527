package sources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/ignore"
	"github.com/contextcompiler/context/internal/parallel"
)

// maxDepth is the greatest number of directories above a source.
const maxDepth = 250

// The ignore files. Ours counts only at the root; git's counts in every directory, if
// the filter asks for it.
const (
	contextIgnore = ".contextignore"
	gitIgnore     = ".gitignore"
	maxIgnoreSize = 1 << 20
)

// The errors of sources that a build can leave out.
var (
	ErrSharedID   = errors.New("sources share an ID, which is their path in lower case")
	ErrNoPath     = errors.New("sources have an ID, with a slash for a backslash, that is not a path")
	ErrTooDeep    = fmt.Errorf("lies more than %d directories deep", maxDepth)
	ErrTooLarge   = errors.New("is larger than")
	ErrUnreadable = errors.New("cannot be read")
)

// A Source is a page below a root, or one that a list names.
type Source struct {
	ID   document.ID
	Path string // with the prefix of the root and with slashes
	root *root  // that file is below; nil if a list names it
	file string // the file to read: that at Path, or the target of a symlink there, or that of the list
	line int    // of the list; 0 without one
}

// A SourceFilter leaves files out of the sources, in addition to .contextignore at the roots.
// The zero SourceFilter leaves out none.
type SourceFilter struct {
	Exclude   []string // patterns as in .gitignore, for paths of sources; they come after the ignore files
	Gitignore bool     // follow the .gitignore files of the tree
}

// A Discovery is the result of Discover.
type Discovery struct {
	Documents []Source  // sorted by ID
	Invalid   []string  // paths that are not UTF-8, sorted
	Warnings  []Warning // skipped files and the reasons, by path; then warnings without a path
}

// A Warning is about something that a build leaves out.
type Warning struct {
	Text string // for a person
	File string // that it is about, as a user may give it; "" for none

	Extensions string // that a build can take as well, such as MD,mdx; "" for none
}

// Discover lists the sources: the pages below the roots, in hidden directories too, .git
// excepted. A symlink to a file counts by its own name while its target lies below a
// root; symlinked directories are not entered.
//
// It fails with [fault.IO] if something cannot be read, and with
// [fault.CacheInvalid] if sources share an ID.
func Discover(ctx context.Context, roots Roots, filter SourceFilter, jobs int) (Discovery, error) {
	var found Discovery
	likely, unmatched := lookalikes{}, patternsOf(roots, filter)
	err := walk(ctx, enter(roots, filter, unmatched), jobs, func(dir subtree) (*visit, error) {
		v := &visit{roots: roots, filter: filter, dir: dir, likely: lookalikes{}, unmatched: unmatched}
		return v, v.visit()
	}, func(v *visit) {
		found.Documents = append(found.Documents, v.found.Documents...)
		found.Invalid = append(found.Invalid, v.found.Invalid...)
		found.Warnings = append(found.Warnings, v.found.Warnings...)
		likely.add(v.likely)
		unmatched.remove(v.matched)
	})
	if err != nil {
		return Discovery{}, err
	}
	slices.Sort(found.Invalid)
	slices.SortFunc(found.Warnings, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.File, b.File))
	})
	found.Warnings = slices.Concat(found.Warnings, likely.warnings(), unmatched.warnings())
	return found, found.finish()
}

// walk visits directories and those below, level by level, and hands the visits to use in
// the order of their directories.
func walk(ctx context.Context, level []subtree, jobs int, begin func(subtree) (*visit, error), use func(*visit)) error {
	for len(level) > 0 {
		visits, err := parallel.Each(ctx, jobs, len(level), func(_ context.Context, _, i int) (*visit, error) {
			return begin(level[i])
		})
		if err != nil {
			return err
		}
		level = nil
		for _, v := range visits {
			use(v)
			level = append(level, v.below...)
		}
	}
	return nil
}

// finish sorts the documents. It fails if their IDs are not those of a cache.
func (d Discovery) finish() error {
	slices.SortStableFunc(d.Documents, func(a, b Source) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path))
	})
	return cmp.Or(refuseNoPaths(d.Documents), refuseClashes(d.Documents))
}

// refuseNoPaths makes sure that the ID of each source is one of a path: a
// backslash in a name becomes a slash in the ID.
func refuseNoPaths(sources []Source) error {
	var wrong []string
	for _, s := range sources {
		if !s.ID.IsValid() {
			wrong = append(wrong, strconv.Quote(s.Path))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.Errorf(fault.CacheInvalid, "%w: %s", ErrNoPath, strings.Join(wrong, ", "))
}

// refuseClashes makes sure that no two sources, sorted by ID, share one.
func refuseClashes(sources []Source) error {
	var clashes []string
	for i := 1; i < len(sources); i++ {
		if a, b := sources[i-1], sources[i]; a.ID == b.ID {
			clashes = append(clashes, a.and(b))
		}
	}
	if len(clashes) == 0 {
		return nil
	}
	return fault.Errorf(fault.CacheInvalid,
		"%w: %s", ErrSharedID, strings.Join(clashes, "; "))
}

// and names two sources with one ID. Those of two roots may have one path.
func (s Source) and(other Source) string {
	if s.root == other.root && s.root != nil {
		return s.Path + " and " + other.Path
	}
	return s.place() + " and " + other.place()
}

// place returns where the source was found, as a path that a user may give, or its line.
func (s Source) place() string {
	if s.root == nil {
		return fmt.Sprintf("%s (line %d)", s.Path, s.line)
	}
	return s.root.shown(strings.TrimPrefix(s.Path, s.root.mount.Prefix+"/"))
}

// File returns the path of the file to read, as a user may give it.
func (s Source) File() string {
	if s.root == nil {
		return s.file
	}
	return s.root.shown(s.file)
}

// IsMountedAsMDX reports whether the mount of the source says that its pages are MDX.
func (s Source) IsMountedAsMDX() bool { return s.root != nil && s.root.mount.MDX }

// enter returns the roots that patterns do not leave out by their prefix.
func enter(roots Roots, filter SourceFilter, unmatched unmatchedPatterns) (all []subtree) {
	excluded := filter.exclude(ignore.Rules{})
	for _, r := range roots {
		if !leavesOut(excluded, r.mount.Prefix, true, unmatched) {
			all = append(all, subtree{root: r, path: ".", depth: strings.Count(r.sourcePath("x"), "/")})
		}
	}
	return all
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

// exclude returns the rules and then those of the filter.
func (f SourceFilter) exclude(rules ignore.Rules) ignore.Rules {
	return rules.With(".", []byte(strings.Join(f.Exclude, "\n")))
}

// A subtree is a directory to visit, with those below it.
type subtree struct {
	root  *root
	path  string       // below the root
	depth int          // of its source path: 0 for a root without a prefix
	rules ignore.Rules // of the directories that it is in
}

// name returns the directory's path among the sources.
func (t subtree) name() string { return t.root.sourcePath(t.path) }

// A visit collects the contents of one directory.
type visit struct {
	roots  Roots
	filter SourceFilter
	dir    subtree
	found  Discovery
	below  []subtree // in the order of their names

	likely    lookalikes
	unmatched unmatchedPatterns // by the levels above
	matched   []scopedPattern   // those among these that match something here
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
	return err
}

// list returns the entries in the order of their names, so that of several
// errors the same one comes first everywhere.
func (v *visit) list() ([]fs.DirEntry, error) {
	refused := func(err error) error {
		return fault.Errorf(fault.IO, "directory %s %w: %w", v.dir.name(), ErrUnreadable, fault.Cause(err))
	}
	f, err := v.dir.root.dir.Open(v.dir.path)
	if err != nil {
		return nil, refused(err)
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, refused(err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// rulesIn returns the rules that hold from the directory on.
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
		v.warn(below, "not a regular file, so it is left out")
		return nil
	}
	v.add(name, v.dir.root, below)
	return nil
}

const linkedDirectory = "symlink to a directory, which is not entered"

// symlink adds the symlink at a path below the root if it is one of the sources.
func (v *visit) symlink(name, below string) error {
	target, err := v.roots.follow(v.dir.root, below)
	switch isPage := v.dir.root.scope.takes(name); {
	case err != nil && isPage:
		return fault.Errorf(fault.IO, "symlink %s %w: %w", name, ErrUnreadable, fault.Cause(err))
	case err != nil: // no source, but maybe a directory
		v.warn(below, fmt.Sprintf("symlink that cannot be followed (%v), so it is left out", fault.Cause(err)))
	case target.found == nil && isPage:
		v.warn(below, "symlink that leads nowhere, so it is left out")
	case target.found == nil:
	case target.root == nil && isPage:
		v.warn(below, "symlink that leads out of the sources, so it is left out")
	case target.found.IsDir():
		v.warn(below, linkedDirectory)
	case !isPage:
	case !target.found.Mode().IsRegular():
		v.warn(below, "symlink to something that is not a regular file, so it is left out")
	default:
		v.add(name, target.root, target.path)
	}
	return nil
}

// add adds the source at a path. Its file is below a root.
func (v *visit) add(name string, root *root, file string) {
	if !utf8.ValidString(name) {
		v.found.Invalid = append(v.found.Invalid, name)
		return
	}
	v.found.Documents = append(v.found.Documents, Source{ID: document.IDOf(name), Path: name, root: root, file: file})
}

// warn warns of the file at a path below the root.
func (v *visit) warn(below, what string) {
	root := v.dir.root
	v.found.Warnings = append(v.found.Warnings, Warning{Text: root.sourcePath(below) + ": " + what, File: root.shown(below)})
}
