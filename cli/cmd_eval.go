package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/project/targets"
	"github.com/contextcompiler/context/selection"
)

type evalFlags struct {
	cache               cacheFlags
	queries, qrels      string
	baseline, tolerance string
	budgets, failUnder  []string
	request             selection.Request // without query and budget
	each                bool
	add                 string
	right               []string
	format              reportFormat
}

// A reportFormat prints a report.
type reportFormat func(r evaluation.TaskReport) []byte

func evalCommand() *cobra.Command {
	var typed evalFlags
	cmd := &cobra.Command{
		Use:         "eval [--cache DIR] [--queries FILE --qrels FILE]",
		Short:       "Measure how well a cache answers queries",
		Annotations: map[string]string{exitKey: "8: a measure is too low."},
		SuggestFor:  []string{"evaluate", "measure"},
		Example: `  context eval --target docs --each --format table
  context eval --target docs --add "installing" --right install.md#linux`,
		Args: noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			if cmd.Flags().Changed("add") || cmd.Flags().Changed("right") {
				return addJudged(cmd, &typed)
			}
			return eval(cmd, &typed)
		}),
	}
	flags := cmd.Flags()
	typed.cache.bind(cmd)
	flags.StringVar(&typed.queries, "queries", "", "ask the queries of `FILE`, JSON lines")
	flags.StringVar(&typed.qrels, "qrels", "", "measure by the judgments of `FILE`, tab-separated")
	flags.StringArrayVar(&typed.budgets, "budget", []string{"4000"}, "measure `N` tokens (repeatable)")
	flags.StringVar(&typed.baseline, "baseline", "", "compare with `FILE`, an earlier report as JSON")
	flags.StringArrayVar(&typed.failUnder, "fail-under", nil, "require `MEASURE=MIN`, as in ndcg@10=0.7 (repeatable)")
	flags.StringVar(&typed.tolerance, "tolerance", "", "fail if a measure drops by more than `NUMBER`")
	bindWord(cmd, &typed.format, "format", "json", "print `FORMAT`: json or table",
		flagWord[reportFormat]{"json", func(r evaluation.TaskReport) []byte { return r.Encode(false) }},
		flagWord[reportFormat]{"table", console.TabulateReport})
	bindMethod(cmd, &typed.request)
	bindNumber(cmd, &typed.request.Jobs, "jobs", 0, "ask `N` queries at once; 0 means one per CPU")
	flags.BoolVar(&typed.each, "each", false, "report each query, and why it fails")
	flags.StringVar(&typed.add, "add", "", "append the query `TEXT` to the files")
	flags.StringArrayVar(&typed.right, "right", nil, "add a right `DOCUMENT` or section (repeatable)")
	return cmd
}

func eval(cmd *cobra.Command, typed *evalFlags) error {
	check, err := typed.parse(cmd)
	if err != nil {
		return err
	}
	files, err := check.ReadFiles(cmd.Context(), "--")
	if err != nil {
		return err
	}
	asked, err := typed.cache.open(cmd)
	if err != nil {
		return err
	}
	defer asked.close()
	report, warnings, err := targets.Measure(cmd.Context(), asked.members[0].Cache, typed.request, check, files, targets.Detail{Each: typed.each})
	if err != nil {
		return asked.blame(cmd, flagError(err))
	}
	warn(cmd, warnings)
	return cmp.Or(print(cmd, typed.format(report)), check.Judge(report))
}

func (typed *evalFlags) parse(cmd *cobra.Command) (check targets.Check, err error) {
	if err := typed.check(cmd); err != nil {
		return check, err
	}
	if check.Queries, check.Qrels, err = typed.files(cmd); err != nil {
		return check, err
	}
	check.Baseline = typed.baseline
	if check.Budgets, err = parseBudgets(typed.budgets); err != nil {
		return check, err
	}
	for _, text := range typed.failUnder {
		gate, err := evaluation.ParseGate(text, evaluation.Measures(check.Budgets))
		if err != nil {
			return check, usagef("--fail-under is %s", err)
		}
		check.Gates = append(check.Gates, gate)
	}
	if cmd.Flags().Changed("tolerance") {
		tolerance, err := evaluation.ParseFraction(typed.tolerance)
		if err != nil {
			return check, usagef("--tolerance is %s", err)
		}
		check.Tolerance = &tolerance
	}
	return check, nil
}

