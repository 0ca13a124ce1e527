package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/answer/links"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/project/targets"
)

type checkFlags struct {
	file       fileFlag
	jobs       int
	summary    string
	links      bool
	tags       bool
	network    networkFlags
	converters bool
}

func checkCommand() *cobra.Command {
	var typed checkFlags
	cmd := &cobra.Command{
		Use:         "check [TARGET...]",
		Short:       "Check that caches are up to date, valid and answer well",
		Annotations: map[string]string{exitKey: "4: cache missing; 5: invalid; 6: unreadable; 8: stale or too low."},
		Example: "  context check\n" +
			`  context check docs --summary "$GITHUB_STEP_SUMMARY"`,
		RunE: runOn(typed.run),
	}
	typed.file.bind(cmd)
	typed.file.bindAllow(cmd)
	cmd.Flags().BoolVar(&typed.converters, "converters", false, "run convert commands twice instead, and compare")
	cmd.ValidArgsFunction = typed.file.complete
	bindJobs(cmd, &typed.jobs)
	bindAnnotations(cmd, "json")
	cmd.Flags().BoolVar(&typed.links, "links", false, "check links between pages, too")
	cmd.Flags().BoolVar(&typed.tags, "tags", false, "ask registries whether tags of caches have moved")
	typed.network.bind(cmd)
	cmd.Flags().StringVar(&typed.summary, "summary", "", "append the tables to `FILE` as Markdown")
	exclude(cmd, "converters", "summary")
	return cmd
}

func (typed *checkFlags) run(cmd *cobra.Command, names []string) error {
	if typed.file.allow && !typed.converters {
		return usagef("--allow-convert needs --converters, because check runs nothing otherwise")
	}
	if typed.converters {
		typed.file.mayConvert(cmd)
	}
	file, chosen, err := typed.file.choose(names, "create the file with `context new`")
	if err != nil {
		return err
	}
	if typed.converters {
		return tryCommands(cmd, chosen, typed.file.environment().Workshop)
	}
	return typed.examine(cmd, file, chosen, len(names) == 0)
}

// examine checks the caches of targets, and the lock file unless some targets were left out.
func (typed *checkFlags) examine(cmd *cobra.Command, file *targets.Contextfile, chosen []targets.Target, isAll bool) error {
	client := typed.network.client(cmd)
	defer boundMemory()()
	overview := tableOn(cmd, "Target", "Documents", "Up to date", "Valid", "Checks", "Cache")
	measures := tableOn(cmd, "Target", "Measure", "Value", "Wanted", "Result", "Difference", "Queries")
	var failures []error
	const keepGoing = true // it writes nothing
	first := eachTarget(cmd, chosen, keepGoing, targets.ExamineEach(cmd.Context(), chosen, typed.jobs, typed.links),
		func(t targets.Target, x targets.Examination, err error) error {
			warnOfFiles(cmd, t.Name+": ", x.Warnings())
			if annotates(cmd) {
				sayFindings(cmd, t.Build.Cache, x.Verified.Findings)
			}
			if x.Links != nil {
				sayBroken(cmd, t.Located(cmd.Context()), x.Links.Broken)
			}
			for _, m := range x.Measured {
				measures.Rows = append(measures.Rows, rowsOf(m, t.Name)...)
			}
			var line any = checkReportOf(t, x)
			cells := []any{t.Name, x.Verified.DocumentCount, console.YesOrNo(x.Compared.IsUpToDate()), console.YesOrNo(x.Verified.IsValid()), checksOf(t, x), t.Build.Cache}
			if err != nil {
				line, cells = failureOf(t, err), []any{t.Name, "", "", "", "", t.Build.Cache}
			}
			if err = cmp.Or(err, x.Err(t)); err != nil {
				failures = append(failures, aboutTarget(cmd, t, err))
			}
			return cmp.Or(overview.row(line, cells...), err)
		})
	if errors.Is(first, context.Canceled) {
		return first
	}
	fail := func(err error) {
		failures = append(failures, err)
		report(cmd, err)
		first = cmp.Or[error](first, &reportedError{err})
	}
	if typed.tags {
		for _, t := range chosen {
			if err := checkTag(cmd.Context(), client, t); err != nil {
				fail(aboutTarget(cmd, t, err))
			}
		}
	}
	if isAll {
		lock, err := lockOf(file)
		if err = cmp.Or(err, lock.checkExtra()); err != nil {
			fail(err)
		}
	}
	err := overview.print()
	if len(measures.Rows) > 0 && console.IsTerminal(cmd.OutOrStdout()) {
		err = cmp.Or(err, print(cmd, []byte("\n")), measures.print())
	}
	if typed.summary != "" {
		err = cmp.Or(appendTo(typed.summary, summaryOf(cmd, overview.Sheet, measures.Sheet, failures)), err)
	}
	if err != nil && first != nil {
		report(cmd, err)
	}
	return cmp.Or(first, err)
}

// checksOf says how many checks of a target pass.
func checksOf(t targets.Target, x targets.Examination) string {
	switch {
	case len(t.Checks) == 0:
		return "none"
	case !x.IsSound():
		return "not measured"
	}
	return fmt.Sprintf("%d of %d pass", len(t.Checks)-len(x.Failed()), len(t.Checks))
}

