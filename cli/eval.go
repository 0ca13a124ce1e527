package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/evaluation"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/resolve"
)

const evalHelp = `Eval scores a cache against queries with relevance judgments. It asks the cache
every query and prints nDCG, recall and mean reciprocal rank of the documents in
resolve's order. For each budget it prints the share of queries for which resolve
prints at least one relevant document.

--queries has one JSON object per line, {"id": "q1", "text": "how to install"}.
--qrels has one judgment per line, QUERY<TAB>DOCUMENT<TAB>GRADE, or the four
columns of TREC. DOCUMENT is an ID or a path, with or without .md. GRADE is 0 for
a wrong document and more for a relevant one. Eval leaves out queries without a
relevant document. It warns of judged documents that are missing in the cache, and
fails if all are.

The report is one line of JSON. A later run can compare itself with it
(--baseline). With --fail-under and --tolerance the exit status is 8 if a measure
falls short; eval prints the report in any case.`

// evalFlags are the flags of eval.
type evalFlags struct {
	cache, queries, qrels string
	baseline, tolerance   string
	budgets, failUnder    []string
	request               resolve.Request // without query and budget
	format                reportFormat
}

type reportFormat func(evaluation.Report) []byte

// evalOptions are the values of the flags that eval parses itself.
type evalOptions struct {
	budgets   []uint64 // sorted and unique
	gates     []evaluation.Gate
	tolerance *evaluation.Fraction // nil without --tolerance
}

func evalCommand() *cobra.Command {
	var typed evalFlags
	cmd := &cobra.Command{
		Use:        "eval --cache DIR --queries FILE --qrels FILE",
		Short:      "Measure how well a cache answers queries",
		SuggestFor: []string{"evaluate", "measure"},
		GroupID:    cacheGroup,
		Long:       evalHelp,
		Example: `  context eval --cache build/context --queries queries.jsonl --qrels qrels.tsv --fail-under ndcg@10=0.7
  context eval --cache build/context --queries queries.jsonl --qrels qrels.tsv --baseline main.json --tolerance 0.01`,
		Args: noArguments,
		RunE: run(func(cmd *cobra.Command) error { return eval(cmd, typed) }),
	}
	flags := cmd.Flags()
	bindCache(cmd, &typed.cache)
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

func eval(cmd *cobra.Command, typed evalFlags) error {
	wanted, err := typed.options(cmd)
	if err != nil {
		return err
	}
	files, err := typed.read()
	if err != nil {
		return err
	}
	c, err := resolve.Open(typed.cache)
	if err != nil {
		return err
	}
	defer c.Close()
	documents, err := c.Documents()
	if err != nil {
		return err
	}
	corpus := evaluation.Corpus{Documents: documents, Span: c.Span}
	task, err := evaluation.NewTask(typed.qrels, files.queries, files.judgments, corpus, wanted.budgets)
	if err != nil {
		return fault.Errorf(fault.IO, "%w", err)
	}
	if err := task.CheckDocuments(); err != nil {
		return fault.Errorf(fault.IO, "%s: %w", typed.qrels, err)
	}
	report, err := measure(cmd, c, typed.request, task, wanted.budgets)
	if err != nil {
		return flagError(err)
	}
	report.Baseline = files.baseline
	warn(cmd, slices.Concat(task.Warnings(), report.Warnings()))
	return cmp.Or(print(cmd, typed.format(report)), wanted.check(report))
}

// measure asks the cache all queries of the task.
func measure(cmd *cobra.Command, c *resolve.Cache, request resolve.Request, task *evaluation.Task, budgets []uint64) (evaluation.Report, error) {
	scores, err := resolve.RankEach(cmd.Context(), c, request, task.Queries, func(i int, ranking resolve.Ranking) ([]float64, error) {
		best, err := ranking.Best(evaluation.Depth)
		if err != nil {
			return nil, err
		}
		answer := evaluation.Answer{Best: best}
		for _, budget := range budgets {
			bundle, err := ranking.Within(cmd.Context(), budget)
			if err != nil {
				return nil, err
			}
			answer.Bundles = append(answer.Bundles, bundle)
		}
		return task.Score(i, answer), nil
	})
	if err != nil {
		return evaluation.Report{}, err
	}
	report := task.Report(scores)
	report.Cache = c.Version()
	return report, nil
}

// check fails if a measure falls short.
func (x evalOptions) check(report evaluation.Report) error {
	gates := x.gates
	if x.tolerance != nil {
		gates = slices.Concat(gates, report.Baseline.Gates(*x.tolerance))
	}
	if err := report.Check(gates); err != nil {
		return fault.Errorf(fault.Stale, "%w", err)
	}
	return nil
}

// options checks and parses the flags.
func (typed evalFlags) options(cmd *cobra.Command) (x evalOptions, err error) {
	if err := typed.check(cmd); err != nil {
		return x, err
	}
	if x.budgets, err = parseBudgets(typed.budgets); err != nil {
		return x, err
	}
	for _, text := range typed.failUnder {
		gate, err := evaluation.ParseGate(text, evaluation.Measures(x.budgets))
		if err != nil {
			return x, usagef("--fail-under is %s", err)
		}
		x.gates = append(x.gates, gate)
	}
	if cmd.Flags().Changed("tolerance") {
		tolerance, err := evaluation.ParseFraction(typed.tolerance)
		if err != nil {
			return x, usagef("--tolerance is %s", err)
		}
		x.tolerance = &tolerance
	}
	return x, nil
}

// check refuses flags that are empty or lack another flag.
func (typed evalFlags) check(cmd *cobra.Command) error {
	if err := cmp.Or(checkPath("cache", typed.cache), checkJobs(typed.request.Jobs), checkFilter(typed.request.Filter)); err != nil {
		return err
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

// evalFiles are the contents of the files that the flags name.
type evalFiles struct {
	queries   []evaluation.Topic
	judgments []evaluation.Judgment
	baseline  *evaluation.Baseline // nil without --baseline
}

// read reads and parses the files that the flags name.
func (typed evalFlags) read() (files evalFiles, err error) {
	if files.queries, err = readInput(typed.queries, evaluation.ParseQueries); err != nil {
		return files, err
	}
	if files.judgments, err = readInput(typed.qrels, evaluation.ParseJudgments); err != nil {
		return files, err
	}
	if typed.baseline != "" {
		files.baseline, err = readInput(typed.baseline, evaluation.ParseBaseline)
	}
	return files, err
}

// maxInputSize is the size limit of the files that eval reads, in bytes.
const maxInputSize = 1 << 30

// readInput reads and parses a file. All its errors are [fault.IO].
func readInput[T any](path string, parse func(name string, data []byte) (T, error)) (parsed T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return parsed, fault.Errorf(fault.IO, "read %s: %w", path, fault.Cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxInputSize+1))
	if err == nil && len(data) > maxInputSize {
		err = errors.New("it is larger than 1 GiB")
	}
	if err != nil {
		return parsed, fault.Errorf(fault.IO, "read %s: %w", path, fault.Cause(err))
	}
	if parsed, err = parse(path, data); err != nil {
		return parsed, fault.Errorf(fault.IO, "%w", err)
	}
	return parsed, nil
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
