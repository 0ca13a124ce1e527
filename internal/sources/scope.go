package sources

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/ignore"
)

// A scope says which files below a root are pages and which directories are entered, by
// their paths among the sources.
type scope struct {
	all        bool         // there are no patterns, so all files count
	include    ignore.Rules // match the files that count
	extensions []string     // of pages, with a dot
	skipHidden bool
	named      ignore.Rules // match the hidden directories that patterns name
}

func (r *root) newScope() scope {
	m := r.mount
	s := scope{all: len(m.Include) == 0, include: r.rules(ignore.Rules{}, m.Include...), skipHidden: m.SkipHidden}
	for _, extension := range m.Extensions {
		s.extensions = append(s.extensions, "."+extension)
	}
	var named []string
	for _, pattern := range taking(m.Include) {
		named = append(named, hiddenIn(pattern)...)
		if len(m.Extensions) == 0 {
			s.extensions = append(s.extensions, extensionIn(pattern))
		}
	}
	s.named = r.rules(ignore.Rules{}, named...)
	if len(s.extensions) == 0 {
		s.extensions = []string{".md"}
	}
	return s
}

// takes reports whether a file is a page. A name that is nothing but an extension is none.
func (s scope) takes(source string) bool {
	extension := path.Ext(source)
	return path.Base(source) != extension && slices.Contains(s.extensions, extension) && s.includes(source)
}

// lacks reports whether a file is no page only because of its extension.
func (s scope) lacks(source string) bool {
	extension := path.Ext(source)
	return !slices.Contains(s.extensions, extension) && slices.ContainsFunc(s.extensions, func(taken string) bool {
		return s.includes(strings.TrimSuffix(source, extension) + taken)
	})
}

// includes reports whether the patterns take a file.
func (s scope) includes(source string) bool { return s.all || s.include.Covers(source) }

// enters reports whether a directory is entered.
func (s scope) enters(source string) bool {
	name := path.Base(source)
	return name != ".git" && (!s.skipHidden || !isHidden(name) || s.named.Match(source, true))
}

// isHidden reports whether the name of a directory says that its pages are not those of
// the project.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// taking returns the patterns that take files: all but comments and those that begin
// with "!".
func taking(patterns []string) (all []string) {
	for _, pattern := range patterns {
		if pattern != "" && pattern[0] != '!' && pattern[0] != '#' {
			all = append(all, pattern)
		}
	}
	return all
}

// extensionIn returns the extension that a pattern ends in, or ".md".
func extensionIn(pattern string) string {
	extension := path.Ext(pattern)
	if extension == "." || strings.ContainsAny(extension, `*?[\`) {
		extension = ""
	}
	return cmp.Or(extension, ".md")
}

// hiddenIn returns patterns of the hidden directories that a pattern names. It names
// docs/.github in docs/.github/**/*.md.
func hiddenIn(pattern string) (all []string) {
	pattern = strings.TrimSuffix(pattern, "/")
	for prefix := range elements(pattern) {
		if !isHidden(path.Base("/" + prefix)) {
			continue
		}
		if prefix != pattern && !strings.Contains(prefix, "/") {
			prefix = "/" + prefix // a slash behind it anchored it, too
		}
		all = append(all, prefix)
	}
	return all
}
