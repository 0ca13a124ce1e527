package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/evaluation"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/resolve"
)

const evalHelp = `Eval scores a cache against queries with relevance judgments. It asks the cache
every query and prints nDCG, recall and mean reciprocal rank of the documents in
resolve's order. For each budget it prints the share of queries for which resolve
prints at least one relevant document.

--queries has one JSON object per line, {"id": "q1", "text": "how to install"}.
--qrels has one judgment per line, QUERY<TAB>DOCUMENT<TAB>GRADE, or the four
columns of TREC. DOCUMENT is an ID or a path, with or without its extension. GRADE
is 0 for a wrong document and more for a relevant one. Eval leaves out queries
without a relevant document. It warns of judged documents that are missing in the
cache, and fails if all are.

Without --cache, eval measures the target of the nearest Contextfile.yml; if it lists
several, choose one with --target. ` + "`context check`" + ` runs the checks of all targets.

The report is one line of JSON. A later run can compare itself with it
(--baseline). With --fail-under and --tolerance the exit status is 8 if a measure
falls short; eval prints the report in any case.`

// evalFlags are the flags of eval.
type evalFlags struct {
	cache               cacheFlags
	queries, qrels      string
	baseline, tolerance string
	budgets, failUnder  []string
	request             resolve.Request // without query and budget
	format              reportFormat
}

type reportFormat func(evaluation.Report) []byte

func evalCommand() *cobra.Command {
	var typed evalFlags
	cmd := &cobra.Command{
		Use:        "eval [--cache DIR] --queries FILE --qrels FILE",
		Short:      "Measure how well a cache answers queries",
		SuggestFor: []string{"evaluate", "measure"},
		GroupID:    cacheGroup,
		Long:       evalHelp,
		Example: `  context eval --cache build/context --queries queries.jsonl --qrels qrels.tsv --fail-under ndcg@10=0.7
  context eval --cache build/context --queries queries.jsonl --qrels qrels.tsv --baseline main.json --tolerance 0.01`,
		Args: noArguments,
		RunE: run(func(cmd *cobra.Command) error { return eval(cmd, &typed) }),
	}
	flags := cmd.Flags()
	typed.cache.bind(cmd)
	flags.StringVar(&typed.queries, "queries", "", "ask the queries of `FILE`, JSON lines")
	flags.StringVar(&typed.qrels, "qrels", "", "measure by the judgments of `FILE`, tab-separated")
	flags.StringArrayVar(&typed.budgets, "budget", []string{"4000"}, "measure bundles of at most `N` tokens (may be repeated)")
	flags.StringVar(&typed.baseline, "baseline", "", "compare with `FILE`, an earlier report as JSON")
	flags.StringArrayVar(&typed.failUnder, "fail-under", nil, "exit with 8 if a measure is below a number, as in `MEASURE=NUMBER` (may be repeated)")
	flags.StringVar(&typed.tolerance, "tolerance", "", "exit with 8 if a measure is below the baseline's by more than `NUMBER`")
	bindWord(cmd, &typed.format, "format", "json", "print `FORMAT`: json (one line), pretty (indented) or table",
		word[reportFormat]{"json", func(r evaluation.Report) []byte { return r.Encode(false) }},
		word[reportFormat]{"pretty", func(r evaluation.Report) []byte { return r.Encode(true) }},
		word[reportFormat]{"table", tabulateReport})
	bindMethod(cmd, &typed.request)
	flags.IntVar(&typed.request.Jobs, "jobs", 0, "ask up to `N` queries at once; 0 is one a processor")
	require(cmd, "queries", "qrels")
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
	report, warnings, err := measure(cmd.Context(), asked.members[0].Cache, typed.request, check, files)
	if err != nil {
		return asked.blame(cmd, flagError(err))
	}
	warn(cmd, warnings)
	return cmp.Or(print(cmd, typed.format(report)), judge(report, check))
}

// parse checks and parses the flags.
func (typed *evalFlags) parse(cmd *cobra.Command) (check targets.Check, err error) {
	if err := typed.check(cmd); err != nil {
		return check, err
	}
	check.Queries, check.Qrels, check.Baseline = typed.queries, typed.qrels, typed.baseline
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

// tabulateReport returns one line per measure, for people.
func tabulateReport(r evaluation.Report) []byte {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if r.Baseline == nil {
		fmt.Fprintln(table, "MEASURE\tVALUE")
	} else {
		fmt.Fprintln(table, "MEASURE\tVALUE\tDIFFERENCE")
	}
	for _, m := range r.Measures {
		fmt.Fprintf(table, "%s\t%s", m.Name, m.Value)
		if higher, known := r.Difference(m); known {
			fmt.Fprintf(table, "\t%s", signed(higher))
		} else if r.Baseline != nil {
			fmt.Fprint(table, "\t-")
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	fmt.Fprintf(&b, "%d queries, %d without relevant documents, %d judged documents missing\n", r.Queries, r.WithoutRelevant, r.MissingDocuments)
	return []byte(b.String())
}

// signed returns a difference with its sign.
func signed(v evaluation.Fraction) string {
	if v > 0 {
		return "+" + v.String()
	}
	return v.String()
}
