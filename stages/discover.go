package stages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/ignore"
)

// MaxDepth is how many directories deep a source may lie.
const MaxDepth = 250

// The ignore files: ours counts at the root alone, git's, if asked for, in
// every directory.
const (
	contextIgnore = ".contextignore"
	gitIgnore     = ".gitignore"
	maxIgnoreSize = 1 << 20
)

// A Source is a Markdown file as it was found.
type Source struct {
	ID   document.ID
	Path string // below the root, with slashes
	file string // what to read: Path, or where the symlink there leads
}

// A Filter says which files are none of the sources, besides those that
// .contextignore at the root names. The zero Filter leaves nothing out.
type Filter struct {
	Exclude   []string // patterns as in .gitignore, after those of the files
	Gitignore bool     // follow the .gitignore files of the tree
}

// Sources is what Discover found.
type Sources struct {
	Documents []Source // sorted by ID
	Invalid   []string // paths that are not UTF-8, sorted
	Warnings  []string // what was passed over and why, sorted by path
}

// Discover lists the sources: the regular files named *.md below the root,
// hidden ones too, .git excepted. A symlink to such a file counts while its
// target lies below the root; symlinked directories are not entered.
//
// It fails with [fault.IO] if something cannot be read, and with
// [fault.CacheInvalid] if sources share an ID.
func Discover(ctx context.Context, root *Root, filter Filter) (Sources, error) {
	w := walk{ctx: ctx, root: root, filter: filter}
	if err := w.directory(".", ignore.Rules{}, 0); err != nil {
		return Sources{}, err
	}
	slices.SortFunc(w.found.Documents, func(a, b Source) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path))
	})
	slices.Sort(w.found.Invalid)
	slices.Sort(w.found.Warnings)
	return w.found, refuseClashes(w.found.Documents)
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
		"sources share an ID, which is their path in lower case: %s; rename one of each, or leave it out with --exclude",
		strings.Join(clashes, "; "))
}

// A walk collects the sources below a root.
type walk struct {
	ctx    context.Context
	root   *Root
	filter Filter
	found  Sources
}

// directory walks the directory at dir, which lies depth levels deep and to
// which the rules of its parents apply.
func (w *walk) directory(dir string, rules ignore.Rules, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if depth > MaxDepth {
		return fault.Errorf(fault.IO, "%s lies more than %d directories deep: leave it out with --exclude", dir, MaxDepth)
	}
	entries, err := w.list(dir)
	if err != nil {
		return err
	}
	if rules, err = w.rulesIn(dir, entries, rules); err != nil {
		return err
	}
	for _, e := range entries {
		if err := w.entry(path.Join(dir, e.Name()), e, rules, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) list(dir string) ([]fs.DirEntry, error) {
	f, err := w.root.dir.Open(dir)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read directory %s: %w; make it readable, or leave it out with --exclude", dir, fault.Cause(err))
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read directory %s: %w; make it readable, or leave it out with --exclude", dir, fault.Cause(err))
	}
	return entries, nil
}

// rulesIn adds the rules that hold from dir on.
func (w *walk) rulesIn(dir string, entries []fs.DirEntry, rules ignore.Rules) (ignore.Rules, error) {
	var err error
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && !e.IsDir() })
	}
	if w.filter.Gitignore && has(gitIgnore) {
		rules, err = w.withFile(rules, dir, gitIgnore)
	}
	if dir != "." || err != nil {
		return rules, err
	}
	if has(contextIgnore) {
		rules, err = w.withFile(rules, dir, contextIgnore)
	}
	return rules.With(".", []byte(strings.Join(w.filter.Exclude, "\n"))), err
}

func (w *walk) withFile(rules ignore.Rules, dir, name string) (ignore.Rules, error) {
	text, err := readFile(w.root, path.Join(dir, name), maxIgnoreSize)
	if err != nil {
		return rules, err
	}
	return rules.With(dir, text), nil
}

func (w *walk) entry(path string, e fs.DirEntry, rules ignore.Rules, depth int) error {
	switch {
	case e.IsDir():
		if e.Name() == ".git" || rules.Match(path, true) {
			return nil
		}
		return w.directory(path, rules, depth+1)
	case rules.Match(path, false):
		return nil
	case e.Type() == fs.ModeSymlink:
		return w.symlink(path)
	case !isMarkdown(path):
		return nil
	case !e.Type().IsRegular():
		w.warn(path, "not a regular file, so it is left out")
		return nil
	}
	w.add(path, path)
	return nil
}

// isMarkdown reports whether the path's last element is NAME.md; ".md" alone
// is no name.
func isMarkdown(p string) bool {
	return strings.HasSuffix(p, ".md") && path.Base(p) != ".md"
}

const linkedDirectory = "symlink to a directory, which is not entered"

// symlink adds the symlink at path if it is one of the sources.
func (w *walk) symlink(path string) error {
	target, inside, err := w.root.resolve(path)
	if err != nil && !isMarkdown(path) {
		return nil // leads nowhere, and would be no source if it did
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fault.Errorf(fault.IO, "follow symlink %s: %w", path, fault.Cause(err))
	case err != nil:
		w.warn(path, "symlink that leads nowhere, so it is left out")
		return nil
	case !inside && isMarkdown(path):
		w.warn(path, "symlink that leads out of the sources, so it is left out")
		return nil
	case !inside:
		if found, err := os.Stat(filepath.Join(w.root.real, filepath.FromSlash(path))); err == nil && found.IsDir() {
			w.warn(path, linkedDirectory)
		}
		return nil
	}
	return w.target(path, target)
}

// target adds the symlink at path that leads to target, below the root.
func (w *walk) target(path, target string) error {
	found, err := w.root.dir.Stat(target)
	switch {
	case err != nil:
		return fault.Errorf(fault.IO, "follow symlink %s: %w", path, fault.Cause(err))
	case found.IsDir():
		w.warn(path, linkedDirectory)
	case !isMarkdown(path):
	case !found.Mode().IsRegular():
		w.warn(path, "symlink to something that is not a regular file, so it is left out")
	default:
		w.add(path, target)
	}
	return nil
}

func (w *walk) add(path, file string) {
	if !utf8.ValidString(path) {
		w.found.Invalid = append(w.found.Invalid, path)
		return
	}
	w.found.Documents = append(w.found.Documents, Source{document.IDOf(path), path, file})
}

func (w *walk) warn(path, what string) {
	w.found.Warnings = append(w.found.Warnings, path+": "+what)
}
