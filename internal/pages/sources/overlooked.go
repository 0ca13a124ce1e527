package sources

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/contextcompiler/context/internal/base/ignore"
	"github.com/contextcompiler/context/internal/pages/instructions"
)

// lookalikes counts the files that look like documentation but are not sources, by
// extension.
type lookalikes map[string]int

// The extensions of documentation, in lower case. Builds can only take files of the first
// kind. The last kind is refused as pages, but isn't worth a warning.
var (
	markdownLike   = []string{".markdown", ".md", ".mdx"}
	otherMarkup    = []string{".adoc", ".asciidoc", ".org", ".rst", ".textile"}
	otherDocuments = []string{".asc", ".docx", ".epub", ".mediawiki", ".odt", ".pdf", ".pod", ".rdoc", ".rest", ".rtf", ".tex", ".texi", ".texinfo", ".typ", ".wiki"}
)

// isLookalike reports whether a name that is not that of a page looks like documentation.
func isLookalike(name string) bool {
	extension := path.Ext(name)
	return path.Base(name) != extension && (isMarkdownLike(extension) || slices.Contains(otherMarkup, strings.ToLower(extension)))
}

func isMarkdownLike(extension string) bool {
	return slices.Contains(markdownLike, strings.ToLower(extension))
}

// isOtherMarkup reports whether files with an extension would be misread as Markdown. For example,
// a comment in the code of an .rst file would be a heading.
func isOtherMarkup(extension string) bool {
	extension = strings.ToLower(extension)
	return slices.Contains(otherMarkup, extension) || slices.Contains(otherDocuments, extension)
}

// misread warns about listed files that are not Markdown. Their paths can have any extension, so a
// list may be right.
func misread(documents []Source) []Warning {
	counts := lookalikes{}
	for _, s := range documents {
		if extension := path.Ext(s.Path); isOtherMarkup(extension) {
			counts[extension]++
		}
	}
	if len(counts) == 0 {
		return nil
	}
	return []Warning{{Text: "these files are read as Markdown, but their extensions belong to other formats: " + counts.text() +
		"; unless they were converted, let a generator make pages with convert in a Contextfile.yml"}}
}

// text returns the counts, in the order of the extensions.
func (l lookalikes) text() string {
	var counts []string
	for _, extension := range slices.Sorted(maps.Keys(l)) {
		counts = append(counts, fmt.Sprintf("%d *%s", l[extension], extension))
	}
	return strings.Join(counts, ", ")
}

// warnings returns up to two warnings: about the files that a build could take, and
// about the others.
func (l lookalikes) warnings() (all []Warning) {
	similar, others := lookalikes{}, lookalikes{}
	var extensions []string
	for _, extension := range slices.Sorted(maps.Keys(l)) {
		if isMarkdownLike(extension) {
			similar[extension], extensions = l[extension], append(extensions, extension[1:])
		} else {
			others[extension] = l[extension]
		}
	}
	if len(similar) > 0 {
		all = append(all, Warning{
			Text:       "these files look like Markdown but have other extensions: " + similar.text(),
			Extensions: strings.Join(extensions, ","),
		})
	}
	if len(others) > 0 {
		all = append(all, Warning{Text: "these files look like documentation but are not Markdown: " + others.text() +
			"; to take them, let a generator make pages with convert in a Contextfile.yml"})
	}
	return all
}

// strangers warns about pages in node_modules and in hidden directories, which probably
// belong to other projects. Mounts that skip these directories take only what a pattern
// names.
func strangers(documents []Source) (all []Warning) {
	counts := map[string]int{}
	for _, s := range documents {
		for name := range strings.SplitSeq(path.Dir(strings.TrimPrefix(s.Path, s.root.mount.Prefix+"/")), "/") {
			if name != "." && isHidden(name) && !s.root.mount.SkipHidden {
				counts[name]++
				break
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		pages := "1 page comes"
		if n := counts[name]; n > 1 {
			pages = fmt.Sprintf("%d pages come", n)
		}
		all = append(all, Warning{Text: fmt.Sprintf("%s from %s: exclude %s/ unless they are part of your documentation", pages, name, name)})
	}
	return all
}

// A scopedPattern is a pattern for paths below a directory of the sources. It knows whether it
// matched.
type scopedPattern struct {
	text      string
	rule      ignore.Rules
	isMatched atomic.Bool
}

// scopedPatterns are the patterns of a build. They are safe for concurrent use.
type scopedPatterns []*scopedPattern

func patternsOf(roots Roots, filter SourceFilter) (all scopedPatterns) {
	add := func(dir string, texts []string) {
		for _, text := range texts {
			if !slices.Contains(instructions.Files, text) { // such a file may appear later
				// A pattern that takes files back matches them, too.
				all = append(all, &scopedPattern{text: text, rule: ignore.Rules{}.With(dir, []byte(strings.TrimPrefix(text, "!")))})
			}
		}
	}
	add(".", filter.Exclude)
	for _, r := range roots {
		add(r.sourcePath("."), slices.Concat(r.mount.Include, r.mount.Exclude))
	}
	return all
}

// see notes which patterns match a path.
func (all scopedPatterns) see(path string, isDir bool) {
	for _, p := range all {
		if !p.isMatched.Load() && p.rule.Match(path, isDir) {
			p.isMatched.Store(true)
		}
	}
}

// warnings are about the patterns without a match.
func (all scopedPatterns) warnings() (warnings []Warning) {
	for _, p := range all {
		hint := "patterns match paths below the sources, such as guide/install.md"
		if strings.Contains(p.text, "{") {
			hint = "braces have no meaning, so write several patterns"
		}
		if !p.isMatched.Load() {
			warnings = append(warnings, Warning{Text: fmt.Sprintf("the pattern %q matches nothing: %s", p.text, hint)})
		}
	}
	slices.SortFunc(warnings, func(a, b Warning) int { return cmp.Compare(a.Text, b.Text) })
	return slices.Compact(warnings)
}
