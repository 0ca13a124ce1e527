package agent

import (
	"cmp"
	"context"
	"fmt"
	slashpath "path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/selection"
)

// An OutlineRequest asks for pages and their headings.
type OutlineRequest struct {
	Filter selection.Filter
	Depth  int // lowest level of headings, 1 to 6; 0 leaves headings out
	Budget int // maximum of tokens in the outline; 0 means DefaultTokens

	Project ProjectReader // may be nil; ignored if there is a Filter, which is for pages
}

// DeepestHeadings is the Depth of an outline with all headings.
const DeepestHeadings = 6

// Outline lists the pages of caches with their headings, as far as they fit into the budget, and
// one cache after the other. Pages near the root are chosen first, then the headings of the highest
// level. If not all pages fit, the rest is replaced by a line per directory. The contexts of a
// project come last. They can take a quarter of the budget, or all of it without caches.
func Outline(ctx context.Context, set *answers.Set, request OutlineRequest) (*Answer, error) {
	o, err := newOutline(ctx, set, request, false)
	if err != nil {
		return nil, err
	}
	if len(o.pages) == 0 && o.contexts == nil {
		return nil, noPages(ctx, set.Members(), request.Filter)
	}
	var a Answer
	if len(set.Members()) > 0 {
		a.note("%s, %s tokens. Each line: handle, name (tokens). Read takes handles.",
			count(len(o.pages), "page"), thousands(o.tokens))
	}
	return &a, o.print(ctx, &a)
}

// An outline is the pages of caches with their headings, and the contexts of a project.
type outline struct {
	budget   int // bytes
	depth    int
	pages    []answers.PageInfo // in the order of their caches and IDs
	tokens   int                // of all pages
	caches   []answers.Member   // whose pages they are
	contexts *Answer            // nil without a project
	isInFile bool               // whether the lines become part of a Markdown file
}

// An outlinedPage is a page with its line, and the lines of its headings.
type outlinedPage struct {
	answers.PageInfo
	line     AnswerPart
	headings []AnswerPart
}

// pageOf returns a page with its line.
func (o *outline) pageOf(p answers.PageInfo) *outlinedPage {
	id, title, tokens := prefix(p.Member)+string(p.ID), "", tokensOf(p.Size)
	if p.Title != "" {
		title = " " + shortHeading(p.Title)
	}
	line := lineOf("%s", o.printed(words.Printable(id)+title))
	if !o.isInFile {
		handle := prefix(p.Member) + handleOf(p.Number, p.ID, p.Version, 0) // with the name of the cache
		line = handleLine(handle, words.Printable(string(p.ID))+title, tokens)
	}
	return &outlinedPage{PageInfo: p, line: AnswerPart{
		Kind: PagePart, Reference: id, Path: string(p.ID), Label: p.Title, Tokens: tokens, Line: line,
	}}
}

func handleLine(handle, name string, tokens int) AnswerLine {
	return lineOf("%s %s (%s)", AnswerPiece{handle, Handle}, name, thousands(tokens))
}

