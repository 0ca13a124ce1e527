package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/author/console"
)

// bindPresentation binds the flags for output on terminals.
func bindPresentation(root *cobra.Command) {
	flags := root.PersistentFlags()
	bindWordTo(root, flags, new(console.When), "color", string(console.Auto), "use colours `WHEN`: auto, always or never",
		flagWord[console.When]{"auto", console.Auto}, flagWord[console.When]{"always", console.Always}, flagWord[console.When]{"never", console.Never})
	flags.Bool("no-pager", false, "don't open long answers in a pager")
}

func isColoured(cmd *cobra.Command, w io.Writer) bool {
	var when console.When
	if flag := cmd.Flag("color"); flag != nil {
		when = console.When(flag.Value.String())
	}
	return when.On(w)
}

// A commandOutput is what a command prints: one of its fields.
type commandOutput struct {
	answer *agent.Answer
	text   []byte // for people, without control characters, but perhaps with colours
	data   []byte // for programs, so no pager opens
}

func answered(a *agent.Answer, err error) (commandOutput, error) {
	return commandOutput{answer: a}, err
}

// present prints an output, or nothing if it is empty. On a terminal, it escapes control
// characters, and opens a pager if the output is longer than the screen.
func present(cmd *cobra.Command, o commandOutput) error {
	out := cmd.OutOrStdout()
	isTerminal := console.IsTerminal(out)
	text := slices.Concat(o.answer.Markdown(), o.data)
	if isTerminal {
		text = console.Fit(text)
	}
	if o.answer != nil && isColoured(cmd, out) {
		text = console.PaintAnswer(o.answer, isTerminal)
	}
	text = append(text, o.text...)
	without, _ := cmd.Flags().GetBool("no-pager")
	if len(text) == 0 || o.data == nil && !without && console.Page(out, text) {
		return nil
	}
	return print(cmd, text)
}

// bindAnnotations binds the flag for warnings and errors as annotations. usual is
// the default format of the report.
func bindAnnotations(cmd *cobra.Command, usual string) {
	bindWord(cmd, new(bool), "format", usual,
		"print `FORMAT`: "+usual+" or github",
		flagWord[bool]{usual, false}, flagWord[bool]{"github", true})
}

func annotates(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("format")
	return flag != nil && flag.Value.String() == "github"
}

func say(cmd *cobra.Command, r console.Remark) {
	stderr := cmd.ErrOrStderr()
	line := r.Text(isColoured(cmd, stderr))
	remarks, isCounted := stderr.(*remarkWriter)
	if annotates(cmd) && (!isCounted || remarks.hasRoom(r.Kind)) {
		line = r.Annotation()
	}
	fmt.Fprintln(stderr, line)
}

// mostAnnotations is how many annotations of a kind GitHub shows for a step:
// https://docs.github.com/en/rest/checks/runs
const mostAnnotations = 10

// A remarkWriter counts annotations. GitHub drops all but the first few, so the others become lines
// of the log instead.
type remarkWriter struct {
	io.Writer
	counts map[string]int // of annotations, by kind
}

// Unwrap returns the underlying writer, so console can tell whether it is a terminal.
func (w *remarkWriter) Unwrap() io.Writer { return w.Writer }

func (w *remarkWriter) hasRoom(kind string) bool {
	if w.counts == nil {
		w.counts = map[string]int{}
	}
	w.counts[kind]++
	return w.counts[kind] <= mostAnnotations
}

// finish says how many remarks are not annotations.
func (w *remarkWriter) finish() {
	for _, kind := range []string{"error", "warning"} {
		if n := w.counts[kind] - mostAnnotations; n > 0 {
			fmt.Fprintf(w, "%s: %d more are only in the log, because GitHub shows at most %d %ss per step\n", kind, n, mostAnnotations, kind)
		}
	}
}

// warn prints warnings that aren't about a file.
func warn(cmd *cobra.Command, warnings []string) {
	for _, warning := range warnings {
		say(cmd, console.Remark{Kind: "warning", Message: warning})
	}
}

// cellStyles are the styles of table cells, by heading and text.
var cellStyles = console.CellStyles{
	"Result":     {"failed": console.Bad, "low": console.Bad, "good": console.Good},
	"Up to date": {"no": console.Bad},
	"Valid":      {"no": console.Bad},
}

func drawn(cmd *cobra.Command, s console.Sheet) string {
	if isColoured(cmd, cmd.OutOrStdout()) {
		return s.Text(cellStyles)
	}
	return s.Text(nil)
}

// A reportTable shows a sheet on a terminal once all rows are there. Elsewhere it prints
// each row as JSON right away.
type reportTable struct {
	console.Sheet
	cmd *cobra.Command
}

func tableOn(cmd *cobra.Command, heading ...string) *reportTable {
	return &reportTable{console.Sheet{Heading: heading}, cmd}
}

// row adds a row, and prints json unless standard output is a terminal.
func (t *reportTable) row(json any, cells ...any) error {
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

func (t *reportTable) print() error {
	if !console.IsTerminal(t.cmd.OutOrStdout()) {
		return nil
	}
	return print(t.cmd, []byte(drawn(t.cmd, t.Sheet)))
}
