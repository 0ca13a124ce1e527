package sources

import (
	"context"
	"path"
	"path/filepath"
	"slices"
)

// Directories returns the directories that [Discover] reads, and the directories of
// files that become sources through a symlink. It also returns the files elsewhere that
// decide about the sources, whether they exist or not, such as a .gitignore above the
// mounts. The sources can only change if something changes in these directories and files
// or a mount gets another directory. The paths are absolute and free of symlinks, and the
// directories are sorted and unique. Unreadable directories are skipped, because a build
// reports them. Directories fails only if ctx ends.
func Directories(ctx context.Context, mounts []Mount, filter SourceFilter, jobs int) (all, files []string, err error) {
	var roots Roots
	var top []subtree
	defer func() { roots.Close() }()
	for _, m := range mounts {
		opened, err := OpenRoots(ctx, []Mount{m})
		if err != nil {
			continue
		}
		entered, _, _ := enter(opened, filter, nil)
		top, roots, files = append(top, entered...), append(roots, opened...), append(files, opened[0].gitFiles...)
	}
	err = walk(ctx, top, jobs, visit{roots: roots, filter: filter, isLenient: true}, func(v *visit) {
		all = append(all, v.dir.root.at(v.dir.path))
		files = append(files, v.gitFiles...)
		for _, s := range v.found.Documents {
			if dir := path.Dir(s.file()); dir != v.dir.path || s.root != v.dir.root {
				all = append(all, s.root.at(dir))
			}
		}
	})
	slices.Sort(all)
	return slices.Compact(all), files, err
}

func (r *root) at(below string) string { return filepath.Join(r.real, filepath.FromSlash(below)) }
