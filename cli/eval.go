package cli

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/evaluation"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/resolve"
)

const evalHelp = `Eval scores a cache against queries with relevance judgments. It asks the cache
every query and prints nDCG, recall and mean reciprocal rank of the documents in
resolve's order, the share of queries for which resolve prints a relevant document
for each budget, and how many answers are weak.

--queries has one JSON object per line, {"id": "q1", "text": "how to install"}.
--qrels has one judgment per line, QUERY<TAB>DOCUMENT<TAB>GRADE, or the four
columns of TREC. DOCUMENT is an ID or a path, and GRADE is 0 for a wrong document.

Without --cache, eval measures the target of the nearest Contextfile.yml, or of --target.
Then --queries and --qrels can be those of the target's check.

The report is one line of JSON. A later run can compare itself with it
(--baseline), also query by query if it contains each. With --fail-under and --tolerance
the exit status is 8 if a measure falls short; eval prints the report in any case.

--add appends a query and its right pages or sections to the files instead of measuring.`

// evalFlags are the flags of eval.
type evalFlags struct {
	cache               cacheFlags
	queries, qrels      string
	baseline, tolerance string
	budgets, failUnder  []string
	request             resolve.Request // without query and budget
	each, all           bool
	add                 string
	right               []string
	format              reportFormat
}

// A reportFormat prints a report, and all changes instead of the first few if all is set.
type reportFormat func(r evaluation.TaskReport, all bool) []byte

func evalCommand() *cobra.Command {
	var typed evalFlags
	cmd := &cobra.Command{
		Use:        "eval [--cache DIR] [--queries FILE --qrels FILE]",
		Short:      "Measure how well a cache answers queries",
		SuggestFor: []string{"evaluate", "measure"},
		GroupID:    cacheGroup,
		Long:       evalHelp,
		Example: `  context eval --cache build/context --queries queries.jsonl --qrels qrels.tsv --fail-under ndcg@10=0.7
  context eval --target docs --each --format table
  context eval --target docs --add "how do I install it" --right guide/install.md#linux`,
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
	flags.StringArrayVar(&typed.budgets, "budget", []string{"4000"}, "measure bundles of at most `N` tokens (repeatable)")
	flags.StringVar(&typed.baseline, "baseline", "", "compare with `FILE`, an earlier report as JSON")
	flags.StringArrayVar(&typed.failUnder, "fail-under", nil, "exit with 8 if a measure is below a number, as in `MEASURE=NUMBER` (repeatable)")
	flags.StringVar(&typed.tolerance, "tolerance", "", "exit with 8 if a measure is below the baseline's by more than `NUMBER`")
	bindWord(cmd, &typed.format, "format", "json", "print `FORMAT`: json (one line), pretty (indented) or table",
		word[reportFormat]{"json", func(r evaluation.TaskReport, _ bool) []byte { return r.Encode(false) }},
		word[reportFormat]{"pretty", func(r evaluation.TaskReport, _ bool) []byte { return r.Encode(true) }},
		word[reportFormat]{"table", tabulateReport})
	bindMethod(cmd, &typed.request)
	flags.IntVar(&typed.request.Jobs, "jobs", 0, "ask up to `N` queries at once; 0 is one a processor")
	flags.BoolVar(&typed.each, "each", false, "report each query, with the reason why a right answer is not the first")
	flags.BoolVar(&typed.all, "all", false, "print all queries that changed in a table, not just the first 20")
	flags.StringVar(&typed.add, "add", "", "append the query `TEXT` to the files; --right names its answers")
	flags.StringArrayVar(&typed.right, "right", nil, "with --add, the right `DOCUMENT`, or a section as in page.md#setup (repeatable)")
	return cmd
}

func eval(cmd *cobra.Command, typed *evalFlags) error {
	check, err := typed.parse(cmd)
	if err != nil {
		return err
	}
	files, err := readFilesOf(cmd.Context(), "--", check)
	if err != nil {
		return err
	}
	asked, err := typed.cache.open(cmd)
	if err != nil {
		return err
	}
	defer asked.close()
	report, warnings, err := measure(cmd.Context(), asked.members[0].Cache, typed.request, check, files, typed.each)
	if err != nil {
		return asked.blame(cmd, flagError(err))
	}
	warn(cmd, warnings)
	return cmp.Or(print(cmd, typed.format(report, typed.all)), judge(report, check))
}

// parse checks and parses the flags.
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

// files returns the files of queries and judgments: those of the flags, or of the only check
// of the target.
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
		return "", "", usagef("the target %s has %d checks: name the files with --queries FILE and --qrels FILE", t.Name, len(t.Checks))
	}
	return t.Checks[0].Queries, t.Checks[0].Qrels, nil
}

// check refuses flags that are empty or lack another flag, and chooses the cache.
func (typed *evalFlags) check(cmd *cobra.Command) error {
	if err := cmp.Or(typed.cache.choose(cmd), checkJobs(typed.request.Jobs), checkFilter(typed.request.Filter)); err != nil {
		return err
	}
	if chosen := typed.cache.chosen; len(chosen) > 1 {
		return usagef("eval measures one cache, not those of %d targets: choose one with --target %s", len(chosen), chosen[0].Name)
	}
	flags := cmd.Flags()
	for _, flag := range []string{"queries", "qrels", "baseline"} {
		if flags.Changed(flag) && flags.Lookup(flag).Value.String() == "" {
			return usagef("--%s is empty: name a file", flag)
		}
	}
	if flags.Changed("tolerance") && typed.baseline == "" {
		return usagef("--tolerance needs --baseline")
	}
	return nil
}

// parseBudgets returns budgets sorted, each once.
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
