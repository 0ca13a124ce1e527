package describe

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// readmeNames are the lower-case names under which a directory is introduced,
// the best first. The last two are what site generators call it.
var readmeNames = []string{
	"readme.md", "readme.markdown", "readme.mdown", "readme.mkd", "readme.mkdn", "readme.mdx",
	"readme.rst", "readme.rest", "readme.adoc", "readme.txt", "readme", "index.md", "_index.md",
}

// readmeSummary returns what the READMEs say: the first paragraph, else the
// first heading, of the best one that says anything.
func readmeSummary(fsys fs.FS, names []string) string {
	return firstOf(readmes(names), func(name string) string {
		prose, title := introduction(fsys, name)
		return cmp.Or(prose, title)
	})
}

// readmes returns those of names that introduce the directory, the best first.
func readmes(names []string) (found []string) {
	for _, wanted := range readmeNames {
		for _, name := range names {
			if strings.ToLower(name) == wanted {
				found = append(found, name)
			}
		}
	}
	return found
}

// introduction returns the first paragraph of a text, or else the description
// in its front matter, and the title: that of the front matter, for then the
// first heading is one of a section.
func introduction(fsys fs.FS, name string) (prose, title string) {
	head, body := splitFrontMatter(readHead(fsys, name))
	prose, title = describing(passagesOf(name, body))
	return cmp.Or(prose, head["description"]), cmp.Or(head["title"], title)
}

func passagesOf(name, text string) []passage {
	if isMarkdown(name) {
		return markdownPassages(text)
	}
	return plainPassages(text, extensionOf(name))
}

// extensionOf returns the lower-case extension of a file's name: ".md". A name
// that is all extension has none.
func extensionOf(name string) string {
	extension := path.Ext(name)
	if extension == name {
		return ""
	}
	return strings.ToLower(extension)
}

// firstOf returns the first text that say has for one of names.
func firstOf(names []string, say func(name string) string) string {
	for _, name := range names {
		if s := say(name); s != "" {
			return s
		}
	}
	return ""
}

// has reports whether names, of any order, holds name.
func has(names []string, name string) bool { return slices.Contains(names, name) }
