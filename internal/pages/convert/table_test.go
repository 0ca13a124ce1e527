package convert_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A cell of a table as HTML describes it: its place is the first free one in its row.
type spanningCell struct {
	text             string
	rowspan, colspan string
}

// spanOf is how many rows or columns an attribute stands for.
func spanOf(text string, zero int) int {
	n := 0
	if _, err := fmt.Sscan(text, &n); err != nil || n < 0 || n == 0 && zero == 0 {
		return 1
	}
	if n == 0 {
		return zero
	}
	return n
}

// modelOfTable returns the texts of the cells by row and column. It marks the places that a cell
// covers, one by one. groups are the numbers of the groups of the rows.
func modelOfTable(rows [][]spanningCell, groups []int) (lines [][]string) {
	const most = 128
	covered := map[[2]int]bool{}
	for y, cells := range rows {
		var line []string
		put := func(x int, text string) {
			x = min(x, most-1)
			for len(line) <= x {
				line = append(line, "")
			}
			line[x] = strings.TrimSpace(line[x] + " " + text)
		}
		x := 0
		for _, cell := range cells {
			for x < most && covered[[2]int{y, x}] {
				x++
			}
			put(x, cell.text)
			if x >= most {
				continue
			}
			for below := range spanOf(cell.rowspan, len(rows)) {
				if y+below == len(rows) || groups[y+below] != groups[y] {
					break
				}
				for right := range min(spanOf(cell.colspan, 0), most-x) {
					covered[[2]int{y + below, x + right}] = true
				}
			}
			x = min(most, x+spanOf(cell.colspan, 0))
		}
		for len(line) > len(cells) && line[len(line)-1] == "" {
			line = line[:len(line)-1]
		}
		if len(cells) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestCellsStandWhereABrowserPutsThem(t *testing.T) {
	span := rapid.SampledFrom([]string{"", "", "", "1", "2", "3", "5", "0", "-1", "x", " 2 ", "127", "128", "129", "1000", "65535", "99999999999999999999"})
	cell := rapid.Custom(func(t *rapid.T) spanningCell {
		return spanningCell{rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "text"), span.Draw(t, "rowspan"), span.Draw(t, "colspan")}
	})
	rapid.Check(t, func(t *rapid.T) {
		rows := [][]spanningCell{{{"head", "", ""}}}
		groups := []int{0}
		page := "<h1>T</h1><p>tea<table><thead><tr><th>head</thead><tbody>"
		for y := range rapid.IntRange(1, 6).Draw(t, "rows") {
			n := rapid.SampledFrom([]int{0, 1, 2, 3, 4, 128, 130}).Draw(t, "cells")
			cells := rapid.SliceOfN(cell, n, n).Draw(t, "row")
			if y > 0 && rapid.IntRange(0, 3).Draw(t, "group") == 0 {
				page += "</tbody><tbody>"
				groups = append(groups, groups[y]+1)
			} else {
				groups = append(groups, max(1, groups[y]))
			}
			page += "<tr>"
			for _, c := range cells {
				page += fmt.Sprintf("<td rowspan='%s' colspan='%s'>%s</td>", c.rowspan, c.colspan, c.text)
			}
			rows = append(rows, cells)
		}
		lines := modelOfTable(rows, groups)
		for _, line := range lines { // the head is as long as the longest row
			for len(lines[0]) < len(line) {
				lines[0] = append(lines[0], "")
			}
		}
		var want []string
		for _, line := range lines {
			want = append(want, "| "+strings.Join(line, " | ")+" |")
		}
		converted, err := pageOf("a.html", page)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(string(converted.Markdown)) {
			if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "| ---") {
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", page, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// Cells that only continue others are not written at the end of a row, but empty ones are.
func TestOnlyCoveredCellsAreLeftOutAtTheEndOfARow(t *testing.T) {
	for row, want := range map[string]string{
		"<td>x<td><td>":                     "| x |  |  |",
		"<td>x<td colspan=2>y":              "| x | y |",
		"<td>x<td colspan=2>":               "| x |  |",
		"<td colspan=3>x":                   "| x |",
		"<td colspan=2>x<td>y":              "| x |  | y |",
		strings.Repeat("<td rowspan=9>", 2): "|  |  |",
	} {
		converted, err := pageOf("a.html", "<h1>T</h1><table><tr><th>h<th>i<th>j<tr>"+row+"</table>")
		if err != nil || !strings.Contains(string(converted.Markdown), "\n| --- | --- | --- |\n"+want+"\n") {
			t.Errorf("%s: got %q, %v, want %s", row, converted.Markdown, err, want)
		}
	}
}

// The last column contains the texts of all further cells, which a row can have a million of.
func TestManyCellsInARowCostAsMuchAsInMany(t *testing.T) {
	cost := func(page string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := pageOf("a.html", page); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const cells = 20_000
	rows := cost("<h1>T</h1><table><tr><th>h" + strings.Repeat("<tr><td>a<td>b", cells/2))
	if row := cost("<h1>T</h1><table><tr><th>h<tr>" + strings.Repeat("<td>a", cells)); row > 2*rows {
		t.Errorf("%d cells allocate %d bytes in a row, and %d in rows of two", cells, row, rows)
	}
}
