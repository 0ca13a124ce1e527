package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/words"
)

// A sheet is a table for terminals and for Markdown.
type sheet struct {
	heading []string
	rows    [][]string // of the same length as the heading; "" is nothing
}

func (s *sheet) add(cells ...string) { s.rows = append(s.rows, cells) }

// text returns the table for a terminal.
func (s *sheet) text() string {
	var b strings.Builder
	out := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, strings.ToUpper(strings.Join(s.heading, "\t")))
	for _, row := range s.rows {
		fmt.Fprintln(out, strings.Join(eachCell(row, words.Printable), "\t"))
	}
	out.Flush()
	return b.String()
}

// markdown returns the table in Markdown below a blank line, and "" without rows.
func (s *sheet) markdown() string {
	if len(s.rows) == 0 {
		return ""
	}
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	b.WriteString("\n")
	line(s.heading)
	line(slices.Repeat([]string{"---"}, len(s.heading)))
	for _, row := range s.rows {
		line(eachCell(row, escapeMarkdown))
	}
	return b.String()
}

// eachCell returns the cells as edit has them, and "-" for nothing.
func eachCell(row []string, edit func(string) string) (cells []string) {
	for _, cell := range row {
		if cell == "" {
			cell = "-"
		}
		cells = append(cells, edit(cell))
	}
	return cells
}

// escapeMarkdown returns a text as a line of Markdown that shows it, and nothing else.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, r := range words.Printable(text) {
		if strings.ContainsRune("\\`*_[]<>#|~&$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// markdownHint is escapeMarkdown for a hint, whose commands stand between backquotes.
func markdownHint(hint string) string {
	parts := strings.Split(hint, "`")
	if len(parts)%2 == 0 {
		return escapeMarkdown(hint)
	}
	for i := range parts {
		if i%2 == 0 {
			parts[i] = escapeMarkdown(parts[i])
		} else {
			parts[i] = words.Printable(parts[i])
		}
	}
	return strings.Join(parts, "`")
}

// summaryOf returns the tables of check and the failures of targets in Markdown.
func summaryOf(overview, measures sheet, failures []error) string {
	title := "passed"
	if len(failures) > 0 {
		title = fmt.Sprintf("failed for %d of %d targets", len(failures), len(overview.rows))
	}
	var b strings.Builder
	b.WriteString("## `context check` " + title + "\n" + overview.markdown() + measures.markdown())
	for i, err := range failures {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + escapeMarkdown(err.Error()))
		if hint := hintFor(err); hint != "" {
			b.WriteString("; " + markdownHint(hint))
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}

// appendTo appends a text to the file at a path.
func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fault.Errorf(fault.IO, "write the summary %s: %w", path, fault.Cause(err))
	}
	return nil
}
