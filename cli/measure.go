package cli

import (
	"context"
	"slices"

	"github.com/contextcompiler/context/evaluation"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/resolve"
)

// measure asks a cache the queries of a check. request has all but the query and the
// budget. Errors about the files of the check are [fault.IO].
func measure(ctx context.Context, c *resolve.Cache, request resolve.Request, check targets.Check, files checkFiles) (
	report evaluation.Report, warnings []string, err error,
) {
	documents, err := c.Documents()
	if err != nil {
		return report, nil, err
	}
	corpus := evaluation.Corpus{Documents: documents, Span: c.Span}
	task, err := evaluation.NewTask(check.Qrels, files.queries, files.judgments, corpus, check.Budgets)
	if err != nil {
		return report, nil, fault.Errorf(fault.IO, "%w", err)
	}
	if err := task.CheckDocuments(); err != nil {
		return report, nil, fault.Errorf(fault.IO, "%s: %w", check.Qrels, err)
	}
	scores, err := resolve.RankEach(ctx, c, request, task.Queries, func(i int, ranking resolve.Ranking) ([]float64, error) {
		answer, err := answerOf(ctx, ranking, check.Budgets)
		if err != nil {
			return nil, err
		}
		return task.Score(i, answer), nil
	})
	if err != nil {
		return report, nil, err
	}
	report = task.Report(scores)
	report.Cache, report.Baseline = c.Version(), files.baseline
	return report, slices.Concat(task.Warnings(), report.Warnings()), nil
}

// answerOf returns the best items of a ranking, and what each budget has of it.
func answerOf(ctx context.Context, ranking resolve.Ranking, budgets []uint64) (answer evaluation.Answer, err error) {
	if answer.Best, err = ranking.Best(evaluation.Depth); err != nil {
		return answer, err
	}
	for _, budget := range budgets {
		bundle, err := ranking.Within(ctx, budget)
		if err != nil {
			return answer, err
		}
		answer.Bundles = append(answer.Bundles, bundle)
	}
	return answer, nil
}

// gatesOf returns the lower bounds of the measures of a report, by the check and by its
// baseline.
func gatesOf(report evaluation.Report, check targets.Check) []evaluation.Gate {
	if check.Tolerance == nil {
		return check.Gates
	}
	return slices.Concat(check.Gates, report.Baseline.Gates(*check.Tolerance))
}

// judge fails if a measure falls short.
func judge(report evaluation.Report, check targets.Check) error {
	if err := report.Check(gatesOf(report, check)); err != nil {
		return fault.Errorf(fault.Stale, "%w", err)
	}
	return nil
}

// checkFiles are the contents of the files that a check names.
type checkFiles struct {
	queries   []evaluation.Topic
	judgments []evaluation.Judgment
	baseline  *evaluation.Baseline // nil without one
}

// readFilesOf reads and parses the files that a check names. prefix stands before the keys
// of a check to name where a file was given, as flags or in a Contextfile.
func readFilesOf(ctx context.Context, prefix string, check targets.Check) (files checkFiles, err error) {
	if files.queries, err = readInput(ctx, prefix+"queries", check.Queries, evaluation.ParseQueries); err != nil {
		return files, err
	}
	if files.judgments, err = readInput(ctx, prefix+"qrels", check.Qrels, evaluation.ParseJudgments); err != nil {
		return files, err
	}
	if check.Baseline != "" {
		files.baseline, err = readInput(ctx, prefix+"baseline", check.Baseline, evaluation.ParseBaseline)
	}
	return files, err
}

// maxInputSize is the size limit of a file of a check, in bytes. A million queries fit.
const maxInputSize = 64 << 20

// readInput reads and parses a file that a key names. All its errors but that of ctx are
// [fault.IO].
func readInput[T any](ctx context.Context, key, path string, parse func(name string, data []byte) (T, error)) (parsed T, err error) {
	data, err := files.ReadInput(ctx, path, maxInputSize)
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
