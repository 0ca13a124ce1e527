package stages

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/ignore"
)

// A Mount is a directory of pages and their place among the sources. Its patterns are as
// in .gitignore, for paths below Dir.
type Mount struct {
	Dir        string   // path of the directory
	Prefix     string   // slash path that begins the paths of its sources; "" for none
	Extensions []string // that pages have, without a dot; none means md
	Include    []string // patterns of the files that are pages; they replace Extensions
	Exclude    []string // patterns of what is left out; they come after .contextignore
}

// Check fails unless Prefix is a path and the extensions are parts of names.
func (m Mount) Check() error {
	if m.Prefix != "" && (!isPath(m.Prefix) || !document.IDOf(m.Prefix).IsValid()) {
		return fmt.Errorf("the prefix %q is not a path such as guide or api/v2", m.Prefix)
	}
	for _, extension := range m.Extensions {
		if extension == "" || !fs.ValidPath(extension) || strings.ContainsAny(extension, `./\`) {
			return fmt.Errorf("%q is not an extension such as md", extension)
		}
	}
	return nil
}

// isPath reports whether a text is a slash path of plain names, in UTF-8.
func isPath(text string) bool { return fs.ValidPath(text) && text != "." }

// Roots are the open directories of a build's sources.
type Roots []*Root

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

// sourcePath returns the path of a source for its path below the root.
func (r *Root) sourcePath(below string) string {
	if r.mount.Prefix == "" {
		return below
	}
	return path.Join(r.mount.Prefix, below)
}

// shown returns the path of the file at a path below the root, as a user may give it.
func (r *Root) shown(below string) string {
	return filepath.Join(r.mount.Dir, filepath.FromSlash(below))
}

// rules returns the rules and then patterns for paths below the root.
func (r *Root) rules(outer ignore.Rules, patterns ...string) ignore.Rules {
	return outer.With(r.sourcePath("."), []byte(strings.Join(patterns, "\n")))
}

// takes reports whether the name of a file is that of a page, by the path of the source.
// A name that is nothing but an extension is none.
func (r *Root) takes(source string) bool {
	if len(r.mount.Include) > 0 {
		return r.include.Match(source, false)
	}
	extension := path.Ext(source)
	if extension == "" || path.Base(source) == extension {
		return false
	}
	if len(r.mount.Extensions) == 0 {
		return extension == ".md"
	}
	return slices.Contains(r.mount.Extensions, extension[1:])
}
