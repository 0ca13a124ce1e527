package sources

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/ignore"
)

// A scope decides which files below a root are pages and which directories a build
// enters. It goes by their paths among the sources.
type scope struct {
	all        bool         // without patterns, all files count
	include    ignore.Rules // matches the files that count
	extensions []string     // of pages, with a dot
	names      []string     // of pages without an extension
	skipHidden bool
	skipNames  []string     // of directories
	named      ignore.Rules // matches the hidden directories named in patterns

	// listed contains the files of a mount that lists its files, and the directories
	// around them, by path among the sources; nil for other mounts.
	listed map[string]bool
}

func (r *root) newScope() scope {
	m := r.mount
	s := scope{all: len(m.Include) == 0, include: r.rules(ignore.Rules{}, m.Include...), extensions: m.dotted(), names: m.Names, skipHidden: m.SkipHidden, skipNames: m.SkipNames}
	var named []string
	for _, pattern := range taking(m.Include) {
		named = append(named, hiddenIn(pattern)...)
	}
	s.named = r.rules(ignore.Rules{}, named...)
	if m.Files != nil {
		s.listed = map[string]bool{}
		for _, file := range m.Files {
			for at := r.sourcePath(file); at != "." && !s.listed[at]; at = path.Dir(at) {
				s.listed[at] = true
			}
		}
	}
	return s
}

// dotted returns the extensions of pages, with a dot.
func (m Mount) dotted() (all []string) {
	for _, extension := range m.Extensions {
		all = append(all, "."+extension)
	}
	if len(all) > 0 {
		return all
	}
	for _, pattern := range taking(m.Include) {
		all = append(all, extensionIn(pattern))
	}
	if len(all) == 0 {
		return []string{".md"}
	}
	return all
}

// takes reports whether a file is a page. Names such as .md, with nothing before the
// extension, are not pages.
func (s scope) takes(source string) bool {
	extension, name := path.Ext(source), path.Base(source)
	isPage := name != extension && slices.Contains(s.extensions, extension) || slices.Contains(s.names, name)
	return isPage && s.includes(source)
}

// lacks reports whether only the extension keeps a file from being a page.
func (s scope) lacks(source string) bool {
	extension := path.Ext(source)
	return !slices.Contains(s.extensions, extension) && slices.ContainsFunc(s.extensions, func(taken string) bool {
		return s.includes(strings.TrimSuffix(source, extension) + taken)
	})
}

func (s scope) includes(source string) bool {
	return (s.listed == nil || s.listed[source]) && (s.all || s.include.Covers(source))
}

func (s scope) enters(source string) bool {
	name := path.Base(source)
	return name != ".git" && !slices.Contains(s.skipNames, name) && (s.listed == nil || s.listed[source]) && (!s.skipHidden || !isHidden(name) || s.named.Match(source, true))
}

// isHidden reports whether the name of a directory says that its pages don't belong to
// the project.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// taking returns the patterns without comments and without patterns that begin with "!".
func taking(patterns []string) (all []string) {
	for _, pattern := range patterns {
		if pattern != "" && pattern[0] != '!' && pattern[0] != '#' {
			all = append(all, pattern)
		}
	}
	return all
}

// extensionIn returns the extension at the end of a pattern, or ".md".
func extensionIn(pattern string) string {
	extension := path.Ext(pattern)
	if extension == "." || strings.ContainsAny(extension, `*?[\{`) {
		extension = ""
	}
	return cmp.Or(extension, ".md")
}

// hiddenIn returns patterns of the hidden directories named in a pattern. For example,
// docs/.github/**/*.md names docs/.github.
func hiddenIn(pattern string) (all []string) {
	pattern = strings.TrimSuffix(pattern, "/")
	for prefix := range elements(pattern) {
		if !isHidden(path.Base("/" + prefix)) {
			continue
		}
		if prefix != pattern && !strings.Contains(prefix, "/") {
			prefix = "/" + prefix // the slash after it anchored it, too
		}
		all = append(all, prefix)
	}
	return all
}
