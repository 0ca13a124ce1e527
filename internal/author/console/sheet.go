package console

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/words"
)

// A Sheet is a table for terminals and for Markdown.
type Sheet struct {
	Heading []string
	Rows    [][]string // of the same length as the heading; "" is nothing
}

// Add adds a row.
func (s *Sheet) Add(cells ...string) { s.Rows = append(s.Rows, cells) }

// CellStyles are the styles of cells, by heading and text.
type CellStyles map[string]map[string]Style

// Text returns the table for a terminal. If styles isn't nil, the heading is bold.
func (s *Sheet) Text(styles CellStyles) string {
	rows := [][]string{s.Heading}
	for _, row := range s.Rows {
		rows = append(rows, eachCell(row, words.Printable))
	}
	widths := make([]int, len(s.Heading))
	for _, row := range rows {
		for column, cell := range row {
			widths[column] = max(widths[column], utf8.RuneCountInString(cell)+len("  "))
		}
	}
	var b strings.Builder
	for i, row := range rows {
		for column, cell := range row {
			style := styles[s.Heading[column]][cell]
			padding := strings.Repeat(" ", widths[column]-utf8.RuneCountInString(cell))
			if i == 0 {
				cell = strings.ToUpper(cell)
			}
			if i == 0 && styles != nil {
				style = Bold
			}
			if column == len(row)-1 {
				padding = "\n"
			}
			b.WriteString(style.Paint(cell) + padding)
		}
	}
	return b.String()
}

// Markdown returns a blank line and the table in Markdown, or "" without rows.
func (s *Sheet) Markdown() string {
	if len(s.Rows) == 0 {
		return ""
	}
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	b.WriteString("\n")
	line(s.Heading)
	line(slices.Repeat([]string{"---"}, len(s.Heading)))
	for _, row := range s.Rows {
		line(eachCell(row, EscapeMarkdown))
	}
	return b.String()
}

// eachCell applies edit to the cells, and writes "-" for empty cells.
func eachCell(row []string, edit func(string) string) (cells []string) {
	for _, cell := range row {
		if cell == "" {
			cell = "-"
		}
		cells = append(cells, edit(cell))
	}
	return cells
}

// EscapeMarkdown escapes a text for a line of Markdown, which then shows it literally.
func EscapeMarkdown(text string) string {
	var b strings.Builder
	for _, r := range words.Printable(text) {
		if strings.ContainsRune("\\`*_[]<>#|~&$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// YesOrNo returns yes or no.
func YesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
