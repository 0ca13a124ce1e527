package sources

import (
	"cmp"
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

// OpenRoots opens the directories of mounts. Their order does not matter. It fails with
// [fault.IO] if one does not exist.
func OpenRoots(mounts []Mount) (roots Roots, err error) {
	if len(mounts) == 0 {
		return nil, errors.New("there are no sources")
	}
	mounts = slices.Clone(mounts)
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

// Close releases the directories.
func (roots Roots) Close() {
	for _, r := range roots {
		r.close()
	}
}

// KeepApart refuses a directory at a path that is one of the roots or holds it, because
// it would replace the sources. The path is absolute and without symlinks; messages
// call it shown.
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
	found fs.FileInfo // nil if it leads nowhere
	root  *root       // that it lies below; nil for none
	path  string      // below that root
}

// follow follows the symlink at a path below one of the roots. A symlink that leads
// nowhere is not an error.
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

// leadsNowhere reports whether err says that a path does not exist: a name is
// missing, a directory is a file, or symlinks form a circle.
func leadsNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}
