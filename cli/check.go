package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/console"
	"github.com/contextcompiler/context/internal/evaluation"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/internal/verify"
	"github.com/contextcompiler/context/internal/wire"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/resolve"
)

const checkHelp = `Check tells whether the caches of targets can be used, and writes nothing. Each cache
must be up to date with its sources (as build --check finds out), valid (as verify
does), and its answers must be as good as the checks in the Contextfile.yml want (as
eval measures). Answers are measured only if the cache is up to date and valid.

Check looks at all targets, or at each TARGET. It prints a line of JSON for each, in
the order of the file, or tables on a terminal. Standard error has a line for each
target that fails, with the way out. The first of them gives the exit status: 4 if
the cache is missing, 5 if it is invalid, 8 if it is out of date or a measure is too
low, and 6 if a file cannot be read.

--summary appends the tables and the ways out to FILE as Markdown, such as
"$GITHUB_STEP_SUMMARY" on GitHub. --format github makes annotations of warnings and errors.`

// checkFlags are the flags of check.
type checkFlags struct {
	file    fileFlag
	jobs    int
	summary string
}

func checkCommand() *cobra.Command {
	var typed checkFlags
	cmd := &cobra.Command{
		Use:     "check [TARGET...]",
		Short:   "Check that the caches of targets are up to date, valid and good",
		GroupID: cacheGroup,
		Long:    checkHelp,
		Example: "  context check\n" +
			`  context check docs --summary "$GITHUB_STEP_SUMMARY"`,
		RunE: runOn(typed.run),
	}
	typed.file.bind(cmd)
	cmd.ValidArgsFunction = typed.file.complete
	bindJobs(cmd, &typed.jobs)
	bindAnnotations(cmd, "json")
	cmd.Flags().StringVar(&typed.summary, "summary", "", "append the tables to `FILE` as Markdown")
	return cmd
}

func (typed *checkFlags) run(cmd *cobra.Command, names []string) error {
	if err := checkJobs(typed.jobs); err != nil {
		return err
	}
	if cmd.Flags().Changed("summary") && typed.summary == "" {
		return usagef("--summary is empty: name a file")
	}
	chosen, err := typed.file.targets(cmd, names, "write one with `context new`")
	if err != nil {
		return err
	}
	for _, t := range chosen {
		if err := keepOut("summary", typed.summary, t.Build.Cache); err != nil {
			return err
		}
	}
	collectLessOften(200) // as verify does
	tables := checkTables{
		overview: tableOn(cmd, "Target", "Documents", "Up to date", "Valid", "Checks", "Cache"),
		measures: tableOn(cmd, "Target", "Measure", "Value", "Wanted", "Result", "Difference", "Queries"),
	}
	const keepGoing = true // it writes nothing
	first := eachTarget(cmd, chosen, keepGoing, examineEach(cmd.Context(), chosen, typed.jobs),
		func(t targets.Target, v verdict, err error) error {
			warnOfFiles(cmd, t.Name+": ", v.warnings())
			if annotates(cmd) {
				sayFindings(cmd, t.Build.Cache, v.verified.Findings)
			}
			return tables.row(t, v, err)
		})
	if errors.Is(first, context.Canceled) {
		return first
	}
	err = tables.print()
	if typed.summary != "" {
		err = cmp.Or(appendTo(typed.summary, summaryOf(cmd, tables.overview.Sheet, tables.measures.Sheet, tables.failures)), err)
	}
	if err != nil && first != nil {
		report(cmd, err)
	}
	return cmp.Or(first, err)
}

// checkTables are the output of check on a terminal and in a summary.
type checkTables struct {
	overview, measures *table
	failures           []error
}

