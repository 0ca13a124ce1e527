package agent

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/pagename"
)

// A passage is a range of bytes in a page.
type passage struct {
	cachePage
	start, end int
}

// find returns the text named by a reference in caches:
//
//	412kpqxz.3          a section by its handle; 412kpqxz is the page
//	guide/a.md#setup  a section by its ID, or the text below a heading by its anchor
//	guide/a.md:3-9    lines, as answers print them; or guide/a.md#L3-L9
//	guide/a.md        a page
//	a.md              a page by a part of its path, see wholeReference
//
// A reference can begin with the name of a cache and a colon. If it ends with two dots, it means
// the rest of the page. An unknown reference is an [ArgumentError].
func find(ctx context.Context, caches []answers.Member, reference string) (passage, error) {
	found, err := findWhole(ctx, caches, reference)
	if err == nil || !errors.Is(err, errNoPage) {
		return found, err
	}
	text, rest := strings.CutSuffix(strings.TrimSpace(reference), "..")
	name, text := cutName(caches, text)
	whole, err := wholeReference(caches, name, text)
	if err != nil {
		return passage{}, err
	}
	if rest {
		whole += ".."
	}
	return findWhole(ctx, caches, whole)
}

// errNoPage means that no page has the path or handle in a reference.
var errNoPage = errors.New("there is no such page")

// findWhole is like find, but references must contain the whole path of a page. It fails with
// [errNoPage] if the page doesn't exist.
func findWhole(ctx context.Context, caches []answers.Member, reference string) (passage, error) {
	text, rest := strings.CutSuffix(strings.TrimSpace(reference), "..")
	name, text := cutName(caches, text)
	var found []passage
	var noPart error // from a cache with the page
	for _, of := range caches {
		if name != "" && of.Name != name {
			continue
		}
		p, err := findIn(ctx, of, text)
		if _, isArgument := errors.AsType[ArgumentError](err); isArgument {
			noPart = cmp.Or(noPart, err)
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return passage{}, err
		}
		if rest {
			p.end = len(p.doc.Content)
		}
		found = append(found, p)
	}
	switch len(found) {
	case 0:
		return passage{}, cmp.Or(noPart, errNoPage)
	case 1:
		return found[0], nil
	}
	text = clip(text, longestPath)
	return passage{}, argumentErrorf("%s is in more than one cache: say which, as in %s:%s or %s:%s",
		text, found[0].of.Name, text, found[1].of.Name, text)
}

// wholeReference completes a reference with only a part of a page's path, because search and grep
// leave out the common directories of their results. It looks for a single page whose path ends
// with the part, otherwise begins with it, otherwise contains it. If several pages match, it fails
// with an [ArgumentError] that lists them.
func wholeReference(caches []answers.Member, name, reference string) (whole string, err error) {
	if _, isHandle := parseHandle(reference); isHandle {
		return "", unknown(caches, name, reference)
	}
	for _, path := range pathsIn(reference) {
		if numbers := printedLines().FindStringSubmatch(path); numbers != nil {
			path = numbers[1]
		}
		for _, pages := range pagesLike(caches, name, string(document.IDOf(path))) {
			if len(pages) == 1 {
				return pages[0] + reference[len(path):], nil
			}
			for i, name := range pages[:min(len(pages), mostLike)] {
				pages[i] = clipMiddle(name, longestPath)
			}
			if len(pages) > 1 {
				return "", argumentErrorf("%s is in the path of %s: %s; give more of the path", clip(path, longestPath), count(len(pages), "page"), few(pages, mostLike, "more page"))
			}
		}
	}
	return "", unknown(caches, name, reference)
}

// pagesLike returns the pages whose paths end with a part, begin with it, or contain it elsewhere.
// If name is not "", it only searches this cache.
func pagesLike(caches []answers.Member, name, part string) (like [3][]string) {
	for _, of := range caches {
		if name != "" && of.Name != name || part == "" {
			continue
		}
		ids, _ := of.Documents() // errors of unreadable caches were reported before
		for _, id := range ids {
			id := string(id)
			at := strings.Index(id, part)
			if at < 0 {
				continue
			}
			how := 2
			if ends := "/" + part; strings.HasSuffix(id, ends) || strings.HasSuffix(pagename.Stem("/"+id), ends) {
				how = 0
			} else if at == 0 {
				how = 1
			}
			like[how] = append(like[how], prefix(of)+id)
		}
	}
	return like
}

const (
	mostLike   = 8  // pages in an error
	mostListed = 12 // sections in an error
)

