package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/dotcontext"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/wire"
)

const statusHelp = `Status tells which directories of a project have a context, and whether it is
fresh: made of the files that are there now. Directories without one, or with one
that cannot be read, are missing. Below the table stand the files of stale
directories that changed after last_updated, where some did and some did not.

--json prints one line of JSON: root, directories with scope, state, fingerprint
and summary (both null if the context is missing), and summary with total,
tracked, fresh, stale, missing and skipped (too small for a context).
--exit-code makes the exit status 6 if anything cannot be read, else 8 if any is
stale or missing.`

// statusFlags are the flags of status as they were typed.
type statusFlags struct {
	path     string
	json     bool
	exitCode bool
}

func statusCommand() *cobra.Command {
	var typed statusFlags
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Tell which contexts of a project are fresh",
		Long:    statusHelp,
		Example: "  context status --exit-code",
		GroupID: contextGroup,
		Args:    noArguments,
		RunE:    run(func(cmd *cobra.Command) error { return status(cmd, typed) }),
	}
	bindPath(cmd, &typed.path)
	cmd.Flags().BoolVar(&typed.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&typed.exitCode, "exit-code", false, "end with status 8 if any is stale or missing, 6 if anything cannot be read")
	return cmd
}

func status(cmd *cobra.Command, typed statusFlags) error {
	p, err := openProject(typed.path)
	if err != nil {
		return err
	}
	defer p.Close()
	o, err := p.Overview(cmd.Context())
	if err != nil {
		return err
	}
	warn(cmd, o.Warnings)
	report := tabulateStatus(o)
	if typed.json {
		report = encodeStatus(p, o)
	}
	if err := print(cmd, report); err != nil {
		return err
	}
	stale, missing := o.Count(dotcontext.Stale), o.Count(dotcontext.Missing)
	if err := o.Err(); typed.exitCode && err != nil {
		return err
	}
	if typed.exitCode && stale+missing > 0 {
		return fault.Errorf(fault.Stale, "%d stale and %d missing: bring them up to date, then run `context rehash` or `context init`", stale, missing)
	}
	return nil
}

func encodeStatus(p *dotcontext.Project, o *dotcontext.Overview) []byte {
	var e wire.Encoder
	e.BeginObject()
	e.Key("root")
	e.String(oneLine(p.Path))
	e.Key("directories")
	e.BeginArray()
	for _, s := range o.Statuses {
		e.BeginObject()
		e.Key("scope")
		e.String(s.Scope)
		e.Key("state")
		e.String(string(s.State))
		if s.Context == nil {
			e.Key("fingerprint")
			e.Literal("null")
			e.Key("summary")
			e.Literal("null")
		} else {
			e.Key("fingerprint")
			e.String(s.Context.Fingerprint)
			e.Key("summary")
			e.String(s.Context.Summary)
		}
		e.EndObject()
	}
	e.EndArray()
	e.Key("summary")
	e.BeginObject()
	for _, count := range statusCounts(o) {
		e.Key(count.name)
		e.Int(int64(count.n))
	}
	e.EndObject()
	e.EndObject()
	e.Newline()
	return e.Bytes()
}

type statusCount struct {
	name string
	n    int
}

func statusCounts(o *dotcontext.Overview) []statusCount {
	return []statusCount{
		{"total", len(o.Statuses)},
		{"tracked", o.Tracked()},
		{"fresh", o.Count(dotcontext.Fresh)},
		{"stale", o.Count(dotcontext.Stale)},
		{"missing", o.Count(dotcontext.Missing)},
		{"skipped", o.Skipped},
	}
}

// tabulateStatus returns a line a directory, for people.
func tabulateStatus(o *dotcontext.Overview) []byte {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "STATE\tSCOPE\tUPDATED\tSUMMARY")
	for _, s := range o.Statuses {
		if s.Context == nil {
			fmt.Fprintf(table, "%s\t%s\t-\t-\n", s.State, oneLine(s.Scope))
			continue
		}
		updated := shortened(oneLine(s.Context.LastUpdated), len("2006-01-02T15:04:05Z"))
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.State, oneLine(s.Scope), updated, shortened(oneLine(s.Context.Summary), 60))
	}
	table.Flush()
	for _, s := range o.Statuses {
		if len(s.Newer) > 0 {
			fmt.Fprintf(&b, "%s: changed after last_updated: %s\n", oneLine(s.Scope), firstFew(s.Newer))
		}
	}
	var counts []string
	for _, count := range statusCounts(o)[2:] {
		counts = append(counts, fmt.Sprintf("%d %s", count.n, count.name))
	}
	fmt.Fprintf(&b, "%s\n", strings.Join(counts, ", "))
	return []byte(b.String())
}

// firstFew returns the first names of a list, and how many more there are.
func firstFew(names []string) string {
	const few = 5
	if len(names) <= few {
		return oneLine(strings.Join(names, ", "))
	}
	return fmt.Sprintf("%s and %d more", oneLine(strings.Join(names[:few], ", ")), len(names)-few)
}

// shortened returns a text of at most n characters.
func shortened(text string, n int) string {
	characters := []rune(text)
	if len(characters) <= n {
		return text
	}
	return string(characters[:n-1]) + "…"
}