// row adds what check finds out about a target. It returns why the target fails, if it
// does: err, or what the verdict says.
func (c *checkTables) row(t targets.Target, v verdict, err error) error {
	cells := v.overview(t, err)
	for _, m := range v.measured {
		c.measures.Rows = append(c.measures.Rows, m.rows(t.Name)...)
	}
	var json any = v.report(t)
	if err != nil {
		json = failureOf(t, err)
	}
	if err = cmp.Or(err, v.err(t)); err != nil {
		c.failures = append(c.failures, aboutTarget(c.overview.cmd, t, err))
	}
	return cmp.Or(c.overview.row(json, cells...), err)
}

func (c *checkTables) print() error {
	err := c.overview.print()
	if len(c.measures.Rows) > 0 && console.IsTerminal(c.measures.cmd.OutOrStdout()) {
		err = cmp.Or(err, print(c.measures.cmd, []byte("\n")), c.measures.print())
	}
	return err
}

// A verdict is what check finds out about the cache of a target.
type verdict struct {
	compared pipeline.Comparison
	verified verify.Diagnosis
	measured []measured // by the checks; nil if the cache is out of date or invalid
}

// A measured is the result of a check.
type measured struct {
	check    targets.Check
	report   *evaluation.TaskReport // nil if measuring failed
	warnings []string
	err      error // why there are none, or which fall short
}

// examineEach examines targets one after the other, each with all jobs.
func examineEach(ctx context.Context, chosen []targets.Target, jobs int) iter.Seq2[verdict, error] {
	return func(yield func(verdict, error) bool) {
		for _, t := range chosen {
			if !yield(examine(ctx, t, jobs)) {
				return
			}
		}
	}
}

func examine(ctx context.Context, t targets.Target, jobs int) (v verdict, err error) {
	cfg := t.Build
	cfg.Jobs = jobs
	if v.compared, err = pipeline.Check(ctx, cfg); err != nil {
		return v, err
	}
	if v.verified, err = verify.Path(ctx, cfg.Cache, jobs); err != nil || !v.isSound() {
		return v, err
	}
	c, err := resolve.Open(cfg.Cache)
	if err != nil {
		return v, err
	}
	defer c.Close()
	for _, check := range t.Checks {
		m := measureCheck(ctx, c, check, jobs)
		if err := context.Cause(ctx); err != nil {
			return v, err
		}
		v.measured = append(v.measured, m)
	}
	return v, nil
}

func measureCheck(ctx context.Context, c *resolve.Cache, check targets.Check, jobs int) measured {
	m := measured{check: check}
	files, err := readFilesOf(ctx, "", check)
	if err != nil {
		m.err = err
		return m
	}
	r, warnings, err := measure(ctx, c, resolve.Request{Jobs: jobs}, check, files, false)
	if err != nil {
		m.err = err
		return m
	}
	m.report, m.warnings = &r, warnings
	if err := judge(r, check); err != nil {
		m.err = fault.Errorf(fault.Stale, "the answers to %s %w: %w", check.Queries, errLow, err)
	}
	return m
}

var errLow = errors.New("are not good enough")

// isSound reports whether the cache is up to date and valid.
func (v verdict) isSound() bool { return v.compared.IsUpToDate() && v.verified.IsValid() }

func (v verdict) warnings() []pipeline.Warning {
	all := slices.Clone(v.compared.Warnings)
	for _, m := range v.measured {
		for _, warning := range m.warnings {
			all = append(all, pipeline.Warning{Text: warning})
		}
	}
	return all
}

// failed returns the checks that fail.
func (v verdict) failed() (failed []measured) {
	for _, m := range v.measured {
		if m.err != nil {
			failed = append(failed, m)
		}
	}
	return failed
}

// err returns the error of the cache of a target: damage first, because a build
// mends it and what follows from it.
func (v verdict) err(t targets.Target) error {
	err := cmp.Or(cache.Damaged(t.Build.Cache, v.verified.Err()), staleness(t.Build, v.compared))
	failed := v.failed()
	switch {
	case err != nil || len(failed) == 0:
		return err
	case len(failed) == 1:
		return failed[0].err
	}
	return fmt.Errorf("%w (the first of %d checks that fail)", failed[0].err, len(failed))
}

