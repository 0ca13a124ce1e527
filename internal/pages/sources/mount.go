package sources

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/contextcompiler/context/document"
)

// A Mount is a directory of pages and their place among the sources. Its patterns are
// written as in .gitignore and match paths below Dir. Package pipeline documents the
// fields for users.
type Mount struct {
	Dir        string   // path of the directory
	Prefix     string   // slash path before the paths of the sources; "" for none
	Extensions []string // of pages, without a dot; none means md
	Exclude    []string // patterns of files and directories to leave out; they apply after .contextignore
	SkipHidden bool     // skip node_modules and hidden directories below Dir that Include doesn't name

	SkipNames []string // names of directories to skip anywhere below Dir, such as testdata

	// Include contains patterns of the files to take; none means all files. A pattern of a
	// directory takes all files below it, and a leading "!" takes files back. Without
	// Extensions, pages need the extension at the end of a pattern, for example .mdx for
	// *.mdx, and otherwise .md.
	Include []string

	// MDX reads pages of any extension as MDX, unless their front matter says otherwise.
	MDX bool

	// Names are names of files without an extension that are pages, too, such as METADATA.
	Names []string

	// GoModule is the path of the Go module in Dir, by which programs import its packages; ""
	// means that it isn't known.
	GoModule string

	// Files are the only files to read, as slash paths below Dir; nil means all. The
	// patterns and the extensions apply, too.
	Files []string

	// Version is the version of the product that the pages document. If a cache has a
	// product without a version, and this is its only mount, the product has this version.
	Version string

	// Watch lists the absolute paths of files outside of Dir whose changes can make another
	// directory the right one, such as a lock file.
	Watch []string

	// Locate returns the mount to use instead, when a build starts. Sources that are
	// installed or fetched have it, because their directory isn't known before. Until
	// then, Dir is what messages call the source. Nil means that Dir is the directory.
	Locate func(context.Context, Mount) (Mount, error)

	isLocated bool // Locate returned the mount
}

// Located returns the mount that a build uses.
func (m Mount) Located(ctx context.Context) (Mount, error) {
	if m.Locate == nil {
		return m, nil
	}
	m, err := m.Locate(ctx, m)
	m.Locate, m.isLocated = nil, true
	return m, err
}

// Check fails unless Prefix is a path, the extensions are parts of file names, and
// Include takes files.
func (m Mount) Check() error {
	if m.Prefix != "" && (!isPath(m.Prefix) || !document.IDOf(m.Prefix).IsValid()) {
		return fmt.Errorf("the prefix %q is not a path such as guide or api/v2", m.Prefix)
	}
	for _, extension := range m.Extensions {
		if extension == "" || !fs.ValidPath(extension) || strings.ContainsAny(extension, "./\\* \t\r\n") {
			return fmt.Errorf("expected an extension without a dot, such as md, got %q", extension)
		}
	}
	for _, extension := range m.dotted() {
		if isOtherMarkup(extension) {
			return fmt.Errorf("*%s files are not Markdown: let a generator make pages of them with convert in a Contextfile.yml", extension)
		}
	}
	if len(m.Include) > 0 && len(taking(m.Include)) == 0 {
		return fmt.Errorf("the patterns %q include nothing: first include files to take back from, such as **/*.md, or use exclude instead", m.Include)
	}
	return nil
}

// isPath reports whether a text is a slash path of plain names, in UTF-8.
func isPath(text string) bool { return fs.ValidPath(text) && text != "." }
