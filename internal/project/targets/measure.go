package targets

import (
	"context"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/selection"
)

// A Detail is what a report says about queries. In any case, it explains for the worst queries of
// measures that fall short why the right answer isn't the first.
type Detail struct {
	Each  bool // explain each query
	Worst int  // also explain so many of the worst queries
	Best  int  // keep the numbers of so many of the best pages for each query
}

// Measure asks a cache the queries of a check. It uses request, apart from its query and
// budget. Errors about the files of the check are [fault.IO].
func Measure(ctx context.Context, c *answers.Cache, request selection.Request, check Check, files CheckFiles, detail Detail) (
	report evaluation.TaskReport, warnings []string, err error,
) {
	corpus, err := CorpusOf(c)
	if err != nil {
		return report, nil, err
	}
	task, err := evaluation.NewTask(check.Qrels, files.queries, files.judgments, corpus, check.Budgets)
	if err != nil {
		return report, nil, fault.Errorf(fault.IO, "%w", err)
	}
	if err := task.CheckDocuments(); err != nil {
		return report, nil, fault.Errorf(fault.IO, "%s: %w", check.Qrels, err)
	}
	scores := make([][]float64, task.Answerable)
	queries := make([]selection.Query, len(task.Queries))
	for i, topic := range task.Queries {
		queries[i] = topic.Query
	}
	standings, err := answers.ScoreEach(ctx, c, request, queries, func(i int, ranking answers.Scoreboard) (s evaluation.RightRank, err error) {
		if i < len(scores) {
			if scores[i], err = scoresOf(ctx, ranking, task, i, check.Budgets); err != nil {
				return s, err
			}
		}
		s, err = standingOf(ctx, ranking, task, i, detail.Each)
		if err == nil && detail.Best > 0 {
			s.Best, err = ranking.Best(detail.Best)
		}
		return s, err
	})
	if err != nil {
		return report, nil, err
	}
	report = task.Report(scores, standings)
	report.Cache, report.Baseline, report.WithEach = c.Version(), files.baseline, detail.Each
	if !detail.Each {
		worst := report.Worst(check.Bounds(report))
		lowest, _ := report.Lowest(report.Measures[0].Name, detail.Worst)
		worst = append(worst, slices.DeleteFunc(lowest, func(at int) bool { return slices.Contains(worst, at) })...)
		err = explain(ctx, c, request, task, report, worst)
	}
	return report, slices.Concat(task.Warnings(), report.Warnings()), err
}

// scoresOf returns the scores of a ranking for the query at a position.
func scoresOf(ctx context.Context, ranking answers.Scoreboard, task *evaluation.Task, position int, budgets []uint64) ([]float64, error) {
	best, err := ranking.Best(evaluation.Depth)
	if err != nil {
		return nil, err
	}
	bundles := make([][]document.Span, len(budgets))
	for i, budget := range budgets {
		if bundles[i], err = ranking.Within(ctx, budget); err != nil {
			return nil, err
		}
	}
	return task.Score(position, best, bundles), nil
}

// explain asks the queries at some positions again, and adds the reasons to their outcomes.
func explain(ctx context.Context, c *answers.Cache, request selection.Request, task *evaluation.Task, report evaluation.TaskReport, worst []int) error {
	queries := make([]selection.Query, len(worst))
	for i, position := range worst {
		queries[i] = task.Queries[position].Query
	}
	_, err := answers.ScoreEach(ctx, c, request, queries, func(i int, ranking answers.Scoreboard) (s evaluation.RightRank, err error) {
		s, err = standingOf(ctx, ranking, task, worst[i], true)
		report.Outcomes[worst[i]].Why = s.Why
		return s, err
	})
	return err
}

// standingOf returns the rank of the right answers to the query at a position.
func standingOf(ctx context.Context, ranking answers.Scoreboard, task *evaluation.Task, position int, withWhy bool) (s evaluation.RightRank, err error) {
	compared, err := ranking.Standing(ctx, task.Right(position), !task.HasSections(), withWhy)
	if err != nil {
		return s, err
	}
	s.Rank, s.Right, s.First = compared.Rank, compared.Right, compared.First
	s.Why = whyOf(compared, position < task.Answerable)
	sure, err := ranking.Confidence(ctx)
	if sure != nil {
		s.Weak = new(sure.IsWeak || len(sure.Sections) == 0)
	}
	return s, err
}

// Bounds returns the lower bounds of measures, given by the check and its baseline.
func (c Check) Bounds(report evaluation.TaskReport) []evaluation.Gate {
	if c.Tolerance == nil {
		return c.Gates
	}
	return slices.Concat(c.Gates, report.Baseline.Gates(*c.Tolerance))
}

// Judge fails if a measure falls short.
func (c Check) Judge(report evaluation.TaskReport) error {
	if err := report.Check(c.Bounds(report)); err != nil {
		return fault.Errorf(fault.Stale, "%w", err)
	}
	return nil
}

// CheckFiles are the parsed files of a check.
type CheckFiles struct {
	queries   []evaluation.Topic
	judgments []evaluation.Judgment
	baseline  *evaluation.Baseline // nil without a baseline
}

// ReadFiles reads and parses the files of a check. Errors name a file by its key after
// prefix, because it may come from a flag or from a Contextfile.
func (c Check) ReadFiles(ctx context.Context, prefix string) (files CheckFiles, err error) {
	if files.queries, err = readInput(ctx, prefix+"queries", c.Queries, evaluation.ParseQueries); err != nil {
		return files, err
	}
	if files.judgments, err = readInput(ctx, prefix+"qrels", c.Qrels, evaluation.ParseJudgments); err != nil {
		return files, err
	}
	if c.Baseline != "" {
		files.baseline, err = readInput(ctx, prefix+"baseline", c.Baseline, evaluation.ParseBaseline)
	}
	return files, err
}

// MaxInputSize is the maximum size of a file of a check, in bytes. It is enough for a
// million queries.
const MaxInputSize = 64 << 20

// readInput reads and parses the file of a key. Apart from the error of ctx, all errors
// are [fault.IO].
func readInput[T any](ctx context.Context, key, path string, parse func(name string, data []byte) (T, error)) (parsed T, err error) {
	data, err := files.ReadInput(ctx, path, MaxInputSize)
	if cause := context.Cause(ctx); cause != nil {
		return parsed, cause
	}
	if err != nil {
		return parsed, fault.Errorf(fault.IO, "%s %s: %w", key, path, fault.Cause(err))
	}
	if parsed, err = parse(path, data); err != nil {
		return parsed, fault.Errorf(fault.IO, "%w", err)
	}
	return parsed, nil
}

// CorpusOf returns the corpus of a cache, which judgments refer to.
func CorpusOf(c *answers.Cache) (evaluation.Corpus, error) {
	documents, err := c.Documents()
	return evaluation.Corpus{Documents: documents, Span: c.Span}, err
}
