package stages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// MaxDepth is the greatest number of directories above a source.
const MaxDepth = 250

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
	ErrTooDeep    = fmt.Errorf("lies more than %d directories deep", MaxDepth)
	ErrTooLarge   = errors.New("is larger than")
	ErrUnreadable = errors.New("cannot be read")
)

// A Source is a Markdown file below the root.
type Source struct {
	ID   document.ID
	Path string // below the root, with slashes
	file string // the file to read: Path, or the target of a symlink there
}

// A SourceFilter leaves files out of the sources, in addition to .contextignore at the root.
// The zero SourceFilter leaves out none.
type SourceFilter struct {
	Exclude   []string // patterns as in .gitignore; they come after the ignore files
	Gitignore bool     // follow the .gitignore files of the tree
}

// Sources is the result of Discover.
type Sources struct {
	Documents []Source // sorted by ID
	Invalid   []string // paths that are not UTF-8, sorted
	Warnings  []string // skipped files and the reasons, by path; then warnings without a path
}

// Discover lists the sources: the regular files named *.md below the root,
// hidden ones too, .git excepted. A symlink to such a file counts while its
// target lies below the root; symlinked directories are not entered.
//
// It fails with [fault.IO] if something cannot be read, and with
// [fault.CacheInvalid] if sources share an ID.
func Discover(ctx context.Context, root *Root, filter SourceFilter, jobs int) (Sources, error) {
	var found Sources
	likely, unmatched := lookalikes{}, patternsOf(filter)
	for level := []directory{{path: "."}}; len(level) > 0; {
		visits, err := parallel.Each(ctx, jobs, len(level), func(_ context.Context, _, i int) (*visit, error) {
			v := &visit{root: root, filter: filter, dir: level[i], likely: lookalikes{}, unmatched: unmatched}
			return v, v.visit()
		})
		if err != nil {
			return Sources{}, err
		}
		level = nil
		for _, v := range visits {
			found.Documents = append(found.Documents, v.found.Documents...)
			found.Invalid = append(found.Invalid, v.found.Invalid...)
			found.Warnings = append(found.Warnings, v.found.Warnings...)
			likely.add(v.likely)
			unmatched.remove(v.matched)
			level = append(level, v.below...)
		}
	}
	slices.SortFunc(found.Documents, func(a, b Source) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path))
	})
	slices.Sort(found.Invalid)
	slices.Sort(found.Warnings)
	found.Warnings = slices.Concat(found.Warnings, likely.warnings(), unmatched.warnings())
	return found, cmp.Or(refuseNoPaths(found.Documents), refuseClashes(found.Documents))
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
			clashes = append(clashes, fmt.Sprintf("%s and %s", a.Path, b.Path))
		}
	}
	if len(clashes) == 0 {
		return nil
	}
	return fault.Errorf(fault.CacheInvalid,
		"%w: %s", ErrSharedID, strings.Join(clashes, "; "))
}

// A directory is a directory to visit.
type directory struct {
	path  string
	depth int          // how many levels deep it lies
	rules ignore.Rules // of the directories that it is in
}

// A visit collects the contents of one directory.
type visit struct {
	root   *Root
	filter SourceFilter
	dir    directory
	found  Sources
	below  []directory // in the order of their names

	likely    lookalikes
	unmatched unmatched // by the levels above
	matched   []string  // the patterns among these that match something here
}

func (v *visit) visit() error {
	if v.dir.depth > MaxDepth {
		return fault.Errorf(fault.IO, "%s %w", v.dir.path, ErrTooDeep)
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
		if err := v.entry(path.Join(v.dir.path, e.Name()), e, rules); err != nil {
			return err
		}
	}
	return nil
}

// list returns the entries in the order of their names, so that of several
// errors the same one comes first everywhere.
func (v *visit) list() ([]fs.DirEntry, error) {
	refused := func(err error) error {
		return fault.Errorf(fault.IO, "directory %s %w: %w", v.dir.path, ErrUnreadable, fault.Cause(err))
	}
	f, err := v.root.dir.Open(v.dir.path)
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
	return rules.With(".", []byte(strings.Join(v.filter.Exclude, "\n"))), err
}

func (v *visit) withFile(rules ignore.Rules, name string) (ignore.Rules, error) {
	text, err := readFile(v.root, path.Join(v.dir.path, name), maxIgnoreSize)
	if err != nil {
		return rules, err
	}
	return rules.With(v.dir.path, text), nil
}

func (v *visit) entry(path string, e fs.DirEntry, rules ignore.Rules) error {
	v.matched = append(v.matched, v.unmatched.matching(path, e.IsDir())...)
	switch {
	case e.IsDir():
		if e.Name() != ".git" && !rules.Match(path, true) {
			v.below = append(v.below, directory{path, v.dir.depth + 1, rules})
		}
		return nil
	case rules.Match(path, false):
		return nil
	case e.Type() == fs.ModeSymlink:
		return v.symlink(path)
	case !isMarkdown(path):
		v.likely.see(path, e.Type())
		return nil
	case !e.Type().IsRegular():
		v.warn(path, "not a regular file, so it is left out")
		return nil
	}
	v.add(path, path)
	return nil
}

// isMarkdown reports whether the path's last element is NAME.md with a NAME that is not
// empty.
func isMarkdown(p string) bool {
	return strings.HasSuffix(p, ".md") && path.Base(p) != ".md"
}

const linkedDirectory = "symlink to a directory, which is not entered"

// symlink adds the symlink at path if it is one of the sources.
func (v *visit) symlink(path string) error {
	target, err := v.root.follow(path)
	switch markdown := isMarkdown(path); {
	case err != nil && markdown:
		return fault.Errorf(fault.IO, "symlink %s %w: %w", path, ErrUnreadable, fault.Cause(err))
	case err != nil: // no source, but maybe a directory
		v.warn(path, fmt.Sprintf("symlink that cannot be followed (%v), so it is left out", fault.Cause(err)))
	case target.found == nil && markdown:
		v.warn(path, "symlink that leads nowhere, so it is left out")
	case target.found == nil:
	case !target.isInside && markdown:
		v.warn(path, "symlink that leads out of the sources, so it is left out")
	case target.found.IsDir():
		v.warn(path, linkedDirectory)
	case !markdown:
	case !target.found.Mode().IsRegular():
		v.warn(path, "symlink to something that is not a regular file, so it is left out")
	default:
		v.add(path, target.path)
	}
	return nil
}

func (v *visit) add(path, file string) {
	if !utf8.ValidString(path) {
		v.found.Invalid = append(v.found.Invalid, path)
		return
	}
	v.found.Documents = append(v.found.Documents, Source{document.IDOf(path), path, file})
}

func (v *visit) warn(path, what string) {
	v.found.Warnings = append(v.found.Warnings, path+": "+what)
}
