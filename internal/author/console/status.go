package console

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

var states = map[dotcontext.State]Style{
	dotcontext.Fresh:   Good,
	dotcontext.Stale:   Warning,
	dotcontext.Missing: Warning,
	dotcontext.Invalid: Bad,
}

// TabulateStatus returns the state of a project for people, with a line for each
// directory.
func TabulateStatus(o *dotcontext.Overview, isColoured bool) []byte {
	var plain strings.Builder
	table := tabwriter.NewWriter(&plain, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "STATE\tSCOPE\tUPDATED\tSUMMARY")
	for _, s := range o.Statuses {
		updated, summary := "-", "-"
		if s.Context != nil {
			updated = shortened(words.Printable(s.Context.LastUpdated), len("2006-01-02T15:04:05Z"))
			summary = shortened(words.Printable(s.Context.Summary), 60)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.State, words.Printable(s.Scope), updated, summary)
	}
	table.Flush()
	var b strings.Builder
	row := 0
	for line := range strings.Lines(plain.String()) {
		switch {
		case !isColoured:
		case row == 0:
			line = Bold.Paint(strings.TrimSuffix(line, "\n")) + "\n"
		default:
			state := o.Statuses[row-1].State
			line = states[state].Paint(string(state)) + line[len(state):]
		}
		b.WriteString(line)
		row++
	}
	fmt.Fprintf(&b, "%d fresh, %d stale, %d missing, %d invalid, %d skipped\n",
		o.Count(dotcontext.Fresh), o.Count(dotcontext.Stale), o.Count(dotcontext.Missing), o.Count(dotcontext.Invalid), len(o.Skipped))
	if len(o.Skipped) > 0 {
		fmt.Fprintf(&b, "Skipped, because they contain fewer than %d tokens of sources: %s.\n", o.MinTokens, firstFew(o.Skipped))
		fmt.Fprintf(&b, "To include them, set min_tokens in %s, or run `%s`.\n",
			contextfile.ConfigName, words.Printable(ShellLine([]string{"context", "init", o.Skipped[0]})))
	}
	return []byte(b.String())
}

// firstFew returns the first names of a list, and how many more there are.
func firstFew(names []string) string {
	const few = 5
	if len(names) <= few {
		return words.Printable(strings.Join(names, ", "))
	}
	return fmt.Sprintf("%s and %d more", words.Printable(strings.Join(names[:few], ", ")), len(names)-few)
}

func shortened(text string, n int) string {
	characters := []rune(text)
	if len(characters) <= n {
		return text
	}
	return string(characters[:n-1]) + "…"
}
