package sources

import (
	"context"
	"path"
	"path/filepath"
	"slices"
)

// Directories returns the directories that [Discover] reads, and the directories of files
// that are sources by a symlink. While nothing changes there and no mount gets another
// directory, the sources stay the same. The paths are absolute, without symlinks, sorted
// and different. Directories leaves out what cannot be read. It fails if ctx ends.
func Directories(ctx context.Context, mounts []Mount, filter SourceFilter, jobs int) (all []string, err error) {
	var roots Roots
	defer func() { roots.Close() }()
	for _, m := range mounts {
		if opened, err := OpenRoots([]Mount{m}); err == nil {
			roots = append(roots, opened...)
		}
	}
	err = walk(ctx, enter(roots, filter, unmatchedPatterns{}), jobs, func(dir subtree) (*visit, error) {
		v := &visit{roots: roots, filter: filter, dir: dir, likely: lookalikes{}}
		_ = v.visit() // an error leaves the rest out
		return v, nil
	}, func(v *visit) {
		all = append(all, v.dir.root.at(v.dir.path))
		for _, s := range v.found.Documents {
			if dir := path.Dir(s.file); dir != v.dir.path || s.root != v.dir.root {
				all = append(all, s.root.at(dir))
			}
		}
	})
	slices.Sort(all)
	return slices.Compact(all), err
}

// at returns the absolute path for a path below the root.
func (r *root) at(below string) string { return filepath.Join(r.real, filepath.FromSlash(below)) }
