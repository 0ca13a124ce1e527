package describe

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// readmeNames are the lower-case names of introductions to a directory, the
// best first. Site generators use the last two.
var readmeNames = []string{
	"readme.md", "readme.markdown", "readme.mdx", "readme.rst", "readme.txt", "readme", "index.md", "_index.md",
}

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
// contains any. Prose is better than the title of the same README.
func (r *dirReader) readmeSummary() string {
	for _, name := range r.readmes() {
		prose, title := r.introduction(name)
		if first := firstSentence(oneLine(prose)); utf8.RuneCountInString(first) >= minSentence {
			prose = first // a shorter sentence says little
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

// Introduction returns a sentence about the directory in fsys, from its
// README, otherwise from a manifest, or "". names must list its regular files in
// order.
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

func (r *dirReader) readmeTitle() string {
	for _, name := range r.readmes() {
		_, title := r.introduction(name)
		return title
	}
	return ""
}

// introduction returns the title of a text and the paragraph that introduces its
// subject. Paragraphs win over the description in the front matter. However, the
// title in the front matter wins over headings, because these belong to sections
// then.
func (r *dirReader) introduction(name string) (prose, title string) {
	head, body := splitFrontMatter(r.head(name, maxText))
	if !isMarkdown(name) {
		body = restructured(body)
	}
	prose, title = introducing(attempt(func() []textBlock { return passagesOf(body) }))
	return cmp.Or(prose, head["description"]), cmp.Or(head["title"], title)
}

// pagePurpose returns the title of a page of documentation, or the introduction of
// a README. It ignores a single word, since the file name says as much.
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

// extensionOf returns the lower-case extension of a file name, such as ".md". Names
// such as .md, with nothing before the dot, have no extension.
func extensionOf(name string) string {
	extension := path.Ext(name)
	if extension == name {
		return ""
	}
	return strings.ToLower(extension)
}

func isMarkdown(name string) bool {
	return slices.Contains([]string{".md", ".markdown", ".mdx"}, extensionOf(name))
}
