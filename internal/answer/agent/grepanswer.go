package agent

import (
	"cmp"
	"fmt"
	slashpath "path"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
)

// This file prints the answer of Grep.

func (g *grepAnswer) print() *Answer {
	a := &Answer{finder: func() Finder {
		return func(text []byte) [][]int { return g.matcher.regexp.FindAllIndex(text, -1) }
	}}
	searched := count(g.searched, "page")
	switch {
	case g.searched == 0:
		a.note("%s", g.noPages)
		return a
	case g.lines == 0:
		a.note("no line of %s%s matches%s", g.ofCode(" in "), searched, g.alsoTried())
		return a
	}
	taken := ""
	if len(g.taken.as) > 0 {
		taken = "no line matches the pattern as given; " + strings.Join(g.taken.as, " ") + ": "
	}
	hidden := ""
	var rows [][]grepPage
	if more := g.lines - g.matches; more > 0 {
		hidden = fmt.Sprintf("; %s not shown: narrow the pattern or the path, or raise the limit", count(more, "line"))
		rows = g.mostLines()
	}
	a.note("%s%s%s in %s of %s%s", taken, count(g.lines, "line"), strings.TrimSuffix(" of "+g.ofCode(""), " of "), thousands(len(g.pages)), searched, hidden)
	directory := g.sharedDirectory(rows)
	if directory != "" {
		a.note("in %s:", directory)
	}
	g.printLines(a, directory)
	g.printCounts(a, directory, rows)
	return a
}

// nameIn returns the name of the page below an already printed directory.
func (p grepPage) nameIn(directory string) string {
	return prefix(p.of) + strings.TrimPrefix(string(p.id), directory)
}

// printLines prints the lines below the IDs of their sections. For later sections of a page, it
// leaves out the path.
func (g *grepAnswer) printLines(a *Answer, directory string) {
	place := func(text string) { a.part(AnswerPart{Kind: NotePart, Line: AnswerLine{{text, Place}}}) }
	var last grepLine
	for i, line := range g.shown {
		isNewPage := i == 0 || line.nameIn("") != last.nameIn("")
		switch {
		case isNewPage:
			place(line.nameIn(directory) + line.section)
		case line.section != last.section:
			place(strings.TrimSpace(line.section))
		case g.request.hasContext() && line.number > last.number+1:
			a.add(NotePart, 1, "--")
		}
		number, text := AnswerPiece{strconv.Itoa(line.number), Number}, strings.TrimRight(line.text, " ")
		switch {
		case !line.isMatch:
			a.part(AnswerPart{Kind: NotePart, Level: 1, Line: lineOf("%s%s", number, strings.TrimRight("- "+text, " "))})
		case text == "":
			a.part(AnswerPart{Kind: NotePart, Level: 1, Line: lineOf("%s:", number)})
		default:
			a.part(AnswerPart{Kind: NotePart, Level: 1, Line: lineOf("%s: %s", number, AnswerPiece{text, Quoted})})
		}
		last = line
	}
}

const (
	mostCounts    = 5 // rows
	mostOfOneName = 8 // pages in a row
)

// mostLines returns the pages with the most matching lines, unless all lines are in the same page.
// Pages with the same name and the same number of lines share a row, because they are often
// versions of a page.
func (g *grepAnswer) mostLines() (rows [][]grepPage) {
	if len(g.pages) < 2 {
		return nil
	}
	type key struct {
		lines int
		name  string
	}
	pages := slices.Clone(g.pages)
	slices.SortStableFunc(pages, func(a, b grepPage) int { return cmp.Compare(b.lines, a.lines) })
	rows = grouped(pages, func(p grepPage) key { return key{p.lines, slashpath.Base(string(p.id))} })
	rows = rows[:min(len(rows), mostCounts)]
	for i, row := range rows {
		rows[i] = row[:min(len(row), mostOfOneName)]
	}
	return rows
}

func (g *grepAnswer) printCounts(a *Answer, directory string, rows [][]grepPage) {
	if len(rows) == 0 {
		return
	}
	a.part(AnswerPart{Kind: NotePart, Line: AnswerLine{{"lines by page:", Place}}})
	others := len(g.pages)
	for _, row := range rows {
		others -= len(row)
		first := row[0].nameIn(directory)
		names := []string{first}
		for _, p := range row[1:] {
			names = append(names, withoutEnd(p.nameIn(directory), first))
		}
		a.add(NotePart, 1, thousands(row[0].lines)+" "+strings.Join(names, ", "))
	}
	if others > 0 {
		a.add(NotePart, 1, count(others, "more page"))
	}
}

// sharedDirectory returns the common directory of all printed pages.
func (g *grepAnswer) sharedDirectory(rows [][]grepPage) string {
	var ids []document.ID
	for _, line := range g.shown {
		ids = append(ids, line.id)
	}
	for _, row := range rows {
		for _, p := range row {
			ids = append(ids, p.id)
		}
	}
	isPage := func(id document.ID) bool {
		return slices.ContainsFunc(g.members, func(of answers.Member) bool { return of.Contains(id) })
	}
	return sharedDirectory(isPage, slices.Compact(ids))
}

// ofCode names the searched code, followed by a text. It returns "" if the request doesn't choose
// code.
func (g *grepAnswer) ofCode(behind string) string {
	if !g.request.Code.IsOn() {
		return ""
	}
	return g.request.Code.String() + behind
}

// alsoTried lists the other interpretations without a matching line, and says what else to try.
func (g *grepAnswer) alsoTried() (ways string) {
	widen := ""
	if g.request.Code.IsOn() {
		widen = ": leave out code"
	}
	if !g.request.IgnoreCase {
		ways = ", in upper or lower case"
	}
	if !g.request.IsRegexp && looksLikeRegexp().MatchString(g.request.Pattern) {
		if !g.taken.IsRegexp {
			return ways + widen + "; to search by a regular expression (regexp, -E), correct the pattern"
		}
		ways += ", as text or as a regular expression (regexp, -E)"
	}
	return ways + widen
}