// overview returns the cells of a target in the first table. err is why there is no
// verdict.
func (v verdict) overview(t targets.Target, err error) []any {
	if err != nil {
		return []any{t.Name, "", "", "", "", t.Build.Cache}
	}
	checks := "none"
	switch {
	case len(t.Checks) > 0 && !v.isSound():
		checks = "not measured"
	case len(t.Checks) > 0:
		checks = fmt.Sprintf("%d of %d pass", len(t.Checks)-len(v.failed()), len(t.Checks))
	}
	return []any{
		t.Name, v.verified.DocumentCount,
		yesOrNo(v.compared.IsUpToDate()), yesOrNo(v.verified.IsValid()), checks, t.Build.Cache,
	}
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// rows returns the cells of a check in the second table, a row for each measure.
func (m measured) rows(target string) (rows [][]string) {
	if m.report == nil {
		return nil
	}
	wanted := m.wanted()
	for _, measure := range m.report.Measures {
		var bound, result, difference string
		if least, isWanted := wanted.of(measure.Name); isWanted {
			bound, result = least.String(), "good"
			if measure.Value < least {
				result = "low"
			}
		}
		if higher, known := m.report.Difference(measure); known {
			difference = signed(higher)
		}
		rows = append(rows, []string{target, measure.Name, measure.Value.String(), bound, result, difference, m.check.Queries})
	}
	return rows
}

// wanted are lower bounds of measures, each once.
type wanted []evaluation.Gate

// wanted returns the highest bound of each measure.
func (m measured) wanted() (all wanted) {
	for _, gate := range gatesOf(*m.report, m.check) {
		i := slices.IndexFunc(all, func(g evaluation.Gate) bool { return g.Measure == gate.Measure })
		if i < 0 {
			all = append(all, gate)
		} else {
			all[i].Least = max(all[i].Least, gate.Least)
		}
	}
	return all
}

// of returns the bound of a measure, if it has one.
func (all wanted) of(measure string) (least evaluation.Fraction, isWanted bool) {
	for _, gate := range all {
		if gate.Measure == measure {
			return gate.Least, true
		}
	}
	return 0, false
}

// Encode writes an object of the bounds by measure.
func (all wanted) Encode(e *wire.Encoder) {
	e.BeginObject()
	for _, gate := range all {
		e.Key(gate.Measure)
		e.Literal(gate.Least.String())
	}
	e.EndObject()
}

// An examinedTarget is the line of check about a target.
type examinedTarget struct {
	Target string `json:"target"`
	Cache  string `json:"cache"`
	comparisonReport
	DocumentCount int64           `json:"document_count"`
	Valid         bool            `json:"valid"`
	Findings      []cache.Finding `json:"findings"`
	Checks        []measureReport `json:"checks"`
}

// A measureReport is the result of a check in this line.
type measureReport struct {
	Queries string       `json:"queries"`
	Qrels   string       `json:"qrels"`
	Report  string       `json:"report" wire:"literal"` // as eval prints it
	Wanted  wanted       `json:"wanted"`
	Error   *targetFault `json:"error,omitzero"`
}

func (v verdict) report(t targets.Target) examinedTarget {
	r := examinedTarget{
		t.Name, t.Build.Cache, comparisonReportOf(v.compared),
		v.verified.DocumentCount, v.verified.IsValid(), v.verified.Findings, nil,
	}
	for _, m := range v.measured {
		checked := measureReport{Queries: m.check.Queries, Qrels: m.check.Qrels}
		if m.report != nil {
			checked.Report = strings.TrimSpace(string(m.report.Encode(false)))
			checked.Wanted = m.wanted()
		}
		if m.err != nil {
			checked.Error = new(faultOf(m.err))
		}
		r.Checks = append(r.Checks, checked)
	}
	return r
}
