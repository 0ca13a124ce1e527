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

// A linkTarget is the target of a symlink.
type linkTarget struct {
	found fs.FileInfo // nil for a broken symlink
	root  *root       // root that contains the target; nil for none
	path  string      // of the target below that root
}

// follow follows the symlink at a path below a root. A broken symlink is not an error.
func (roots Roots) follow(from *root, path string) (target linkTarget, err error) {
	link := filepath.Join(from.real, filepath.FromSlash(path))
	target.found, err = os.Stat(link)
	if leadsNowhere(err) {
		return linkTarget{}, nil
	}
	if err != nil {
		return linkTarget{}, err
	}
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		return linkTarget{}, err
	}
	for _, root := range roots {
		if below, err := filepath.Rel(root.real, real); err == nil && filepath.IsLocal(below) {
			target.root, target.path = root, filepath.ToSlash(below)
			break
		}
	}
	return target, nil
}

// leadsNowhere reports whether err says that a path does not exist: a name is missing, a
// parent is a file, or symlinks form a circle.
func leadsNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}
