package links

import (
	"hash/maphash"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/pagename"
)

// judge judges a link of a page. Links from the root may have to wait for finish, however.
func (s *siteMap) judge(page int, link pageLink) {
	target, fragment, _ := strings.Cut(link.target, "#")
	at, isJudged := s.pathOf(target)
	switch {
	case !isJudged:
		s.review.NotJudged++
	case at == "" && target == "":
		s.judgeAnchor(page, link, []int{page}, fragment)
	case strings.HasPrefix(at, "/"):
		s.judgeRooted(page, link, strings.TrimLeft(path.Clean(at), "/"), fragment)
	default:
		s.judgeRelative(page, link, at, fragment)
	}
}

// judgeRelative judges a path relative to the page, either as a file or as a URL of the site.
func (s *siteMap) judgeRelative(page int, link pageLink, at, fragment string) {
	source := s.pages[page].source
	if exact, known := s.files[lower(path.Join(path.Dir(source), at))]; known {
		s.judgeAnchor(page, link, []int{exact}, fragment)
		return
	}
	file, isDirectory := path.Join(path.Dir(source), at), false
	var found, translated []int
	for _, base := range []string{path.Dir(source), withoutExtension(source), path.Dir(path.Dir(source))} {
		joined := path.Join(base, at)
		if leaves(joined) {
			continue
		}
		if pagename.Stem(at) == at {
			found = append(found, s.paths[sitePath(joined)]...)
		}
		isDirectory = isDirectory || s.dirs[strings.Trim(lower(joined), "/.")] || s.dirs[sitePath(joined)]
		translated = append(translated, s.translated(joined)...)
	}
	switch {
	case len(found) > 0:
		s.judgeAnchor(page, link, found, fragment)
	case isDirectory:
		s.review.Judged++
	case len(translated) > 0:
		s.judgeAnchor(page, link, translated, fragment)
	case leaves(file), isOther(at), s.exists(file):
		s.review.NotJudged++
	default:
		s.breaks(page, link, NoPage, at)
	}
}

// language matches the name of a directory for a language, such as pt or zh-cn.
var language = lazy.Regexp(`^[a-z]{2}(?:[-_][a-z]{2,4})?$`)

// translated returns pages in other languages, which a site may show instead of a missing page.
func (s *siteMap) translated(at string) (found []int) {
	elements := strings.Split(sitePath(at), "/")
	for i, name := range elements[:min(len(elements), 3)] {
		if !language().MatchString(name) {
			continue
		}
		for _, n := range s.tails[strings.Join(elements[i+1:], "/")] {
			other := strings.Split(sitePath(s.pages[n].source), "/")
			if len(other) == len(elements) && slices.Equal(other[:i], elements[:i]) && language().MatchString(other[i]) {
				found = append(found, n)
			}
		}
	}
	return found
}

// judgeRooted judges a link from the root of the site. Where the root is among the sources is
// unknown, so it looks for pages whose paths end like the link.
func (s *siteMap) judgeRooted(page int, link pageLink, at, fragment string) {
	found := s.lookUp(at)
	isFound := len(found) > 0 || at == "" || s.dirs[sitePath(at)]
	for _, root := range rootsOf(at) {
		count := s.roots[root]
		count.all++
		if isFound {
			count.found++
		}
		s.roots[root] = count
	}
	switch {
	case len(found) > 0:
		s.judgeAnchor(page, link, found, fragment)
	case isFound:
		s.review.Judged++
	case isOther(at):
		s.review.NotJudged++
	default:
		s.rooted = append(s.rooted, rootedLink{page, link, at})
	}
}

// rootsOf returns the first element of a path, then the first two and so on, without the last
// element unless it is the only one.
func rootsOf(at string) (roots []string) {
	const mostElements = 3
	elements := strings.Split(at, "/")
	for n := range min(mostElements, max(1, len(elements)-1)) {
		roots = append(roots, strings.Join(elements[:n+1], "/"))
	}
	return roots
}

// lookUp returns the pages whose paths end like a path from the root. The first elements may be
// those of the site, such as a language or the name of a section.
func (s *siteMap) lookUp(at string) []int {
	const mostPrefixes = 2
	for range mostPrefixes + 1 {
		if found := s.tails[sitePath(at)]; len(found) > 0 {
			return found
		}
		_, after, more := strings.Cut(at, "/")
		if !more {
			break
		}
		at = after
	}
	return nil
}

