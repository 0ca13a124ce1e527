package describe

import (
	"io/fs"
	"slices"
	"strings"
)

// packageSummary returns what the source text of a directory says of the
// package that it is, in the first language that says anything.
func packageSummary(fsys fs.FS, names []string) string {
	for _, say := range []source{goSummary, rustSummary, pythonSummary, scriptSummary, javaSummary} {
		if s := attempt(say, fsys, names); s != "" {
			return s
		}
	}
	return ""
}

// maxSources is the most source files of a directory that are read.
const maxSources = 64

// sources returns those of names that have an extension and are no tests, with
// those first that have one of the names in front, in their order.
func sources(names, extensions []string, front ...string) []string {
	var found []string
	for _, wanted := range front {
		for _, extension := range extensions {
			if slices.Contains(names, wanted+extension) {
				found = append(found, wanted+extension)
			}
		}
	}
	first := found
	for _, name := range names {
		if slices.Contains(extensions, extensionOf(name)) && !isTest(name) && !slices.Contains(first, name) {
			found = append(found, name)
		}
	}
	return found[:min(len(found), maxSources)]
}

// firstParagraph is the first paragraph of Markdown in a comment, else its
// first heading.
func firstParagraph(markdown string) string {
	if len(markdown) > maxText {
		markdown = markdown[:maxText]
	}
	prose, title := describing(markdownPassages(markdown))
	if prose != "" {
		return prose
	}
	return title
}

// isLicense reports whether a comment is about rights, not about the source.
func isLicense(comment string) bool {
	comment = strings.ToLower(comment[:min(len(comment), 2000)])
	for _, sign := range []string{"copyright", "@license", "@preserve", "spdx-license", "licensed under", "all rights reserved"} {
		if strings.Contains(comment, sign) {
			return true
		}
	}
	return false
}
