package describe

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// readmeNames are the lower-case names under which a directory is introduced,
// the best first. The last two are what site generators call it.
var readmeNames = []string{
	"readme.md", "readme.markdown", "readme.mdx", "readme.rst", "readme.txt", "readme", "index.md", "_index.md",
}

// readmes returns the files that introduce the directory, the best first.
func (r *dirReader) readmes() (found []string) {
	for _, wanted := range readmeNames {
		for _, name := range r.names {
			if strings.ToLower(name) == wanted {
				found = append(found, name)
			}
		}
	}
	return found
}

// readmeSummary returns a sentence about the directory from the best README that
// has one. The title of a README is second to its prose.
func (r *dirReader) readmeSummary() string {
	for _, name := range r.readmes() {
		prose, title := r.introduction(name)
		if first := firstSentence(oneLine(prose)); utf8.RuneCountInString(first) >= minSentence {
			prose = first // a shorter one says little
		}
		if !hasWords(title) || offTopic().MatchString(title) {
			title = ""
		}
		if said := cmp.Or(prose, title); said != "" {
			return said
		}
	}
	return ""
}

// Introduction returns a sentence about the directory that fsys holds: that of its README,
// or of a manifest. names are its regular files in order. It is "" if neither has one.
//
// It fails if a file cannot be read.
func Introduction(fsys fs.FS, names []string) (string, error) {
	r := dirReader{fsys: fsys, names: names}
	said := attempt(r.readmeSummary)
	if said == "" {
		said = attempt(func() string { return r.manifestSummary("") })
	}
	return shorten(oneLine(said), maxSummary), r.err
}

// readmeTitle returns the title of the best README, or "".
func (r *dirReader) readmeTitle() string {
	for _, name := range r.readmes() {
		_, title := r.introduction(name)
		return title
	}
	return ""
}

// introduction returns the paragraph of a text that introduces its subject, and
// the title. The front matter may have both: its description is second to a
// paragraph, and its title is first, because then headings are of sections.
func (r *dirReader) introduction(name string) (prose, title string) {
	head, body := splitFrontMatter(r.head(name, maxText))
	read := plainPassages
	if isMarkdown(name) {
		read = markdownPassages
	}
	prose, title = introducing(attempt(func() []textBlock { return read(body) }))
	return cmp.Or(prose, head["description"]), cmp.Or(head["title"], title)
}

// pagePurpose returns the title of a page of documentation, or the introduction
// of a README. A single word tells no more than the name of the file.
func (r *dirReader) pagePurpose(name string) string {
	prose, title := r.introduction(name)
	if !slices.Contains(readmeNames, strings.ToLower(name)) {
		prose = ""
	}
	if !hasWords(title) {
		title = ""
	}
	return shorten(oneLine(cmp.Or(firstSentence(prose), title)), maxPurpose)
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
