package convert

import (
	"cmp"
	"strings"
)

// An htmlRow is a row of a table.
type htmlRow struct {
	cells  []*htmlElement
	isHead bool
	group  int // cells of another group don't reach into the row
}

// A grid contains the rows of a table.
type grid struct {
	rows    []htmlRow
	group   int // number of the current group of rows
	caption *htmlElement
	rest    []*htmlElement // outside of its cells
}

// maxColumns is the most columns of a table. The last column contains the text of further cells.
const maxColumns = 128

// table writes a table. If a cell contains blocks that Markdown doesn't allow in cells, it writes
// the cells as blocks instead, row by row.
func (w *markdownWriter) table(n *htmlElement) {
	w.flush()
	g := &grid{}
	g.collect(n, false)
	for _, other := range g.rest {
		w.node(other)
	}
	w.flush()
	if g.caption != nil {
		w.block(g.caption)
	}
	if w.isCell || w.nesting >= maxNesting || g.isLayout(n) {
		w.layout(g)
		return
	}
	w.grid(g)
}

// collect collects the rows of a table, but not the rows of nested tables.
func (g *grid) collect(n *htmlElement, isHead bool) {
	for child := n.first; child != nil; child = child.next {
		switch {
		case isEmpty(child):
		case child.name == "thead" || child.name == "tbody" || child.name == "tfoot":
			g.group++
			g.collect(child, child.name == "thead")
			g.group++
		case child.name == "caption" && g.caption == nil:
			g.caption = child
		case child.name == "tr":
			g.addRow(child, isHead)
		default:
			g.rest = append(g.rest, child)
		}
	}
}

func (g *grid) addRow(n *htmlElement, isHead bool) {
	r := htmlRow{isHead: isHead, group: g.group}
	heads := 0
	for child := n.first; child != nil; child = child.next {
		switch {
		case isEmpty(child):
		case child.name == "td" || child.name == "th":
			r.cells = append(r.cells, child)
			if child.name == "th" {
				heads++
			}
		default:
			g.rest = append(g.rest, child)
		}
	}
	if len(r.cells) == 0 && len(g.rows) == 0 {
		return
	}
	r.isHead = r.isHead || heads == len(r.cells) && len(g.rows) == 0
	g.rows = append(g.rows, r)
}

// isLayout reports whether a table only arranges blocks.
func (g *grid) isLayout(n *htmlElement) bool {
	if n.attr("role") == "presentation" || n.isClass("highlighttable") || n.isClass("rouge-table") {
		return true
	}
	columns := 0
	for _, r := range g.rows {
		columns = max(columns, len(r.cells))
		for _, cell := range r.cells {
			if cell.isClass("icon") || containsLayout(cell) { // an icon is that of a note
				return true
			}
		}
	}
	return columns <= 1 && (len(g.rows) == 0 || !g.rows[0].isHead)
}

// containsLayout reports whether a cell contains a heading or code of several lines, which
// Markdown doesn't allow in cells.
func containsLayout(n *htmlElement) bool {
	return n.contains(func(c *htmlElement) bool {
		return headings[c.name] || c.name == "pre" && strings.Contains(strings.TrimSpace(textOf(c)), "\n")
	})
}

func (w *markdownWriter) layout(g *grid) {
	for _, r := range g.rows {
		for _, cell := range r.cells {
			if cell.name == "th" && !containsBlock(cell) {
				w.boldBlock(cell)
			} else {
				w.block(cell)
			}
		}
	}
}

// grid writes a table in GitHub's Markdown. Short rows are not filled, because a hostile table
// would grow with the square of its size.
func (w *markdownWriter) grid(g *grid) {
	var head []string
	var body [][]string
	columns, size := 1, 0
	below := make([]int, maxColumns) // rows that a cell above still covers
	for i, r := range g.rows {
		if i > 0 && r.group != g.rows[i-1].group {
			clear(below)
		}
		cells := w.cells(r, below)
		for _, text := range cells {
			size += len(text) + len(" | ")
		}
		if size > MaxSize {
			w.err = errLarge
		}
		if w.err != nil {
			return
		}
		columns = max(columns, len(cells))
		switch {
		case i == 0 && r.isHead:
			head = cells
		case len(r.cells) > 0: // a row without cells only ends those above it
			body = append(body, cells)
		}
	}
	if len(head) == 0 && len(body) == 0 {
		return
	}
	if len(head) == 0 {
		body = withoutEmptyColumns(body, columns)
		columns = 1
		for _, cells := range body {
			columns = max(columns, len(cells))
		}
	}
	for len(head) < columns {
		head = append(head, "")
	}
	lines := []string{rowLine(head), "|" + strings.Repeat(" --- |", columns)}
	for _, cells := range body {
		lines = append(lines, rowLine(cells))
	}
	w.lines(lines...)
}

// withoutEmptyColumns removes the columns that only indent others.
func withoutEmptyColumns(rows [][]string, columns int) [][]string {
	used := make([]bool, columns)
	for _, cells := range rows {
		for i, cell := range cells {
			used[i] = used[i] || cell != ""
		}
	}
	for i, cells := range rows {
		kept := cells[:0]
		for at, cell := range cells {
			if used[at] {
				kept = append(kept, cell)
			}
		}
		rows[i] = kept
	}
	return rows
}

func rowLine(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

// cells returns the cells of a row as Markdown. Where a cell spans several rows or columns, only
// the first contains its text. below contains the number of rows that cells above still cover, by
// column.
func (w *markdownWriter) cells(r htmlRow, below []int) (cells []string) {
	put := func(text string, rows int) {
		below[len(cells)] = max(rows, below[len(cells)]-1)
		cells = append(cells, text)
	}
	var more []string // for the last column
	for _, cell := range r.cells {
		for len(cells) < maxColumns && below[len(cells)] > 0 {
			put("", 0)
		}
		text := w.cell(cell)
		if len(cells) == maxColumns {
			if text != "" {
				more = append(more, text)
			}
			continue
		}
		rows := rowsOf(cell) - 1
		put(text, rows)
		for range min(numberIn(cell.attr("colspan"), 1, maxColumns)-1, maxColumns-len(cells)) {
			put("", rows)
		}
	}
	for column := len(cells); column < maxColumns; column++ {
		below[column] = max(0, below[column]-1)
	}
	if len(more) > 0 {
		last := &cells[maxColumns-1]
		*last = strings.TrimSpace(*last + " " + strings.Join(more, " "))
	}
	for len(cells) > len(r.cells) && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// rowsOf returns how many rows a cell covers, at most as many as HTML allows. 0 stands for all
// rows of the group.
func rowsOf(cell *htmlElement) int {
	const most = 65534
	if strings.TrimSpace(cell.attr("rowspan")) == "0" {
		return most
	}
	return numberIn(cell.attr("rowspan"), 1, most)
}

func (w *markdownWriter) cell(n *htmlElement) string {
	in := &markdownWriter{ctx: w.ctx, isCell: true, base: w.base, root: w.root, anchors: w.anchors, headed: w.headed}
	in.children(n)
	in.flush()
	w.err = cmp.Or(w.err, in.err)
	return strings.ReplaceAll(string(in.out), "|", `\|`)
}
