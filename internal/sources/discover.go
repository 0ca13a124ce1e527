package sources

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/ignore"
	"github.com/contextcompiler/context/internal/parallel"
)

// maxDepth is the greatest number of directories above a source.
const maxDepth = 250

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
