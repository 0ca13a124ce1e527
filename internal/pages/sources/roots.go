package sources

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/contextcompiler/context/fault"
)

// Roots are the open directories of a build's sources.
type Roots []*root

// OpenRoots opens the directories of mounts, whose order doesn't matter. It fails with
// [fault.IO] if a directory does not exist.
func OpenRoots(ctx context.Context, mounts []Mount) (roots Roots, err error) {
	if len(mounts) == 0 {
		return nil, errors.New("no sources")
	}
	mounts = slices.Clone(mounts)
	for i, m := range mounts {
		if mounts[i], err = m.Located(ctx); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(mounts, func(a, b Mount) int {
		return cmp.Or(cmp.Compare(a.Prefix, b.Prefix), cmp.Compare(a.Dir, b.Dir))
	})
	for _, m := range mounts {
		if err := m.Check(); err != nil {
			roots.Close()
			return nil, err
		}
		root, err := openRoot(m)
		if err != nil {
			roots.Close()
			return nil, err
		}
		roots = append(roots, root)
	}
	return roots, nil
}

// Close closes the directories.
func (roots Roots) Close() {
	for _, r := range roots {
		r.close()
	}
}

// Version returns the version of the only mount, or "" if there are several.
func (roots Roots) Version() string {
	if len(roots) != 1 {
		return ""
	}
	return roots[0].mount.Version
}

// KeepApart fails if the directory at located is one of the roots or contains a root,
// because replacing that directory would delete the sources. The path located must be
// absolute and free of symlinks; error messages show it as shown.
func (roots Roots) KeepApart(located, shown string) error {
	for _, r := range roots {
		if inside, err := filepath.Rel(located, r.real); err == nil && filepath.IsLocal(inside) {
			return fault.Errorf(fault.IO, "the cache %s would take the place of the sources in %s: choose another path", shown, r.real)
		}
	}
	return nil
}

// follow follows the symlink at a path below a root. It returns the root that contains the target,
// and the path of the target below that root. found is nil for a broken symlink, which is not an
// error, and in is nil for a target outside of all roots.
func (roots Roots) follow(from *root, path string) (found fs.FileInfo, in *root, target string, err error) {
	link := from.at(path)
	if found, err = os.Stat(link); leadsNowhere(err) {
		return nil, nil, "", nil
	}
	real, errLink := filepath.EvalSymlinks(link)
	if err = cmp.Or(err, errLink); err != nil {
		return nil, nil, "", err
	}
	for _, root := range roots {
		if below, err := filepath.Rel(root.real, real); err == nil && filepath.IsLocal(below) {
			return found, root, filepath.ToSlash(below), nil
		}
	}
	return found, nil, "", nil
}

// leadsNowhere reports whether err says that a path does not exist: a name is missing, a
// parent is a file, or symlinks form a circle.
func leadsNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}
