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
	o, err := newOutline(ctx, set, request, true)
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
	caches   []cacheLine        // whose pages they are
	contexts *Answer            // nil without a project
	isInFile bool               // whether the lines become part of a Markdown file
}

// part returns the part for a line.
func (o *outline) part(kind AnswerKind, l *outlineLine) AnswerPart {
	p := AnswerPart{Kind: kind, Level: l.level, Reference: l.handle, Tokens: l.tokens}
	switch {
	case !o.isInFile:
		p.Line = lineOf("%s %s (%s)", AnswerPiece{l.handle, Handle}, l.name, thousands(l.tokens))
	case l.level > 0:
		p.Line = lineOf("#%s %s", l.anchor, l.name)
	default:
		p.Line = lineOf("%s", o.printed(l.name))
	}
	return p
}

// printed returns a name fit to begin a line. In a file, it also escapes names that would open a fence
// or an HTML block and so change the text after them.
func (o *outline) printed(name string) string {
	name = oneLine(name)
	if o.isInFile && (markdown.FenceOf([]byte(name)).IsOpen() || strings.HasPrefix(name, "<")) {
		return `\` + name
	}
	return name
}

// room returns the room that a line takes.
func room(line string) int { return len(line) + len("\n") }

// A cacheLine precedes the pages of a cache, if there are several caches.
type cacheLine struct {
	of            answers.Member
	pages, tokens int
}

func (c cacheLine) String() string {
	return fmt.Sprintf("%s: %s, %s tokens", originOf(c.of), count(c.pages, "page"), thousands(c.tokens))
}

// hasCacheLines reports whether each cache has a line. In a file, the names of pages contain the
// names of their caches instead, because people copy single lines, and the sizes would change
// often.
func (o *outline) hasCacheLines() bool { return len(o.caches) > 1 && !o.isInFile }

// An outlineLine is a page, or a heading of a page.
type outlineLine struct {
	level  int // 0 for a page, 1 for its headings of the highest level
	handle string
	id     string // of a page, with the name of the cache
	anchor string // of a heading
	name   string
	tokens int
}

// newOutline lists the pages, and prints the contexts of the project. With showStates, it includes
// the states of the directories.
func newOutline(ctx context.Context, set *answers.Set, request OutlineRequest, showStates bool) (*outline, error) {
	o := &outline{budget: 4 * cmp.Or(request.Budget, DefaultTokens), depth: request.Depth}
	var err error
	if o.pages, err = set.Pages(ctx, request.Filter, 0); err != nil {
		return nil, err
	}
	for _, p := range o.pages {
		if n := len(o.caches); n == 0 || o.caches[n-1].of.Name != p.Member.Name {
			o.caches = append(o.caches, cacheLine{of: p.Member})
		}
		of := &o.caches[len(o.caches)-1]
		of.pages++
		of.tokens += tokensOf(p.Size)
		o.tokens += tokensOf(p.Size)
	}
	if request.Project == nil || len(request.Filter.Paths)+len(request.Filter.Where) > 0 {
		return o, nil
	}
	budget := o.budget
	if len(set.Members()) > 0 {
		budget /= 4
	}
	o.contexts, err = outlineProject(ctx, request.Project, budget, showStates)
	if err == nil {
		o.budget -= o.contexts.size()
	}
	return o, err
}

// print prints what fits into the budget.
func (o *outline) print(ctx context.Context, a *Answer) error {
	lines, rest := o.choosePages()
	if len(rest) == 0 && o.depth > 0 {
		if err := o.addHeadings(ctx, lines); err != nil {
			return err
		}
	}
	for _, of := range o.caches {
		isOf := func(l pageLine) bool { return l.info.Member.Name == of.of.Name }
		if o.hasCacheLines() && len(lines) > 0 && isOf(lines[0]) {
			a.part(AnswerPart{Kind: CachePart, Reference: of.of.Name, Label: originOf(of.of), Tokens: of.tokens, Line: lineOf("%s", of)})
		}
		for ; len(lines) > 0 && isOf(lines[0]); lines = lines[1:] {
			o.printPage(a, lines[0])
		}
		for ; len(rest) > 0 && rest[0].cache == of.of.Name; rest = rest[1:] {
			o.printDirectory(a, rest[0])
		}
	}
	for _, dir := range rest {
		o.printDirectory(a, dir)
	}
	if o.contexts != nil {
		a.append(o.contexts)
	}
	return nil
}

func (o *outline) printPage(a *Answer, line pageLine) {
	page := o.part(PagePart, line.outlineLine)
	page.Reference, page.Path, page.Label = line.id, string(line.info.ID), line.info.Title
	a.part(page)
	for _, heading := range line.headings {
		part := o.part(HeadingPart, heading)
		part.Label = heading.name
		a.part(part)
	}
}

func (o *outline) printDirectory(a *Answer, dir directoryLine) {
	a.part(AnswerPart{Kind: DirectoryPart, Reference: dir.path, Tokens: dir.tokens, Line: lineOf("%s", o.printed(dir.String()))})
}

// A pageLine is the line of a page with the lines of its headings.
type pageLine struct {
	*outlineLine
	info     answers.PageInfo
	headings []*outlineLine
}

// A directoryLine replaces the lines of a directory's pages.
type directoryLine struct {
	cache         string // allCaches if it replaces all pages of several caches
	path          string // with the name of the cache
	pages, tokens int
}

const allCaches = "/" // not the name of a cache

func (d directoryLine) String() string {
	path := d.path
	if !strings.HasSuffix(path, ":") {
		path += "/"
	}
	return fmt.Sprintf("%s %s, %s tokens", path, count(d.pages, "more page"), thousands(d.tokens))
}

// choosePages returns the lines of the pages that fit into the budget, and the directories of the
// other pages. If not all pages fit, directories can take a quarter of the budget.
func (o *outline) choosePages() (lines []pageLine, rest []directoryLine) {
	for _, p := range o.pages {
		lines = append(lines, o.lineOf(p))
	}
	left, roomOf := o.budget, o.measure()
	for _, line := range lines {
		left -= roomOf(line)
	}
	if left >= 0 {
		o.budget = left
		return lines, nil
	}
	order := slices.Clone(lines)
	slices.SortStableFunc(order, func(a, b pageLine) int {
		return cmp.Or(cmp.Compare(rankOfPage(a.info), rankOfPage(b.info)), takeTurns(a, b))
	})
	left, roomOf = o.budget*3/4, o.measure()
	fits := map[*outlineLine]bool{}
	for _, line := range order {
		if left -= roomOf(line); left < 0 {
			break
		}
		fits[line.outlineLine] = true
	}
	others := slices.DeleteFunc(slices.Clone(lines), func(l pageLine) bool { return fits[l.outlineLine] })
	lines = slices.DeleteFunc(lines, func(l pageLine) bool { return !fits[l.outlineLine] })
	return lines, o.directoriesOf(others)
}

// takeTurns orders pages so that a large cache doesn't push out the pages of the caches after it.
func takeTurns(a, b pageLine) int { return cmp.Compare(a.info.Number, b.info.Number) }

// measure returns a function for the room that the lines of pages take, with the line of the cache
// before the first page of each.
func (o *outline) measure() func(pageLine) int {
	isNamed := map[string]bool{}
	return func(l pageLine) int {
		size := o.part(PagePart, l.outlineLine).size()
		if name := l.info.Member.Name; o.hasCacheLines() && !isNamed[name] {
			isNamed[name] = true
			at := slices.IndexFunc(o.caches, func(c cacheLine) bool { return c.of.Name == name })
			size += room(o.printed(o.caches[at].String()))
		}
		return size
	}
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

func (o *outline) lineOf(p answers.PageInfo) pageLine {
	id := prefix(p.Member) + string(p.ID)
	name := words.Printable(id)
	if !o.isInFile {
		name = words.Printable(string(p.ID)) // because the handle contains the name of the cache
	}
	if p.Title != "" {
		name += " " + shortHeading(p.Title)
	}
	handle := prefix(p.Member) + handleOf(p.Number, p.ID, p.Version, 0)
	return pageLine{&outlineLine{handle: handle, id: id, name: name, tokens: tokensOf(p.Size)}, p, nil}
}

// directoriesOf returns the directories of pages, at the deepest level whose lines fit into a
// quarter of the budget.
func (o *outline) directoriesOf(pages []pageLine) (best []directoryLine) {
	deepest := 0
	for _, p := range pages {
		deepest = max(deepest, 1+strings.Count(p.id, "/"))
	}
	for level := 0; level <= deepest; level++ {
		var all []directoryLine
		size := 0
		for _, group := range grouped(pages, func(p pageLine) string { return o.directoryOf(p.info, level).path }) {
			dir := o.directoryOf(group[0].info, level)
			dir.pages = len(group)
			for _, p := range group {
				dir.tokens += p.tokens
			}
			size += room(o.printed(dir.String()))
			all = append(all, dir)
		}
		if level > 0 && size > o.budget/4 {
			break
		}
		best = all
	}
	return best
}

// directoryOf returns the directory of a page up to a level. Several caches are the first level.
func (o *outline) directoryOf(p answers.PageInfo, level int) directoryLine {
	if len(o.caches) > 1 && level == 0 {
		return directoryLine{cache: allCaches}
	}
	if len(o.caches) > 1 {
		level--
	}
	path := slashpath.Dir(string(p.ID))
	if names := strings.Split(path, "/"); len(names) > level {
		path = strings.Join(names[:level], "/")
	}
	if path == "." && p.Member.Name != "" {
		path = ""
	}
	return directoryLine{cache: p.Member.Name, path: prefix(p.Member) + path}
}

// addHeadings adds headings to the pages while they fit, starting with the highest level.
func (o *outline) addHeadings(ctx context.Context, lines []pageLine) error {
	fits := map[*outlineLine]bool{}
	for i := range lines {
		var err error
		if err = context.Cause(ctx); err != nil {
			return err
		}
		if lines[i].headings, err = headingsOf(ctx, lines[i], o.budget); err != nil {
			return err
		}
	}
	order := slices.Clone(lines)
	slices.SortStableFunc(order, takeTurns)
	for level := 1; level <= o.depth; level++ {
		for _, line := range order {
			for _, h := range line.headings {
				if h.level != level || o.budget < 0 {
					continue
				}
				if o.budget -= o.part(HeadingPart, h).size(); o.budget >= 0 {
					fits[h] = true
				}
			}
		}
	}
	for i := range lines {
		lines[i].headings = slices.DeleteFunc(lines[i].headings, func(h *outlineLine) bool { return !fits[h] })
	}
	return nil
}

// shortestLine is the minimum size of a heading's line in bytes: indentation, name and line end.
const shortestLine = 4

// headingsOf returns the headings of a page except its title, with levels starting at 1. If there
// are more headings of a level than the budget of bytes could ever contain, it leaves out the rest,
// because a hostile page can contain a million.
func headingsOf(ctx context.Context, line pageLine, budget int) (headings []*outlineLine, err error) {
	p, err := pageAt(ctx, line.info.Member, line.info.Number)
	if err != nil {
		return nil, err
	}
	title := p.title()
	var taken [DeepestHeadings + 1]int // by level
	for i, b := range p.blocks {
		if b.Level == 0 || b.Title == "" || len(headings) == 0 && b.Title == title || taken[b.Level]*shortestLine > budget {
			continue
		}
		taken[b.Level]++
		end := len(p.doc.Content)
		if next := slices.IndexFunc(p.blocks[i+1:], func(b markdown.Block) bool { return b.Level > 0 }); next >= 0 {
			end = p.blocks[i+1+next].Start
		}
		headings = append(headings, &outlineLine{
			level: b.Level, handle: p.handle(p.partAt(b.Start) + 1), anchor: b.Anchor,
			name: shortHeading(b.Title), tokens: tokensOf(end - b.Start),
		})
	}
	least := DeepestHeadings
	for _, h := range headings {
		least = min(least, h.level)
	}
	for _, h := range headings {
		h.level -= least - 1
	}
	return headings, nil
}
