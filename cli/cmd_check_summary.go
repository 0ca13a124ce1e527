package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/words"
)

// markdownHint escapes a hint for Markdown, except for the commands between backquotes.
func markdownHint(hint string) string {
	parts := strings.Split(hint, "`")
	if len(parts)%2 == 0 {
		return console.EscapeMarkdown(hint)
	}
	for i := range parts {
		if i%2 == 0 {
			parts[i] = console.EscapeMarkdown(parts[i])
		} else {
			parts[i] = words.Printable(parts[i])
		}
	}
	return strings.Join(parts, "`")
}

// summaryOf returns the tables and the failures of check in Markdown.
func summaryOf(cmd *cobra.Command, overview, measures console.Sheet, failures []error) string {
	title := "passed"
	if len(failures) > 0 {
		title = fmt.Sprintf("failed for %d of %d targets", len(failures), len(overview.Rows))
	}
	var b strings.Builder
	b.WriteString("## `context check` " + title + "\n" + overview.Markdown() + measures.Markdown())
	for i, err := range failures {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + console.EscapeMarkdown(err.Error()))
		if hint := hintFor(cmd, err); hint != "" {
			b.WriteString("; " + markdownHint(hint))
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}