// printed returns a name fit to begin a line. In a file, it also escapes names that would open a
// fence or an HTML block and so change the text after them.
func (o *outline) printed(name string) string {
	name = oneLine(name)
	if o.isInFile && (markdown.FenceOf([]byte(name)).IsOpen() || strings.HasPrefix(name, "<")) {
		return `\` + name
	}
	return name
}

// room returns the room that a line takes.
func room(line string) int { return len(line) + len("\n") }

// cacheLine returns the line before the pages of a cache.
func (o *outline) cacheLine(of answers.Member) AnswerPart {
	pages, tokens := 0, 0
	for _, p := range o.pages {
		if p.Member.Name == of.Name {
			pages++
			tokens += tokensOf(p.Size)
		}
	}
	line := fmt.Sprintf("%s: %s, %s tokens", originOf(of), count(pages, "page"), thousands(tokens))
	return AnswerPart{Kind: CachePart, Reference: of.Name, Label: originOf(of), Tokens: tokens, Line: lineOf("%s", line)}
}

// hasCacheLines reports whether each cache has a line. In a file, the names of pages contain the
// names of their caches instead, because people copy single lines, and the sizes would change
// often.
func (o *outline) hasCacheLines() bool { return len(o.caches) > 1 && !o.isInFile }

// newOutline lists the pages, and prints the contexts of the project. The lines for a file don't
// contain the states of the directories.
func newOutline(ctx context.Context, set *answers.Set, request OutlineRequest, isInFile bool) (*outline, error) {
	o := &outline{budget: 4 * cmp.Or(request.Budget, DefaultTokens), depth: request.Depth, isInFile: isInFile}
	var err error
	if o.pages, err = set.Pages(ctx, request.Filter, 0); err != nil {
		return nil, err
	}
	for _, p := range o.pages {
		if n := len(o.caches); n == 0 || o.caches[n-1].Name != p.Member.Name {
			o.caches = append(o.caches, p.Member)
		}
		o.tokens += tokensOf(p.Size)
	}
	if request.Project == nil || len(request.Filter.Paths)+len(request.Filter.Where) > 0 {
		return o, nil
	}
	budget := o.budget
	if len(set.Members()) > 0 {
		budget /= 4
	}
	o.contexts, err = outlineProject(ctx, request.Project, budget, !isInFile)
	if err == nil {
		o.budget -= o.contexts.size()
	}
	return o, err
}

// print prints what fits into the budget.
func (o *outline) print(ctx context.Context, a *Answer) error {
	pages, rest := o.choosePages()
	if len(rest) == 0 && o.depth > 0 {
		if err := o.addHeadings(ctx, pages); err != nil {
			return err
		}
	}
	for _, of := range o.caches {
		isFirst := true
		for _, p := range pages {
			if p.Member.Name != of.Name {
				continue
			}
			if o.hasCacheLines() && isFirst {
				a.part(o.cacheLine(of))
			}
			isFirst = false
			a.part(p.line)
			a.parts(p.headings)
		}
		a.parts(rest[of.Name])
	}
	a.parts(rest[allCaches])
	if o.contexts != nil {
		a.append(o.contexts)
	}
	return nil
}

// allCaches stands for all caches where other keys are their names.
const allCaches = "/"

// choosePages returns the pages that fit into the budget, and lines for the directories of the
// other pages, by cache. If not all pages fit, directories can take a quarter of the budget.
func (o *outline) choosePages() (pages []*outlinedPage, rest map[string][]AnswerPart) {
	for _, p := range o.pages {
		pages = append(pages, o.pageOf(p))
	}
	left, roomOf := o.budget, o.measure()
	for _, p := range pages {
		left -= roomOf(p)
	}
	if left >= 0 {
		o.budget = left
		return pages, nil
	}
	byRank := func(a, b *outlinedPage) int {
		return cmp.Or(cmp.Compare(rankOfPage(a.PageInfo), rankOfPage(b.PageInfo)), takeTurns(a, b))
	}
	pages, others := fitting(pages, byRank, o.measure(), o.budget*3/4)
	return pages, o.directoriesOf(others)
}

// takeTurns orders pages so that a large cache doesn't push out the pages of the caches after it.
func takeTurns(a, b *outlinedPage) int { return cmp.Compare(a.Number, b.Number) }

// measure returns a function for the room that the line of a page takes, with the line of the cache
// before its first page.
func (o *outline) measure() func(*outlinedPage) int {
	isNamed := map[string]bool{}
	return func(p *outlinedPage) int {
		size := p.line.size()
		if name := p.Member.Name; o.hasCacheLines() && !isNamed[name] {
			isNamed[name] = true
			size += o.cacheLine(p.Member).size()
		}
		return size
	}
}

// fitting splits values into those that fit into a room, and the others. It takes them in an order
// up to the first that doesn't fit, and then restores their order.
func fitting[T any](values []T, order func(a, b T) int, size func(T) int, room int) (fit, others []T) {
	places := make([]int, len(values))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return order(values[a], values[b]) })
	n := 0
	for _, at := range places {
		if room -= size(values[at]); room < 0 {
			break
		}
		n++
	}
	slices.Sort(places[:n])
	slices.Sort(places[n:])
	for i, at := range places {
		if i < n {
			fit = append(fit, values[at])
		} else {
			others = append(others, values[at])
		}
	}
	return fit, others
}

// rankOfPage orders pages by how much they say about the others: pages near the root come first,
// the index page of a directory comes before its other pages, and hidden pages come last.
func rankOfPage(p answers.PageInfo) int {
	rank := 2 * strings.Count(string(p.ID), "/")
	if strings.HasPrefix(string(p.ID), ".") || strings.Contains(string(p.ID), "/.") {
		rank += 1000
	}
	if isIntroduction(slashpath.Base(string(p.ID))) {
		return rank
	}
	return rank + 1
}

// isIntroduction reports whether a page with this name introduces its directory.
func isIntroduction(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	return stem == "readme" || stem == "index" || stem == "_index"
}

// directoriesOf returns a line for each directory of pages, by cache, at the deepest level whose
// lines fit into a quarter of the budget. Several caches are the first level.
func (o *outline) directoriesOf(pages []*outlinedPage) (best map[string][]AnswerPart) {
	deepest := 0
	for _, p := range pages {
		deepest = max(deepest, 1+strings.Count(p.line.Reference, "/"))
	}
	for level := range deepest + 1 {
		all, size := map[string][]AnswerPart{}, 0
		for _, group := range grouped(pages, func(p *outlinedPage) string { return o.directoryOf(p.PageInfo, level) }) {
			cache, path, tokens := group[0].Member.Name, o.directoryOf(group[0].PageInfo, level), 0
			if len(o.caches) > 1 && level == 0 {
				cache = allCaches
			}
			for _, p := range group {
				tokens += p.line.Tokens
			}
			name := path + "/"
			if strings.HasSuffix(path, ":") {
				name = path
			}
			text := fmt.Sprintf("%s %s, %s tokens", name, count(len(group), "more page"), thousands(tokens))
			line := AnswerPart{Kind: DirectoryPart, Reference: path, Tokens: tokens, Line: lineOf("%s", o.printed(text))}
			size += line.size()
			all[cache] = append(all[cache], line)
		}
		if level > 0 && size > o.budget/4 {
			break
		}
		best = all
	}
	return best
}

// directoryOf returns the directory of a page up to a level, with the name of the cache.
func (o *outline) directoryOf(p answers.PageInfo, level int) string {
	if len(o.caches) > 1 {
		if level == 0 {
			return ""
		}
		level--
	}
	path := slashpath.Dir(string(p.ID))
	if names := strings.Split(path, "/"); len(names) > level {
		path = strings.Join(names[:level], "/")
	}
	if path == "." && p.Member.Name != "" {
		path = ""
	}
	return prefix(p.Member) + path
}

// addHeadings adds headings to the pages while they fit, starting with the highest level.
func (o *outline) addHeadings(ctx context.Context, pages []*outlinedPage) error {
	type heading struct {
		of   *outlinedPage
		line AnswerPart
	}
	var all []heading
	for _, p := range pages {
		lines, err := o.headingsOf(ctx, p.PageInfo)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		for _, line := range lines {
			if line.Level <= o.depth {
				all = append(all, heading{p, line})
			}
		}
	}
	byLevel := func(a, b heading) int { return cmp.Or(cmp.Compare(a.line.Level, b.line.Level), takeTurns(a.of, b.of)) }
	fit, _ := fitting(all, byLevel, func(h heading) int { return h.line.size() }, o.budget)
	for _, h := range fit {
		h.of.headings = append(h.of.headings, h.line)
	}
	return nil
}

// shortestLine is the minimum size of a heading's line in bytes: indentation, name and line end.
const shortestLine = 4

// headingsOf returns the lines of a page's headings except its title, with levels starting at 1. If
// there are more headings of a level than the budget could ever contain, it leaves out the rest,
// because a hostile page can contain a million.
func (o *outline) headingsOf(ctx context.Context, page answers.PageInfo) (lines []AnswerPart, err error) {
	p, err := pageAt(ctx, page.Member, page.Number)
	if err != nil {
		return nil, err
	}
	title := p.title()
	var taken [DeepestHeadings + 1]int // by level
	for i, b := range p.blocks {
		if b.Level == 0 || b.Title == "" || len(lines) == 0 && b.Title == title || taken[b.Level]*shortestLine > o.budget {
			continue
		}
		taken[b.Level]++
		name, handle, tokens := shortHeading(b.Title), p.handle(p.partAt(b.Start)+1), tokensOf(p.textEnd(i)-b.Start)
		line := lineOf("#%s %s", b.Anchor, name)
		if !o.isInFile {
			line = handleLine(handle, name, tokens)
		}
		lines = append(lines, AnswerPart{Kind: HeadingPart, Level: b.Level, Reference: handle, Label: name, Tokens: tokens, Line: line})
	}
	least := DeepestHeadings
	for _, line := range lines {
		least = min(least, line.Level)
	}
	for i := range lines {
		lines[i].Level -= least - 1
	}
	return lines, nil
}
