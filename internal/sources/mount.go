package sources

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/contextcompiler/context/document"
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
