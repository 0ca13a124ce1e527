package sources

import (
	"context"
	"path"
	"path/filepath"
	"slices"
)

// Directories returns the directories that [Discover] reads, and the directories of
// files that become sources through a symlink. The sources can only change if something
// changes in these directories or a mount gets another directory. The paths are absolute
// and free of symlinks, sorted and unique. Unreadable directories are skipped, because a
// build reports them. Directories fails only if ctx ends.
func Directories(ctx context.Context, mounts []Mount, filter SourceFilter, jobs int) (all []string, err error) {
	var roots Roots
	defer func() { roots.Close() }()
	for _, m := range mounts {
		if opened, err := OpenRoots(ctx, []Mount{m}); err == nil {
			roots = append(roots, opened...)
		}
	}
	err = walk(ctx, enter(roots, filter, unmatchedPatterns{}), jobs, func(dir subtree) (*visit, error) {
		v := &visit{roots: roots, filter: filter, dir: dir, likely: lookalikes{}}
		_ = v.visit() // after an error, the rest of the directory is missing
		return v, nil
	}, func(v *visit) {
		all = append(all, v.dir.root.at(v.dir.path))
		for _, s := range v.found.Documents {
			if dir := path.Dir(s.file()); dir != v.dir.path || s.root != v.dir.root {
				all = append(all, s.root.at(dir))
			}
		}
	})
	slices.Sort(all)
	return slices.Compact(all), err
}

func (r *root) at(below string) string { return filepath.Join(r.real, filepath.FromSlash(below)) }
