package stages

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/ignore"
)

// lookalikes counts, by extension, files that look like documentation but are not
// sources.
type lookalikes map[string]int

// documentation holds the extensions of documentation, in lower case.
var documentation = []string{".adoc", ".markdown", ".md", ".mdx", ".rst"}

// see counts the file at a path, which isMarkdown rejects.
func (l lookalikes) see(name string, kind fs.FileMode) {
	extension := path.Ext(name)
	isNamed := path.Base(name) != extension
	if kind.IsRegular() && isNamed && slices.Contains(documentation, strings.ToLower(extension)) {
		l[extension]++
	}
}

func (l lookalikes) add(more lookalikes) {
	for extension, n := range more {
		l[extension] += n
	}
}

// warnings returns one warning with all counts, or none.
func (l lookalikes) warnings() []string {
	if len(l) == 0 {
		return nil
	}
	var counts []string
	for _, extension := range slices.Sorted(maps.Keys(l)) {
		counts = append(counts, fmt.Sprintf("%d *%s", l[extension], extension))
	}
	return []string{"only *.md is taken, so these files are left out: " + strings.Join(counts, ", ")}
}

// unmatched holds the patterns of a filter that have matched nothing so far, by
// their text.
type unmatched map[string]ignore.Rules

func patternsOf(filter SourceFilter) unmatched {
	all := unmatched{}
	for _, text := range filter.Exclude {
		// A pattern that keeps files matches them, too.
		all[text] = ignore.Rules{}.With(".", []byte(strings.TrimPrefix(text, "!")))
	}
	return all
}

// matching returns the patterns that match a path.
func (u unmatched) matching(path string, isDir bool) (texts []string) {
	for text, rule := range u {
		if rule.Match(path, isDir) {
			texts = append(texts, text)
		}
	}
	return texts
}

func (u unmatched) remove(texts []string) {
	for _, text := range texts {
		delete(u, text)
	}
}

// warnings returns a warning for each of the patterns.
func (u unmatched) warnings() (all []string) {
	for _, text := range slices.Sorted(maps.Keys(u)) {
		all = append(all, fmt.Sprintf("the pattern %q matches nothing: it is compared with paths below the sources, such as guide/install.md", text))
	}
	return all
}
