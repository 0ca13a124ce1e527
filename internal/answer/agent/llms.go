package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	slashpath "path"
	"slices"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/pagename"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/selection"
)

// LLMsText returns the pages allowed by a filter as an llms.txt (https://llmstxt.org): a title, the
// description of the cache as a quotation, and for each directory a heading and a list of links
// with the first sentences of the pages. Links begin with the base URL of the cache. Without a base
// URL, they are the paths of the sources.
func LLMsText(ctx context.Context, set *answers.Set, filter selection.Filter) ([]byte, error) {
	var pages []linkedPage
	filters, err := answers.Narrow(ctx, set.Members(), filter)
	if err != nil {
		return nil, err
	}
	for i, of := range set.Members() {
		some, err := answers.EachDocument(ctx, of.Cache, filters[i], 0, func(n int, doc document.Document) (linkedPage, error) {
			p, err := pageOf(ctx, of, n, doc)
			return linkOf(p), err
		})
		if err != nil {
			return nil, err
		}
		pages = append(pages, some...)
	}
	if len(pages) == 0 {
		return nil, noPages(ctx, set.Members(), filter)
	}
	var sources []string
	for _, p := range pages {
		sources = append(sources, p.source)
	}
	shared := commonDirectory(sources)
	var a Answer
	a.note("# %s", titleOf(set.Members(), pages, shared))
	if members := set.Members(); len(members) == 1 && members[0].About().Description != "" {
		a.note("")
		a.note("> %s", members[0].About().Description)
	}
	for _, g := range groupsOf(pages, shared) {
		a.note("")
		a.note("## %s", g.heading())
		a.note("")
		for _, p := range g.pages {
			a.note("%s", p.line())
		}
	}
	return a.Markdown(), nil
}

// A linkedPage is the information about a page in an llms.txt.
type linkedPage struct {
	cache    string // name; "" for a single cache
	source   string
	title    string // may be ""
	url      string
	sentence string // may be ""
}

// longestTitle is the maximum size in bytes of a title in an llms.txt.
const longestTitle = 120

func linkOf(p cachePage) linkedPage {
	link := p.of.About().URL(p.doc.Source, "")
	if link == "" {
		link = (&url.URL{Path: p.path()}).String() // adds "./" if the path looks like it begins with a scheme
	}
	return linkedPage{
		cache:    p.of.Name,
		source:   p.path(),
		title:    clip(strings.Join(strings.Fields(markdown.WithoutAnchor(p.title())), " "), longestTitle),
		url:      linkEscapes.Replace(link),
		sentence: clip(p.summary(), longestSentence),
	}
}

// linkEscapes escapes parentheses, which could end the link before the end of the URL.
var linkEscapes = strings.NewReplacer("(", "%28", ")", "%29")

// summary returns the description in the front matter or the first sentence of the page, as a
// single line.
func (p cachePage) summary() string {
	if description := strings.Fields(p.doc.Metadata["description"].String()); len(description) > 0 {
		return strings.Join(description, " ")
	}
	for _, part := range p.parts {
		if part.IsMetadata {
			continue // fields are not sentences
		}
		text := bytes.TrimPrefix(p.readable(part), []byte("\ufeff"))
		for _, sentence := range markdown.Quotable(text) {
			if !strings.HasPrefix(sentence, "|") && strings.ContainsFunc(sentence, unicode.IsLetter) {
				return sentence
			}
		}
	}
	return ""
}

// line returns the list item for a page. Readers of llms.txt end a link at its first closing
// bracket, so the title must not contain brackets, or open a code span or tag around them.
func (p linkedPage) line() string {
	title := cmp.Or(p.title, slashpath.Base(p.source))
	title = strings.NewReplacer("[", "(", "]", ")", `\`, `\\`, "<", `\<`).Replace(words.Printable(title))
	if strings.Count(title, "`")%2 == 1 {
		title = strings.ReplaceAll(title, "`", "'")
	}
	item := fmt.Sprintf("- [%s](%s)", title, p.url)
	if p.sentence != "" {
		item += ": " + p.sentence
	}
	return item
}

// A linkGroup is the pages of a directory.
type linkGroup struct {
	cache     string
	directory string // "" for pages outside of the directories
	pages     []linkedPage
}

// groupsOf groups the pages by cache and by the first directory below their shared directory. Pages
// outside of such directories come first, and hidden directories last. In each group, the index
// page of the directory comes first.
func groupsOf(pages []linkedPage, shared string) (groups []linkGroup) {
	directoryOf := func(p linkedPage) string {
		directory, _, isBelow := strings.Cut(p.source[len(shared):], "/")
		if !isBelow {
			return ""
		}
		return directory
	}
	for _, some := range grouped(pages, func(p linkedPage) string { return p.cache + ":" + directoryOf(p) }) {
		g := linkGroup{cache: some[0].cache, directory: directoryOf(some[0])}
		for _, p := range some {
			at := len(g.pages)
			if p.introduces(strings.TrimSuffix(shared+g.directory, "/")) {
				at = 0
			}
			g.pages = slices.Insert(g.pages, at, p)
		}
		groups = append(groups, g)
	}
	slices.SortStableFunc(groups, func(a, b linkGroup) int {
		return cmp.Or(cmp.Compare(a.cache, b.cache), cmp.Compare(a.rank(), b.rank()))
	})
	return groups
}

func (g linkGroup) rank() int {
	switch {
	case g.directory == "":
		return 0
	case g.directory[0] == '.':
		return 2
	}
	return 1
}

// heading returns the heading of the list. It is never "Optional", because readers of
// llms.txt can skip a list with this heading.
func (g linkGroup) heading() string {
	heading := cmp.Or(g.directory, "Pages")
	if strings.EqualFold(heading, "Optional") {
		heading += "/"
	}
	if g.cache != "" {
		heading = g.cache + ": " + heading
	}
	return heading
}

// introduces reports whether the page introduces a directory, as a README does.
func (p linkedPage) introduces(directory string) bool {
	dir, name := slashpath.Split(p.source)
	switch strings.ToLower(pagename.Stem(name)) {
	case "readme", "index", "_index":
		return strings.TrimSuffix(dir, "/") == directory
	}
	return false
}

// commonDirectory returns the deepest directory containing all paths, with a slash at its end, or
// "".
func commonDirectory[Path ~string](paths []Path) (directory string) {
	for i, path := range paths {
		if i == 0 {
			directory, _ = slashpath.Split(string(path))
		}
		for !strings.HasPrefix(string(path), directory) {
			directory, _ = slashpath.Split(strings.TrimSuffix(directory, "/"))
		}
	}
	return directory
}

// titleOf returns the title of the index page of the only cache. If this title is only the name of
// the page, it returns the name of the cache instead.
func titleOf(members []answers.Member, pages []linkedPage, shared string) string {
	const byDefault = "Documentation"
	if len(members) > 1 {
		return byDefault
	}
	for _, p := range pages {
		hasTitle := p.title != "" && !strings.EqualFold(p.title, pagename.Stem(slashpath.Base(p.source)))
		if hasTitle && p.introduces(strings.TrimSuffix(shared, "/")) {
			return p.title
		}
	}
	return cmp.Or(members[0].Name, byDefault)
}