// judgeAnchor judges a link to one of several existing pages.
func (s *siteMap) judgeAnchor(page int, link pageLink, to []int, fragment string) {
	if fragment == "" || noHeading().MatchString(fragment) {
		s.review.Judged++
		return
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	fragment, _, _ = strings.Cut(fragment, "?")
	anchor := maphash.String(s.seed, comparable(fragment))
	for _, n := range to {
		if _, has := slices.BinarySearch(s.pages[n].anchors, anchor); has {
			s.review.Judged++
			return
		}
	}
	if slices.ContainsFunc(to, func(n int) bool { return s.pages[n].generated }) {
		s.review.NotJudged++
		return
	}
	s.breaks(page, link, NoAnchor, "")
}

// noHeading matches fragments other than headings: lines of code, text fragments, the top of the
// page, footnotes, and tabs or the state of an application.
var noHeading = lazy.Regexp(`^(?:L\d+(?:-L?\d+)?|:~:.*|top|_top|fn:.*|fn-?\d.*|fnref.*|tab[/=].*|[!/].*|.*[=?].*)$`)

// isPart reports whether a page is a part of other pages, to which its links then belong. By
// convention, the name of such a page or of its directory starts with an underscore.
func isPart(source string) bool {
	isHidden := func(name string) bool { return strings.HasPrefix(name, "_") }
	elements := strings.Split(withoutExtension(source), "/")
	last := len(elements) - 1
	return slices.ContainsFunc(elements[:last], isHidden) || isHidden(elements[last]) && elements[last] != "_index"
}

// breaks adds a broken link. at is the missing path, or "" if only the anchor is missing.
func (s *siteMap) breaks(page int, link pageLink, problem, at string) {
	if isPart(s.pages[page].source) && !strings.HasPrefix(at, "/") {
		s.review.NotJudged++
		return
	}
	s.review.Judged++
	b := Broken{s.pages[page].source, link.line, link.target, problem, ""}
	if name := path.Base(sitePath(at)); at != "" {
		if near := s.tails[name]; len(near) == 1 {
			b.Near = s.pages[near[0]].source
		}
	}
	s.review.Broken = append(s.review.Broken, b)
}

var (
	hasScheme    = lazy.Regexp(`^[A-Za-z][\w+.-]*:`)
	hasExtension = lazy.Regexp(`\.[A-Za-z][A-Za-z0-9]{0,9}$`)

	// repositoryFile matches files without an extension that a copy of the pages often lacks.
	repositoryFile = lazy.Regexp(`(?:^|/)(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS|CODEOWNERS|Makefile|Dockerfile)(?:-\w+)?$`)
)

// pathOf returns the path of a target without its fragment. It starts with a slash if it is
// relative to the root of the site. isJudged is false if the target isn't a path of this site.
func (s *siteMap) pathOf(target string) (at string, isJudged bool) {
	if strings.ContainsAny(target, "{}$<>") {
		return "", false // a template
	}
	for _, prefix := range []string{"@site/", "~/"} { // Docusaurus and DocFX
		if after, found := strings.CutPrefix(target, prefix); found {
			target = "/" + after
		}
	}
	if hasScheme().MatchString(target) || strings.HasPrefix(target, "//") {
		if target, isJudged = s.below(target); !isJudged {
			return "", false
		}
	}
	target, _, _ = strings.Cut(target, "?")
	decoded, err := url.PathUnescape(target)
	if err != nil || strings.ContainsRune(decoded, 0) {
		return "", false
	}
	return decoded, true
}

// below returns the path of a URL below the base URL.
func (s *siteMap) below(target string) (at string, isBelow bool) {
	u, err := url.Parse(target)
	if s.base == nil || err != nil || u.Host != s.base.Host || u.Scheme != "" && u.Scheme != s.base.Scheme && u.Scheme != "https" {
		return "", false
	}
	at, isBelow = strings.CutPrefix(u.EscapedPath(), s.base.EscapedPath())
	return "/" + strings.TrimPrefix(at, "/"), isBelow
}

// isOther reports whether a path is that of a file other than a page.
func isOther(at string) bool {
	return hasExtension().MatchString(at) && withoutExtension(at) == at || repositoryFile().MatchString(at)
}

// leaves reports whether a path leads out of the sources.
func leaves(at string) bool { return at == ".." || strings.HasPrefix(at, "../") }
