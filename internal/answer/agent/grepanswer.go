package agent

import (
	"cmp"
	"fmt"
	slashpath "path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
)

// This file prints the answer of Grep.

// Markdown returns the result as text: the lines, below the IDs of their sections.
func (r GrepResult) Markdown() []byte {
	var a answer
	searched := count(r.Searched, "page")
	switch {
	case r.Searched == 0:
		a.line("%s", r.noPages)
		return a.bytes()
	case r.Lines == 0:
		a.line("no line of %s%s matches%s%s", r.ofCode(" in "), searched, r.alsoTried(), r.matchesElsewhere())
		return a.bytes()
	}
	taken := ""
	if len(r.taken.as) > 0 {
		taken = "no line matches the pattern as given; " + strings.Join(r.taken.as, " ") + ": "
	}
	hidden := ""
	if more := r.Lines - r.matches; more > 0 {
		hidden = fmt.Sprintf("; %s not shown: narrow the pattern or the path, or raise the limit", count(more, "line"))
	}
	a.line("%s%s%s in %s of %s%s", taken, count(r.Lines, "line"), strings.TrimSuffix(" of "+r.ofCode(""), " of "), thousands(r.Pages), searched, hidden)
	var rows [][]grepPage
	if hidden != "" {
		rows = r.mostLines()
	}
	directory := r.sharedDirectory(rows)
	if directory != "" {
		a.line("in %s:", directory)
	}
	r.printLines(&a, directory)
	r.printCounts(&a, directory, rows)
	return a.bytes()
}

// nameIn returns the name of the page below an already printed directory.
func (p grepPage) nameIn(directory string) string {
	return prefix(p.of) + strings.TrimPrefix(string(p.id), directory)
}

// printLines prints the lines below the IDs of their sections. For later sections of a page, it
// leaves out the path.
func (r GrepResult) printLines(a *answer, directory string) {
	var last grepLine
	for i, line := range r.shown {
		isNewPage := i == 0 || line.nameIn("") != last.nameIn("")
		switch {
		case isNewPage:
			a.line("%s", line.nameIn(directory)+line.section)
		case line.section != last.section:
			a.line("%s", strings.TrimSpace(line.section))
		case r.request.hasContext() && line.number > last.number+1:
			a.line("  --")
		}
		mark := ":"
		if !line.isMatch {
			mark = "-"
		}
		a.line("%s", strings.TrimRight(fmt.Sprintf("  %d%s %s", line.number, mark, line.text), " "))
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
func (r GrepResult) mostLines() (rows [][]grepPage) {
	if r.Pages < 2 {
		return nil
	}
	type key struct {
		lines int
		name  string
	}
	places := map[key]int{} // in rows
	pages := slices.Clone(r.pages)
	slices.SortStableFunc(pages, func(a, b grepPage) int { return cmp.Compare(b.lines, a.lines) })
	for _, p := range pages {
		k := key{p.lines, slashpath.Base(string(p.id))}
		if at, isKnown := places[k]; isKnown {
			rows[at] = append(rows[at], p)
		} else if len(rows) < mostCounts {
			places[k] = len(rows)
			rows = append(rows, []grepPage{p})
		}
	}
	for i, row := range rows {
		rows[i] = row[:min(len(row), mostOfOneName)]
	}
	return rows
}

func (r GrepResult) printCounts(a *answer, directory string, rows [][]grepPage) {
	if len(rows) == 0 {
		return
	}
	a.line("lines by page:")
	others := r.Pages
	for _, row := range rows {
		others -= len(row)
		first := row[0].nameIn(directory)
		names := []string{first}
		for _, p := range row[1:] {
			names = append(names, withoutEnd(p.nameIn(directory), first))
		}
		a.line("  %s %s", thousands(row[0].lines), strings.Join(names, ", "))
	}
	if others > 0 {
		a.line("  %s", count(others, "more page"))
	}
}

// sharedDirectory returns the common directory of all printed pages.
func (r GrepResult) sharedDirectory(rows [][]grepPage) string {
	var ids []document.ID
	for _, line := range r.shown {
		ids = append(ids, line.id)
	}
	for _, row := range rows {
		for _, p := range row {
			ids = append(ids, p.id)
		}
	}
	isPage := func(id document.ID) bool {
		return slices.ContainsFunc(r.members, func(of answers.Member) bool { return of.Contains(id) })
	}
	return sharedDirectory(isPage, slices.Compact(ids))
}

// ofCode names the searched code, followed by a text. It returns "" if the request doesn't choose
// code.
func (r GrepResult) ofCode(behind string) string {
	if !r.request.Code.IsOn() {
		return ""
	}
	return r.request.Code.String() + behind
}

// matchesElsewhere says where lines match outside of the searched code, or returns "".
func (r GrepResult) matchesElsewhere() string {
	var where []string
	if len(r.elsewhere) > 0 {
		where = append(where, "in "+languagesIn(r.elsewhere))
	}
	if r.inText > 0 {
		where = append(where, fmt.Sprintf("outside of code (%s)", thousands(r.inText)))
	}
	if len(where) == 0 {
		return ""
	}
	return "; lines match " + strings.Join(where, " and ")
}

// alsoTried lists the other interpretations without a matching line.
func (r GrepResult) alsoTried() (ways string) {
	if !r.request.IgnoreCase {
		ways = ", in upper or lower case"
	}
	if !r.request.IsRegexp && looksLikeRegexp().MatchString(r.request.Pattern) {
		if !r.taken.IsRegexp {
			return ways + "; to search by a regular expression (regexp, -E), correct the pattern"
		}
		ways += ", as text or as a regular expression (regexp, -E)"
	}
	return ways
}
