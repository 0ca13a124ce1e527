package sources

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/ignore"
	"github.com/contextcompiler/context/internal/instructions"
)

// lookalikes counts the files that look like documentation but are not sources, by
// extension.
type lookalikes map[string]int

// The extensions of documentation, in lower case. Builds can only take files of the first
// kind.
var (
	markdownLike = []string{".markdown", ".md", ".mdx"}
	otherMarkup  = []string{".adoc", ".rst"}
)

// see counts the file at a path whose name is not that of a page.
func (l lookalikes) see(name string, kind fs.FileMode) {
	extension := path.Ext(name)
	isNamed := path.Base(name) != extension
	if kind.IsRegular() && isNamed && (isMarkdownLike(extension) || slices.Contains(otherMarkup, strings.ToLower(extension))) {
		l[extension]++
	}
}

func (l lookalikes) add(more lookalikes) {
	for extension, n := range more {
		l[extension] += n
	}
}

func isMarkdownLike(extension string) bool {
	return slices.Contains(markdownLike, strings.ToLower(extension))
}

// warnings returns up to two warnings: about the files that a build could take, and
// about the others.
func (l lookalikes) warnings() (all []Warning) {
	var counts, others, extensions []string
	for _, extension := range slices.Sorted(maps.Keys(l)) {
		count := fmt.Sprintf("%d *%s", l[extension], extension)
		if isMarkdownLike(extension) {
			counts, extensions = append(counts, count), append(extensions, extension[1:])
		} else {
			others = append(others, count)
		}
	}
	if counts != nil {
		all = append(all, Warning{
			Text:       "these files look like Markdown but have other extensions: " + strings.Join(counts, ", "),
			Extensions: strings.Join(extensions, ","),
		})
	}
	if others != nil {
		all = append(all, Warning{Text: "these files look like documentation but are not Markdown: " + strings.Join(others, ", ") +
			"; to take them, let a generator make pages with convert in a Contextfile.yml"})
	}
	return all
}

// strangers warns about pages that probably belong to somebody else: those in node_modules
// and in hidden directories. Mounts that skip these directories take only what a pattern
// names.
func strangers(documents []Source) (all []Warning) {
	counts := map[string]int{}
	for _, s := range documents {
		if s.root == nil || s.root.mount.SkipHidden {
			continue
		}
		for dir := range elements(path.Dir(strings.TrimPrefix(s.Path, s.root.mount.Prefix+"/"))) {
			if name := path.Base(dir); isHidden(name) && name != "." {
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

// A scopedPattern applies to paths below a directory of the sources.
type scopedPattern struct{ text, dir string }

// unmatchedPatterns contains the patterns without a match so far.
type unmatchedPatterns map[scopedPattern]ignore.Rules

func patternsOf(roots Roots, filter SourceFilter) unmatchedPatterns {
	all := unmatchedPatterns{}
	all.add(".", filter.Exclude)
	for _, r := range roots {
		all.add(r.sourcePath("."), r.mount.Include)
		all.add(r.sourcePath("."), r.mount.Exclude)
	}
	return all
}

func (u unmatchedPatterns) add(dir string, texts []string) {
	for _, text := range texts {
		if slices.Contains(instructions.Files, text) {
			continue // such a file may appear later
		}
		// A pattern that takes files back matches them, too.
		u[scopedPattern{text, dir}] = ignore.Rules{}.With(dir, []byte(strings.TrimPrefix(text, "!")))
	}
}

func (u unmatchedPatterns) matching(path string, isDir bool) (found []scopedPattern) {
	for p, rule := range u {
		if rule.Match(path, isDir) {
			found = append(found, p)
		}
	}
	return found
}

func (u unmatchedPatterns) remove(matched []scopedPattern) {
	for _, p := range matched {
		delete(u, p)
	}
}

func (u unmatchedPatterns) warnings() (all []Warning) {
	for p := range u {
		all = append(all, Warning{Text: fmt.Sprintf("the pattern %q matches nothing: patterns match paths below the sources, such as guide/install.md", p.text)})
	}
	slices.SortFunc(all, func(a, b Warning) int { return cmp.Compare(a.Text, b.Text) })
	return all
}
