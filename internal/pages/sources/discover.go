package sources

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/ignore"
	"github.com/contextcompiler/context/internal/base/parallel"
)

// maxDepth is the largest number of directories above a source.
const maxDepth = 250

// CheckDepth fails if the path of a source contains too many directories.
func CheckDepth(path string) error {
	if strings.Count(path, "/") > maxDepth {
		return fault.Errorf(fault.IO, "%s %w", path, ErrTooDeep)
	}
	return nil
}

// A Discovery is the result of a search for sources.
type Discovery struct {
	Documents []Source  // sorted by ID
	Invalid   []string  // paths that are not UTF-8, sorted
	Warnings  []Warning // about single files, sorted; then about patterns and extensions
	Elsewhere int       // number of documents in other shards
}

// A Warning is about a file left out of a build, or about another problem a person should
// look at.
type Warning struct {
	Text string // the problem and its cause, for users
	File string // path of the file, relative to the working directory or absolute as its mount is; "" for none

	Extensions string // extensions that a mount could take as well, such as "MD,mdx"; "" for none
}

// Discover lists the sources: all pages below the roots, including those in hidden
// directories but not those in .git. A symlink to a file is a source under the symlink's
// own name if its target lies below a root. Symlinked directories are skipped.
//
// It fails with [fault.IO] if something cannot be read, and with [fault.CacheInvalid] if
// several sources share an ID.
func Discover(ctx context.Context, roots Roots, filter SourceFilter, jobs int) (Discovery, error) {
	var found Discovery
	likely, patterns := lookalikes{}, patternsOf(roots, filter)
	top, ignored, err := enter(roots, filter, patterns)
	if err != nil {
		return Discovery{}, err
	}
	found.Warnings = ignored
	err = walk(ctx, top, jobs, visit{roots: roots, filter: filter, patterns: patterns}, func(v *visit) {
		found.Documents = append(found.Documents, v.found.Documents...)
		found.Invalid = append(found.Invalid, v.found.Invalid...)
		found.Warnings = append(found.Warnings, v.found.Warnings...)
		for _, extension := range v.likely {
			likely[extension]++
		}
	})
	if err != nil {
		return Discovery{}, err
	}
	slices.Sort(found.Invalid)
	slices.SortFunc(found.Warnings, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.File, b.File))
	})
	found.Warnings = slices.Concat(found.Warnings, likely.warnings(), strangers(found.Documents), patterns.warnings())
	return found, found.finish()
}

// walk visits directories level by level, each with a copy of a visit, and passes the visits to use
// in the order of their directories. Each level is visited in parallel.
func walk(ctx context.Context, level []subtree, jobs int, begin visit, use func(*visit)) error {
	for len(level) > 0 {
		visits, err := parallel.Each(ctx, jobs, len(level), func(_ context.Context, _, i int) (*visit, error) {
			v := begin
			v.dir = level[i]
			if err := v.visit(); err != nil && !v.isLenient {
				return nil, err
			}
			return &v, nil
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

// finish sorts the documents. It fails unless a cache can contain all of their IDs.
func (d Discovery) finish() error {
	slices.SortStableFunc(d.Documents, func(a, b Source) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path))
	})
	return cmp.Or(refuseNoPaths(d.Documents), refuseClashes(d.Documents))
}

// refuseNoPaths fails if an ID is not a path. For example, a backslash in a file name
// becomes a slash in the ID, which can leave an empty name between two slashes.
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

// refuseClashes fails if two sources share an ID. The sources must be sorted by ID.
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
	return fault.Errorf(fault.CacheInvalid, "%w: %s", ErrSharedID, strings.Join(clashes, "; "))
}

// enter returns the roots, except those that git ignores or whose prefix the filter excludes.
func enter(roots Roots, filter SourceFilter, patterns scopedPatterns) (all []subtree, ignored []Warning, err error) {
	excluded := filter.exclude(ignore.Rules{})
	for _, r := range roots {
		dir := subtree{root: r, path: ".", depth: strings.Count(r.sourcePath("x"), "/")}
		if filter.Gitignore && !r.mount.isLocated {
			t, err := gitTreeAt(r.real)
			r.gitFiles = t.files
			if err != nil {
				return nil, nil, err
			}
			if r.above, dir.gitRules = t.above, t.rules; t.isIgnored {
				ignored = append(ignored, Warning{Text: r.shown(".") + ": git ignores this directory, so its pages are left out"})
				continue
			}
		}
		if !leavesOut(excluded, r.mount.Prefix, true, patterns) {
			all = append(all, dir)
		}
	}
	return all, ignored, nil
}