// files returns the files of queries and judgments. Without flags, they come from the only
// check of the target.
func (typed *evalFlags) files(cmd *cobra.Command) (queries, qrels string, err error) {
	hasQueries, hasQrels := cmd.Flags().Changed("queries"), cmd.Flags().Changed("qrels")
	switch {
	case hasQueries && hasQrels:
		return typed.queries, typed.qrels, nil
	case hasQueries:
		return "", "", usagef("missing --qrels FILE: name the judgments of --queries")
	case hasQrels:
		return "", "", usagef("missing --queries FILE: name the queries of --qrels")
	case typed.cache.chosen == nil:
		return "", "", usagef("missing --queries FILE and --qrels FILE")
	}
	t := typed.cache.chosen[0]
	if len(t.Checks) != 1 {
		return "", "", usagef("the target %s declares %d checks: name the files with --queries FILE and --qrels FILE", t.Name, len(t.Checks))
	}
	return t.Checks[0].Queries, t.Checks[0].Qrels, nil
}

// check refuses flags without the flags they need, and chooses the cache.
func (typed *evalFlags) check(cmd *cobra.Command) error {
	if err := typed.cache.choose(cmd); err != nil {
		return err
	}
	if chosen := typed.cache.chosen; len(chosen) > 1 {
		return usagef("eval measures a single cache, but there are %d targets: choose a single target, for example with --target %s", len(chosen), chosen[0].Name)
	}
	if cmd.Flags().Changed("tolerance") && typed.baseline == "" {
		return usagef("--tolerance needs --baseline")
	}
	return nil
}

// parseBudgets returns the budgets sorted and without duplicates.
func parseBudgets(typed []string) (budgets []uint64, err error) {
	for _, text := range typed {
		budget, err := parseBudget(text)
		if err != nil {
			return nil, err
		}
		budgets = append(budgets, budget)
	}
	slices.Sort(budgets)
	return slices.Compact(budgets), nil
}

// An addedQuery is the output of eval --add.
type addedQuery struct {
	ID      string   `json:"id"`
	Text    string   `json:"text"`
	Right   []string `json:"right"`
	Queries string   `json:"queries"`
	Qrels   string   `json:"qrels"`
}

// addJudged appends a query and its right answers to the files of eval.
func addJudged(cmd *cobra.Command, typed *evalFlags) error {
	if err := typed.checkAdd(cmd); err != nil {
		return err
	}
	query, err := selection.ParseQuery(typed.add)
	if err != nil {
		return err
	}
	queriesFile, qrelsFile, err := typed.files(cmd)
	if err != nil {
		return err
	}
	_, unlock, err := files.LockDirectory(cmd.Context(), filepath.Dir(queriesFile))
	defer unlock()
	if err != nil {
		return fault.Errorf(fault.IO, "--queries %s: %w", queriesFile, err)
	}
	queries, _, err := readOld(queriesFile)
	if err != nil {
		return err
	}
	qrels, _, err := readOld(qrelsFile)
	if err != nil {
		return err
	}
	if isSameFile(queriesFile, qrelsFile) {
		return usagef("--queries and --qrels name the same file: queries and judgments need a file each")
	}
	asked, err := typed.cache.open(cmd)
	if err != nil {
		return err
	}
	defer asked.close()
	corpus, err := targets.CorpusOf(asked.members[0].Cache)
	if err != nil {
		return asked.blame(cmd, err)
	}
	id, queries, qrels, err := evaluation.Add(evaluation.TaskFile{Name: queriesFile, Data: queries}, evaluation.TaskFile{Name: qrelsFile, Data: qrels}, query, typed.right, corpus)
	if err != nil {
		return asked.blame(cmd, fault.Errorf(fault.IO, "%w", err))
	}
	// A judgment without its query does no harm, so the judgments come first.
	if err := replaceFiles(writtenFile{qrelsFile, qrels, 0o644}, writtenFile{queriesFile, queries, 0o644}); err != nil {
		return err
	}
	return printJSON(cmd, addedQuery{id, typed.add, typed.right, queriesFile, qrelsFile})
}

// isSameFile reports whether two paths lead to the same file, even if it doesn't exist yet.
func isSameFile(one, other string) bool {
	first, err1 := os.Stat(one)
	second, err2 := os.Stat(other)
	return filepath.Clean(one) == filepath.Clean(other) || err1 == nil && err2 == nil && os.SameFile(first, second)
}

// checkAdd refuses flags unused by --add, and chooses the cache.
func (typed *evalFlags) checkAdd(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("add") {
		return usagef("--right needs --add TEXT")
	}
	if strings.TrimSpace(typed.add) == "" {
		return usagef("--add is empty: write the query")
	}
	if len(typed.right) == 0 {
		return usagef("missing --right DOCUMENT: name the page or section that answers the query")
	}
	for _, flag := range []string{
		"baseline", "tolerance", "fail-under", "budget", "each", "format", "selection", "unit", "path", "where", "min-score", "jobs",
	} {
		if cmd.Flags().Changed(flag) {
			return usagef("--add measures nothing: leave out --%s", flag)
		}
	}
	return typed.check(cmd)
}
