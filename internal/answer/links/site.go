package links

import (
	"hash/maphash"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/pagename"
)

// A siteMap knows where the pages of a cache may be found.
type siteMap struct {
	pages  []linkingPage
	seed   maphash.Seed
	exists func(source string) bool
	base   *url.URL // without its final slash; nil without a base URL

	files map[string]int   // pages by source, in lower case
	paths map[string][]int // pages by path on the site, and by their other names
	tails map[string][]int // pages by the last elements of their paths
	dirs  map[string]bool  // directories with pages

	rooted []rootedLink
	roots  map[string]rootCount
	review Review
}

// A rootedLink starts at the root of the site and leads to no page. Whether it is broken
// depends on the other links with the same first elements: if most of them lead to pages, the path
// belongs to these sources.
type rootedLink struct {
	page int
	pageLink
	path string
}

type rootCount struct{ all, found int }

// most is how many pages with the same tail, and how many elements of a path, are remembered.
const most = 32

func newSite(pages []linkingPage, base string, seed maphash.Seed, exists func(string) bool) *siteMap {
	s := &siteMap{
		pages: pages, seed: seed, exists: exists,
		files: map[string]int{}, paths: map[string][]int{}, tails: map[string][]int{},
		dirs: map[string]bool{"": true}, roots: map[string]rootCount{},
	}
	if base, _, _ = strings.Cut(base, "{path}"); base != "" {
		s.base, _ = url.Parse(strings.TrimSuffix(base, "/"))
	}
	for n, p := range pages {
		s.files[lower(p.source)] = n
		s.add(sitePath(p.source), n)
		for _, name := range p.names {
			s.add(sitePath(name), n)
		}
		for _, spelling := range []string{lower(p.source), sitePath(p.source)} {
			for dir := parent(spelling); dir != "" && !s.dirs[dir]; dir = parent(dir) {
				s.dirs[dir] = true
			}
		}
	}
	return s
}

// add adds a path of a page.
func (s *siteMap) add(at string, page int) {
	s.paths[at] = insert(s.paths[at], page)
	for range most {
		s.tails[at] = insert(s.tails[at], page)
		_, after, found := strings.Cut(at, "/")
		if !found {
			return
		}
		at = after
	}
}

func insert(pages []int, page int) []int {
	if len(pages) >= most || slices.Contains(pages, page) {
		return pages
	}
	return append(pages, page)
}

func lower(source string) string { return string(document.IDOf(source)) }

func parent(of string) string {
	dir, _ := path.Split(of)
	return strings.TrimSuffix(dir, "/")
}

// order matches prefixes that sort the files of a directory but are not part of their URLs, as in
// 01-install.md; hidden matches the groups of a router, as in (guides).
var (
	order  = lazy.Regexp(`^\d+[-_. ]+`)
	hidden = lazy.Regexp(`^\([^()]*\)$`)
)

// sitePath returns the path of a page on most sites: in lower case, without the extension and
// without the name of an index.
func sitePath(of string) string {
	var kept []string
	elements := strings.Split(strings.Trim(withoutExtension(lower(of)), "/"), "/")
	for i, name := range elements {
		if rest := order().ReplaceAllString(name, ""); rest != "" {
			name = rest
		}
		isIndex := i == len(elements)-1 && (name == "index" || name == "_index" || name == "readme")
		if name != "" && name != "." && !isIndex && !hidden().MatchString(name) {
			kept = append(kept, name)
		}
	}
	return strings.Join(kept, "/")
}

// webExtensions belong to the files of a site, and to files which a build converts to pages.
var webExtensions = []string{".html", ".htm", ".ipynb"}

func withoutExtension(name string) string {
	for _, extension := range webExtensions {
		if stem, found := strings.CutSuffix(name, extension); found {
			return stem
		}
	}
	return pagename.Stem(name)
}

// comparable normalizes an anchor, because generators turn headings into anchors with
// different punctuation, but the same letters and digits.
func comparable(anchor string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return r
		}
		return -1
	}, lower(anchor))
}

// generating matches what may add more anchors to a page than its text contains.
var generating = lazy.Regexp(`(?i)\[!include|:::\s*include|--8<--|\{[{%][<%]?\s*[\w./-]*(?:include|import|embed|snippet|readfile|partial|render|generate|tabs?\b|apiref)` +
	`|\.\. include|^import .*\.mdx?['"]|\{\{#include`)

// namesOf returns the paths in the front matter of a document.
func namesOf(doc document.Document) (names []string) {
	for _, key := range []string{"slug", "permalink", "url", "id", "aliases", "alias", "redirect_from"} {
		for name := range strings.SplitSeq(doc.Metadata[key].String(), ", ") {
			switch {
			case name == "" || strings.Contains(name, "://"):
			case strings.HasPrefix(name, "/"):
				names = append(names, name)
			default:
				names = append(names, path.Join(path.Dir(doc.Source), name))
			}
		}
	}
	return names
}
