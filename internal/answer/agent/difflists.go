package agent

import (
	"context"
	"fmt"
	slashpath "path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/pages/changes"
)

// A pathGroup is a list of pages with a heading.
type pathGroup struct {
	heading string
	lines   []pathLine
}

// A pathLine is the line of a page in a list. Lists are folded by their paths.
type pathLine struct {
	path           string
	text           string
	added, removed int // lines, or 0
}

func (l pathLine) size() int { return room("  " + oneLine(l.text)) }

// pathLists are the lists of pages in an answer.
type pathLists struct{ groups []pathGroup }

func (l pathLists) size() (size int) {
	for _, g := range l.groups {
		size += g.size()
	}
	return size
}

func (g pathGroup) size() int {
	size := room(g.heading + ":")
	for _, line := range g.lines {
		size += line.size()
	}
	return size
}

func (l *pathLists) add(heading string, lines []pathLine) {
	if len(lines) > 0 {
		l.groups = append(l.groups, pathGroup{heading, lines})
	}
}

// fold prints lists within room bytes. If they don't fit, each list gets a share of the room, and a
// single line can replace all pages of a directory.
func (a *answer) fold(lists pathLists, room int) {
	end := a.len() + room
	for i, g := range lists.groups {
		share := (end - a.len()) / (len(lists.groups) - i)
		if lists.size() <= room {
			share = room
		}
		for n, line := range g.fit(share) {
			if n == 0 {
				a.line("%s", line)
			} else {
				a.line("  %s", line)
			}
		}
	}
}

// fit returns the heading and the lines of a group. If these don't fit, it returns its directories at
// the deepest level that fits instead, and then fills the room with the pages of the first
// directories. If not even a single line fits, it returns nothing.
func (g pathGroup) fit(room int) (lines []string) {
	if g.size() <= room {
		lines = append(lines, g.heading+":")
		for _, line := range g.lines {
			lines = append(lines, line.text)
		}
		return lines
	}
	var best []pathGroup
	left := 0
	for level, isDeepest := 0, false; !isDeepest; level++ {
		var all []pathGroup
		all, isDeepest = g.atLevel(level)
		size := len(g.heading + ":\n")
		for _, dir := range all {
			size += len("  \n") + len(oneLine(dir.heading))
		}
		if size > room {
			break
		}
		best, left = all, room-size
	}
	if best == nil {
		return nil
	}
	lines = append(lines, g.heading+":")
	for _, dir := range best {
		more := -len("  \n") - len(oneLine(dir.heading))
		for _, line := range dir.lines {
			more += line.size()
		}
		if more > left {
			lines = append(lines, dir.heading)
			continue
		}
		left -= more
		for _, line := range dir.lines {
			lines = append(lines, line.text)
		}
	}
	return lines
}

// atLevel returns the pages by their directories of a level, with a line about each directory as
// the heading. isDeepest reports whether no page is in a deeper directory.
func (g pathGroup) atLevel(level int) (all []pathGroup, isDeepest bool) {
	places := map[string]int{} // in all
	var paths []string
	isDeepest = true
	for _, line := range g.lines {
		names := strings.Split(slashpath.Dir(line.path), "/")
		isDeepest = isDeepest && len(names) <= level
		path := strings.Join(names[:min(level, len(names))], "/")
		at, isKnown := places[path]
		if !isKnown {
			at = len(all)
			places[path] = at
			all, paths = append(all, pathGroup{}), append(paths, path)
		}
		all[at].lines = append(all[at].lines, line)
	}
	for i := range all {
		added, removed := 0, 0
		for _, line := range all[i].lines {
			added, removed = added+line.added, removed+line.removed
		}
		all[i].heading = count(len(all[i].lines), "page") + lineCounts(added, removed)
		if paths[i] != "" && paths[i] != "." {
			all[i].heading = paths[i] + "/ " + all[i].heading
		}
	}
	return all, isDeepest
}

func lineCounts(added, removed int) string {
	if added+removed == 0 {
		return ""
	}
	return fmt.Sprintf(" +%s -%s", thousands(added), thousands(removed))
}

// lists returns the pages that were renamed, removed and added.
func (d *DiffResult) lists(ctx context.Context) (lists pathLists, err error) {
	byKind := map[string][]pathLine{}
	for _, p := range d.pages {
		line := pathLine{path: string(p.ID()), text: string(p.ID())}
		switch kind := p.kind(); kind {
		case "renamed":
			line.text = fmt.Sprintf("%s -> %s", p.Old.ID, p.New.ID)
			if p.share > 0 {
				line.text += fmt.Sprintf(" (%d%% the same)", p.share)
			}
			byKind[kind] = append(byKind[kind], line)
		case "added", "removed":
			if len(byKind[kind]) < mostTitle {
				about, err := d.about(ctx, p)
				if err != nil {
					return lists, err
				}
				line.text += about
			}
			byKind[kind] = append(byKind[kind], line)
		}
	}
	for _, kind := range []string{"renamed", "removed", "added"} {
		lists.add(kind, byKind[kind])
	}
	return lists, nil
}

// about returns the title and the size of an added or removed page.
func (d *DiffResult) about(ctx context.Context, p changedPage) (string, error) {
	of, number := d.new, p.New.Number
	if p.IsRemoved() {
		of, number = d.old, p.Old.Number
	}
	page, err := pageAt(ctx, of, number)
	if err != nil {
		return "", err
	}
	title := ""
	if page.title() != "" {
		title = " " + shortHeading(page.title())
	}
	return fmt.Sprintf("%s (%s tokens)", title, thousands(tokensOf(len(page.doc.Content)))), nil
}

// rest lists the changed pages unless the answer contains all of their changes.
func (t *diffTexts) rest() (rest pathLists) {
	shown := map[int]int{}
	for _, it := range t.items {
		shown[it.page] += it.lines
	}
	var lines []pathLine
	for i, p := range t.pages {
		if p.IsAdded() || shown[i] >= p.added+p.removed-p.blank {
			continue
		}
		line := pathLine{path: string(p.ID()), added: p.added, removed: p.removed}
		line.text = string(p.ID()) + lineCounts(p.added, p.removed)
		var headings []string
		for _, part := range p.parts {
			under := part.New.Headings
			if part.Kind == changes.PartRemoved {
				under = part.Old.Headings
			}
			if len(under) > 0 {
				headings = append(headings, shortHeading(under[len(under)-1]))
			}
		}
		if len(headings) > 0 {
			line.text += ": " + few(slices.Compact(headings), mostHeadings, "other part")
		}
		lines = append(lines, line)
	}
	rest.add("changed, but not shown completely", lines)
	return rest
}

// mostHeadings is how many headings of a page a list names.
const mostHeadings = 3
