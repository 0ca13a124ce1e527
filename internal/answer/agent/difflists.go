package agent

import (
	"context"
	"fmt"
	slashpath "path"
	"slices"
	"strings"
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

// pathLists are the lists of pages in an answer.
type pathLists []pathGroup

func (l pathLists) size() (size int) {
	for _, g := range l {
		size += room(g.heading+":") + sizeOf(g.texts())
	}
	return size
}

func (g pathGroup) texts() (texts []string) {
	for _, line := range g.lines {
		texts = append(texts, line.text)
	}
	return texts
}

// sizeOf returns the room that lines of a list take.
func sizeOf(lines []string) (size int) {
	for _, line := range lines {
		size += room(indent + oneLine(line))
	}
	return size
}

// fold prints lists within a number of bytes. If they don't fit, each list gets a share of the
// room, and a single line can replace all pages of a directory.
func (a *Answer) fold(lists pathLists, most int) {
	end := a.size() + most
	for i, g := range lists {
		share := (end - a.size()) / (len(lists) - i)
		if lists.size() <= most {
			share = most
		}
		if lines := g.fit(share); len(lines) > 0 {
			a.note("%s:", g.heading)
			for _, line := range lines {
				a.add(NotePart, 1, line)
			}
		}
	}
}

// fit returns the lines of a group that fit below its heading. If not all fit, it returns the
// directories of the deepest level that fits instead, and then fills the room with the pages of the
// first directories. If not even a single line fits, it returns nothing.
func (g pathGroup) fit(most int) (lines []string) {
	left := most - room(g.heading+":")
	if all := g.texts(); sizeOf(all) <= left {
		return all
	}
	deepest := 0
	for _, line := range g.lines {
		deepest = max(deepest, 1+strings.Count(line.path, "/"))
	}
	var dirs []pathGroup
	for level := range deepest + 1 {
		deeper := g.atLevel(level)
		if sizeOf(headingsOf(deeper)) > left {
			break
		}
		dirs = deeper
	}
	left -= sizeOf(headingsOf(dirs))
	for _, dir := range dirs {
		texts := []string{dir.heading}
		if more := sizeOf(dir.texts()) - sizeOf(texts); more <= left {
			left -= more
			texts = dir.texts()
		}
		lines = append(lines, texts...)
	}
	return lines
}

func headingsOf(groups []pathGroup) (headings []string) {
	for _, g := range groups {
		headings = append(headings, g.heading)
	}
	return headings
}

// atLevel returns the pages by their directories of a level, with a line about each directory as
// the heading.
func (g pathGroup) atLevel(level int) (all []pathGroup) {
	directoryOf := func(line pathLine) string {
		names := strings.Split(slashpath.Dir(line.path), "/")
		return strings.Join(names[:min(level, len(names))], "/")
	}
	for _, lines := range grouped(g.lines, directoryOf) {
		added, removed := 0, 0
		for _, line := range lines {
			added, removed = added+line.added, removed+line.removed
		}
		heading := count(len(lines), "page") + lineCounts(added, removed)
		if path := directoryOf(lines[0]); path != "" && path != "." {
			heading = path + "/ " + heading
		}
		all = append(all, pathGroup{heading, lines})
	}
	return all
}

func lineCounts(added, removed int) string {
	if added+removed == 0 {
		return ""
	}
	return fmt.Sprintf(" +%s -%s", thousands(added), thousands(removed))
}

// lists returns the pages that were renamed, removed and added.
func (d *DiffResult) lists(ctx context.Context) (lists pathLists, err error) {
	for _, kind := range []string{"renamed", "removed", "added"} {
		var lines []pathLine
		for _, p := range d.pages {
			if p.kind() != kind {
				continue
			}
			line := pathLine{path: string(p.ID()), text: string(p.ID())}
			switch {
			case kind != "renamed" && len(lines) < mostTitle:
				about, err := d.about(ctx, p)
				if err != nil {
					return nil, err
				}
				line.text += about
			case kind == "renamed":
				line.text = fmt.Sprintf("%s -> %s", p.Old.ID, p.New.ID)
				if p.share > 0 {
					line.text += fmt.Sprintf(" (%d%% the same)", p.share)
				}
			}
			lines = append(lines, line)
		}
		if len(lines) > 0 {
			lists = append(lists, pathGroup{kind, lines})
		}
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

// rest lists the changed pages unless the items contain all of their changes.
func (d *DiffResult) rest(items []diffItem) pathLists {
	shown := map[int]int{}
	for _, it := range items {
		shown[it.page] += it.lines
	}
	var lines []pathLine
	for i, p := range d.pages {
		if p.IsAdded() || shown[i] >= p.added+p.removed-p.blank {
			continue
		}
		line := pathLine{path: string(p.ID()), added: p.added, removed: p.removed}
		line.text = string(p.ID()) + lineCounts(p.added, p.removed)
		var headings []string
		for _, part := range p.parts {
			if under := part.at().Headings; len(under) > 0 {
				headings = append(headings, shortHeading(under[len(under)-1]))
			}
		}
		if len(headings) > 0 {
			line.text += ": " + few(slices.Compact(headings), mostHeadings, "other part")
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil
	}
	return pathLists{{"changed, but not shown completely", lines}}
}

// mostHeadings is how many headings of a page a list names.
const mostHeadings = 3
