package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/console"
)

// bindPresentation binds the flags that say how commands print for people.
func bindPresentation(root *cobra.Command) {
	flags := root.PersistentFlags()
	bindWordTo(root, flags, new(console.When), "color", string(console.Auto), "use colours `WHEN`: auto, always or never",
		word[console.When]{"auto", console.Auto}, word[console.When]{"always", console.Always}, word[console.When]{"never", console.Never})
	flags.Bool("no-pager", false, "don't open long answers in a pager")
}

// isColoured reports whether a command prints colours to w.
func isColoured(cmd *cobra.Command, w io.Writer) bool {
	var when console.When
	if flag := cmd.Flag("color"); flag != nil {
		when = console.When(flag.Value.String())
	}
	return when.On(w)
}

// present prints an answer for people. On a terminal, its control characters are escaped,
// and a pager shows it if it is longer than the screen. A nil layout is that of an answer
// for programs, which has neither colours nor a pager.
func present(cmd *cobra.Command, answer []byte, layout console.Layout) error {
	out := cmd.OutOrStdout()
	if console.IsTerminal(out) {
		answer = console.Fit(answer)
	}
	if layout == nil {
		return print(cmd, answer)
	}
	if isColoured(cmd, out) {
		answer = console.Paint(answer, layout)
	}
	if without, _ := cmd.Flags().GetBool("no-pager"); !without && console.Page(out, answer) {
		return nil
	}
	return print(cmd, answer)
}

// label returns the kind of a remark with a colon, as the first word of a line on standard
// error.
func label(cmd *cobra.Command, kind string) string {
	style := console.Bad
	if kind == "warning" {
		style = console.Warning
	}
	if !isColoured(cmd, cmd.ErrOrStderr()) {
		style = ""
	}
	return style.Paint(kind + ":")
}

// cellStyles are the styles of cells of tables, by heading and text.
var cellStyles = console.CellStyles{
	"Result":     {"failed": console.Bad, "low": console.Bad, "good": console.Good},
	"Up to date": {"no": console.Bad},
	"Valid":      {"no": console.Bad},
}

// drawn returns a table for the terminal of a command.
func drawn(cmd *cobra.Command, s console.Sheet) string {
	if isColoured(cmd, cmd.OutOrStdout()) {
		return s.Text(cellStyles)
	}
	return s.Text(nil)
}

// A table shows a sheet on a terminal when all rows are there, and prints JSON elsewhere.
type table struct {
	console.Sheet
	cmd *cobra.Command
}

func tableOn(cmd *cobra.Command, heading ...string) *table {
	return &table{console.Sheet{Heading: heading}, cmd}
}

// row adds a row of cells, and prints its JSON if there is no terminal.
func (t *table) row(json any, cells ...any) error {
	var texts []string
	for _, cell := range cells {
		texts = append(texts, fmt.Sprint(cell))
	}
	t.Add(texts...)
	if console.IsTerminal(t.cmd.OutOrStdout()) {
		return nil
	}
	return printJSON(t.cmd, json)
}

func (t *table) print() error {
	if !console.IsTerminal(t.cmd.OutOrStdout()) {
		return nil
	}
	return print(t.cmd, []byte(drawn(t.cmd, t.Sheet)))
}