// rowsOf returns a row for each measure, for the second table.
func rowsOf(m targets.Measurement, target string) (rows [][]string) {
	if m.Report == nil {
		return nil
	}
	for _, row := range m.Report.Rows(m.Bounds()) {
		result := ""
		switch {
		case row.IsLow:
			result = "low"
		case row.Least != "":
			result = "good"
		}
		rows = append(rows, []string{target, row.Name, row.Value, row.Least, result, row.Difference, m.Check.Queries})
	}
	return rows
}

// checkTag fails with [fault.Stale] if the lock file pins another cache than its tag names now. It
// accepts a cache without a pin, because the examination of its target fails.
func checkTag(ctx context.Context, client *registry.Client, t targets.Target) error {
	if t.Shared == nil {
		return nil
	}
	pin, err := t.Shared.Pinned()
	if err != nil {
		return nil
	}
	now, err := client.Resolve(ctx, t.Shared.Ref)
	if err == nil && now != pin.Digest {
		err = fault.Errorf(fault.Stale, "%s is %s now, and the lock file pins %s: run `context fetch --update %s`", t.Shared.From, now, pin.Digest, t.Name)
	}
	return err
}

// mostSaid is how many broken links of a target are reported separately. Standard output names
// all of them.
const mostSaid = 1000

// sayBroken prints an error for each broken link.
func sayBroken(cmd *cobra.Command, t targets.Target, broken []links.Broken) {
	for i, b := range broken {
		if i == mostSaid {
			say(cmd, console.Remark{Kind: "error", Message: fmt.Sprintf("%s: and %d more links", t.Name, len(broken)-i)})
			return
		}
		place := b.Source
		if b.Line > 0 {
			place = fmt.Sprintf("%s:%d", b.Source, b.Line)
		}
		message := fmt.Sprintf("%s: %s: %s %s", t.Name, place, b.Problem, b.Target)
		if b.Near != "" {
			message += "; did you mean " + b.Near + "?"
		}
		say(cmd, console.Remark{Kind: "error", File: t.FileOf(b.Source), Line: b.Line, Message: message})
	}
}

// A checkReport is the line of check for a target.
type checkReport struct {
	comparisonReport
	DocumentCount int64           `json:"document_count"`
	Valid         bool            `json:"valid"`
	Findings      []cache.Finding `json:"findings"`
	Checks        []measureReport `json:"checks"`
	Links         *links.Review   `json:"links,omitzero"`
}

// A measureReport is the result of a check in this line.
type measureReport struct {
	Queries string                 `json:"queries"`
	Qrels   string                 `json:"qrels"`
	Report  string                 `json:"report" wire:"literal"` // as eval prints it
	Wanted  evaluation.MeasureList `json:"wanted"`                // lower bounds
	Error   *targetFault           `json:"error,omitzero"`
}

func checkReportOf(t targets.Target, x targets.Examination) checkReport {
	r := checkReport{
		comparisonReportOf(t, x.Compared),
		x.Verified.DocumentCount, x.Verified.IsValid(), x.Verified.Findings, nil, x.Links,
	}
	for _, m := range x.Measured {
		checked := measureReport{Queries: m.Check.Queries, Qrels: m.Check.Qrels}
		if m.Report != nil {
			checked.Report = strings.TrimSpace(string(m.Report.Encode(false)))
			for _, gate := range m.Bounds() {
				checked.Wanted = append(checked.Wanted, evaluation.Measure{Name: gate.Measure, Value: gate.Least})
			}
		}
		if m.Err != nil {
			checked.Error = new(faultOf(m.Err))
		}
		r.Checks = append(r.Checks, checked)
	}
	return r
}

// A triedCommand is a line of check --converters.
type triedCommand struct {
	Target  string   `json:"target"`
	Command string   `json:"command"`
	Pages   int      `json:"pages"`
	Differs []string `json:"differs"` // pages that aren't the same in both runs
}

// tryCommands runs the commands of targets twice each, and compares the pages.
func tryCommands(cmd *cobra.Command, chosen []targets.Target, workshop actions.Workshop) error {
	chosen = slices.DeleteFunc(slices.Clone(chosen), func(t targets.Target) bool { return len(t.Commands()) == 0 })
	if len(chosen) == 0 {
		return usagef("no target has a source with convert, so --converters has nothing to run")
	}
	table := tableOn(cmd, "Target", "Command", "Pages", "Differ")
	const keepGoing = true // it stores nothing
	failed := eachTarget(cmd, chosen, keepGoing, targets.TryEach(cmd.Context(), chosen, workshop),
		func(t targets.Target, trials []targets.Trial, err error) error {
			for _, trial := range trials {
				line := triedCommand{t.Name, trial.Action.String(), trial.Pages, trial.Differs}
				if err := table.row(line, t.Name, line.Command, line.Pages, len(line.Differs)); err != nil {
					return err
				}
			}
			if err != nil {
				return cmp.Or(table.row(failureOf(t, err), t.Name, "failed", "", ""), err)
			}
			for _, trial := range trials {
				err = cmp.Or(err, trial.Err())
			}
			return err
		})
	return cmp.Or(failed, table.print())
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
		b.WriteString("- " + console.EscapeMarkdown(withHint(cmd, err)) + "\n")
	}
	return b.String() + "\n"
}
