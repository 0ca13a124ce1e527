package convert

import (
	"strings"
)

// An htmlRow is a row of a table.
type htmlRow struct {
	cells  []*htmlElement
	isHead bool
}

// A grid contains the rows of a table.
type grid struct {
	rows    []htmlRow
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
		case child.name == "" && isBlankText(child.text) || child.name != "" && isDropped(child):
		case child.name == "thead":
			g.collect(child, true)
		case child.name == "tbody" || child.name == "tfoot":
			g.collect(child, false)
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
	r := htmlRow{isHead: isHead}
	heads := 0
	for child := n.first; child != nil; child = child.next {
		switch {
		case child.name == "" && isBlankText(child.text) || child.name != "" && isDropped(child):
		case child.name == "td" || child.name == "th":
			r.cells = append(r.cells, child)
			if child.name == "th" {
				heads++
			}
		default:
			g.rest = append(g.rest, child)
		}
	}
	if len(r.cells) == 0 {
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
	for child := n.first; child != nil; child = child.next {
		switch {
		case child.name == "":
		case headings[child.name]:
			return true
		case child.name == "pre" && strings.Contains(strings.TrimSpace(textOf(child)), "\n"):
			return true
		case containsLayout(child):
			return true
		}
	}
	return false
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
	columns := 1
	below := make([]int, maxColumns) // rows that a cell above still covers
	for i, r := range g.rows {
		cells := w.cells(r, below)
		if w.err != nil {
			return
		}
		columns = max(columns, len(cells))
		if i == 0 && r.isHead {
			head = cells
		} else {
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
// the first contains its text.
func (w *markdownWriter) cells(r htmlRow, below []int) (cells []string) {
	column := 0
	next := func(text string, rows int) {
		if column >= maxColumns {
			cells[maxColumns-1] = strings.TrimSpace(cells[maxColumns-1] + " " + text)
			return
		}
		cells = append(cells, text)
		below[column] = rows
		column++
	}
	var late []string // beyond the last column
	for _, cell := range r.cells {
		for column < maxColumns && below[column] > 0 {
			next("", below[column]-1)
		}
		text := w.cell(cell)
		if column >= maxColumns {
			if text != "" {
				late = append(late, text)
			}
			continue
		}
		rows := numberIn(cell.attr("rowspan"), 1, 65534) - 1
		next(text, rows)
		for range min(numberIn(cell.attr("colspan"), 1, maxColumns)-1, maxColumns-column) {
			next("", rows)
		}
	}
	for ; column < maxColumns && below[column] > 0; column++ {
		below[column]--
	}
	for len(cells) > 1 && cells[len(cells)-1] == "" && len(cells) > len(r.cells) {
		cells = cells[:len(cells)-1]
	}
	if len(late) > 0 {
		cells[maxColumns-1] += " " + strings.Join(late, " ")
	}
	return cells
}

func (w *markdownWriter) cell(n *htmlElement) string {
	in := &markdownWriter{ctx: w.ctx, isCell: true, base: w.base, root: w.root, anchors: w.anchors, headed: w.headed}
	in.children(n)
	in.flush()
	w.nodes += in.nodes
	if w.err == nil {
		w.err = in.err
	}
	return strings.ReplaceAll(string(in.out), "|", `\|`)
}
