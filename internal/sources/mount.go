package sources

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
	Exclude    []string // patterns of what is left out; they come after .contextignore
	SkipHidden bool     // do not enter node_modules and hidden directories below Dir that Include does not name

	// Include has patterns of the files that are pages; none means all files. A pattern
	// of a directory is one of all files below it, and one that begins with "!" takes
	// files back. Without Extensions, pages have those at the end of patterns, as in
	// *.mdx, and md for patterns without one, as guide/.
	Include []string

	// MDX reads pages of any extension as MDX unless their front matter says otherwise.
	MDX bool
}

// Check fails unless Prefix is a path, the extensions are parts of names, and Include
// takes files.
func (m Mount) Check() error {
	if m.Prefix != "" && (!isPath(m.Prefix) || !document.IDOf(m.Prefix).IsValid()) {
		return fmt.Errorf("the prefix %q is not a path such as guide or api/v2", m.Prefix)
	}
	for _, extension := range m.Extensions {
		if extension == "" || !fs.ValidPath(extension) || strings.ContainsAny(extension, `./\`) {
			return fmt.Errorf("%q is not an extension such as md", extension)
		}
	}
	if len(m.Include) > 0 && len(taking(m.Include)) == 0 {
		return fmt.Errorf("the patterns %q include nothing: name what they take files back from, such as **/*.md, or exclude these files", m.Include)
	}
	return nil
}

// isPath reports whether a text is a slash path of plain names, in UTF-8.
func isPath(text string) bool { return fs.ValidPath(text) && text != "." }

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

// sourcePath returns the path of a source for its path below the root.
func (r *root) sourcePath(below string) string {
	if r.mount.Prefix == "" {
		return below
	}
	return path.Join(r.mount.Prefix, below)
}

// shown returns the path of the file at a path below the root, as a user may give it.
func (r *root) shown(below string) string {
	return filepath.Join(r.mount.Dir, filepath.FromSlash(below))
}

// rules returns the rules and then patterns for paths below the root.
func (r *root) rules(outer ignore.Rules, patterns ...string) ignore.Rules {
	return outer.With(r.sourcePath("."), []byte(strings.Join(patterns, "\n")))
}