// cutName removes the name of a cache, if any, from the beginning of a reference.
func cutName(caches []answers.Member, reference string) (name, rest string) {
	name, rest, hasName := strings.Cut(reference, ":")
	if hasName && slices.ContainsFunc(caches, func(of answers.Member) bool { return of.Name == name }) {
		return name, rest
	}
	return "", reference
}

// findIn returns the text named by a reference in a cache. It fails with [fs.ErrNotExist] if the
// page doesn't exist.
func findIn(ctx context.Context, of answers.Member, reference string) (passage, error) {
	if h, isHandle := parseHandle(reference); isHandle {
		return findHandle(ctx, of, h)
	}
	number, fragment, err := numberIn(of, reference)
	if numbers := printedLines().FindStringSubmatch(reference); numbers != nil && (err != nil || fragment != "") {
		number, _, err = numberIn(of, numbers[1])
		fragment = "L" + numbers[2] + "-L" + cmp.Or(numbers[3], numbers[2])
	}
	if err != nil {
		return passage{}, err
	}
	p, err := pageAt(ctx, of, number)
	if err != nil {
		return passage{}, err
	}
	if fragment == "" {
		return passage{p, p.parts[0].Start, len(p.doc.Content)}, nil
	}
	for _, part := range p.parts {
		if part.Slug == fragment {
			return passage{p, part.Start, part.End}, nil
		}
	}
	span, err := of.Span(p.doc.ID, fragment)
	if err != nil && fault.CodeOf(err) == fault.IO { // the page has no such part
		return passage{}, argumentErrorf("%s has no part #%s; its lines: %s; its sections: %s", p.name(), clip(fragment, longestPath), LineRange{1, p.line(max(0, len(p.doc.Content)-1))}, p.sectionList())
	}
	return passage{p, span.Start, span.End}, err
}

// printedLines matches a reference with lines as answers print them: "a.md#setup:12-40".
var printedLines = lazy.Regexp(`^(.*):([0-9]{1,9})(?:-([0-9]{1,9}))?$`)

func findHandle(ctx context.Context, of answers.Member, h handle) (passage, error) {
	p, err := pageAt(ctx, of, h.page)
	if err != nil {
		return passage{}, err
	}
	if h.check != checkOf(p.doc.ID, p.doc.Version) || h.section > len(p.parts) {
		return passage{}, fs.ErrNotExist
	}
	if h.section == 0 {
		return passage{p, p.parts[0].Start, len(p.doc.Content)}, nil
	}
	part := p.parts[h.section-1]
	return passage{p, part.Start, part.End}, nil
}

// sectionList lists the first sections with their handles and slugs.
func (p cachePage) sectionList() string {
	var all []string
	for i, part := range p.parts {
		all = append(all, p.handle(i+1)+" #"+part.Slug)
	}
	return few(all, mostListed, "more section")
}

// longestPath is how many bytes of a path an error repeats at most.
const longestPath = 200

// A reference is cut at "#" at most mostCuts times, and only if it is no longer than a path can be,
// because callers choose it and each cut can cost a search of all pages.
const (
	mostCuts         = 8
	longestReference = 8 << 10 // bytes
)

// pathsIn returns what can be the path in a reference, starting with the longest. There can be
// several because the name of a page can also contain "#".
func pathsIn(reference string) []string {
	paths := []string{reference}
	for at := len(reference); at <= longestReference && len(paths) <= mostCuts; {
		if at = strings.LastIndexByte(reference[:at], '#'); at < 0 {
			break
		}
		paths = append(paths, reference[:at])
	}
	return paths
}

// numberIn returns the number of the page with the longest path in a reference, and the fragment
// after the path. It fails with [fs.ErrNotExist] if there is no such page.
func numberIn(of answers.Member, reference string) (number int, fragment string, err error) {
	for _, path := range pathsIn(reference) {
		number, err = of.NumberOf(document.IDOf(path))
		if !errors.Is(err, fs.ErrNotExist) {
			return number, strings.TrimPrefix(reference[len(path):], "#"), err
		}
	}
	return 0, "", err
}

// unknown returns the error for a reference without a page. It lists similar pages.
func unknown(caches []answers.Member, name, reference string) error {
	if _, isHandle := parseHandle(reference); isHandle {
		return argumentErrorf("unknown handle %s: it may be from before a rebuild; search again, or read by ID", reference)
	}
	path := ""
	for _, path = range pathsIn(reference) {
		path = clip(path, longestPath)
		if near := nearest(caches, name, document.IDOf(path)); len(near) > 0 {
			return argumentErrorf("no page %s; nearest: %s", path, strings.Join(near, ", "))
		}
	}
	return argumentErrorf("no page %s: outline lists the pages, search finds them", path)
}
