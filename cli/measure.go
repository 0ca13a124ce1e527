package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/evaluation"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

// measure asks a cache the queries of a check. request has all but the query and the
// budget. withWhy says why right answers are not the first, for each query and not just for
// the worst of measures that fall short. Errors about the files of the check are [fault.IO].
func measure(ctx context.Context, c *resolve.Cache, request resolve.Request, check targets.Check, files checkFiles, withWhy bool) (
	report evaluation.TaskReport, warnings []string, err error,
) {
	corpus, err := corpusOf(c)
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
	scores := make([][]float64, len(task.Queries))
	standings, err := resolve.RankEach(ctx, c, request, slices.Concat(task.Queries, task.Unanswerable), func(i int, ranking resolve.Ranking) (s evaluation.RightRank, err error) {
		if i < len(scores) {
			answer, err := answerOf(ctx, ranking, check.Budgets)
			if err != nil {
				return s, err
			}
			scores[i] = task.Score(i, answer)
		}
		return standingOf(ctx, ranking, task, i, withWhy)
	})
	if err != nil {
		return report, nil, err
	}
	report = task.Report(scores)
	report.Outcomes = task.Outcomes(scores, standings)
	report.Cache, report.Baseline, report.WithEach = c.Version(), files.baseline, withWhy
	if !withWhy {
		err = explainWorst(ctx, c, request, task, report, check)
	}
	return report, slices.Concat(task.Warnings(), report.Warnings()), err
}

// answerOf returns the best items of a ranking, and what each budget has of it.
func answerOf(ctx context.Context, ranking resolve.Ranking, budgets []uint64) (answer evaluation.CacheAnswer, err error) {
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

// explainWorst asks the queries again that are worst by the measures that fall short, and
// notes why in their outcomes.
func explainWorst(ctx context.Context, c *resolve.Cache, request resolve.Request, task *evaluation.Task, report evaluation.TaskReport, check targets.Check) error {
	worst := report.Worst(gatesOf(report, check))
	queries := make([]selection.Query, len(worst))
	for i, position := range worst {
		queries[i] = task.Queries[position]
	}
	_, err := resolve.RankEach(ctx, c, request, queries, func(i int, ranking resolve.Ranking) (s evaluation.RightRank, err error) {
		s, err = standingOf(ctx, ranking, task, worst[i], true)
		report.Outcomes[worst[i]].RightRank = s
		return s, err
	})
	return err
}

// standingOf returns where the right answers to the query at a position stand.
func standingOf(ctx context.Context, ranking resolve.Ranking, task *evaluation.Task, position int, withWhy bool) (s evaluation.RightRank, err error) {
	compared, err := ranking.Standing(ctx, task.Right(position), !task.HasSections(), withWhy)
	if err != nil {
		return s, err
	}
	s.Rank, s.Why = compared.Rank, whyOf(compared, position < len(task.Queries))
	if compared.Right != nil {
		s.Right = evaluation.ScoredItem{ID: compared.Right.ID, Score: compared.Right.Score}
	}
	if compared.First != nil {
		s.First = evaluation.ScoredItem{ID: compared.First.ID, Score: compared.First.Score}
	}
	sure, err := ranking.Confidence(ctx)
	switch {
	case sure == nil:
	case sure.IsWeak || len(sure.Sections) == 0:
		s.Weakness = evaluation.Weak
	default:
		s.Weakness = evaluation.NotWeak
	}
	return s, err
}

// whyOf says why the best right answer is not the first. It is "" if it is, or if nothing is
// right.
func whyOf(s resolve.Standing, hasRight bool) string {
	switch {
	case !hasRight || s.Rank == 1:
		return ""
	case s.Rank == 0:
		return "no right answer can be chosen: it has no word of the query, or the cache lacks it"
	}
	why := fmt.Sprintf("%s (%s) is number %d after %s (%s)", s.Right.ID, s.Right.Score, s.Rank, s.First.ID, s.First.Score)
	separator := ": "
	if len(s.Lacks) > 0 {
		const mostLacking = 5
		for i, word := range s.Lacks[:min(len(s.Lacks), mostLacking)] {
			if i == 0 {
				why += separator + "it lacks "
			} else {
				why += ", "
			}
			why += strconv.Quote(word)
		}
		if more := len(s.Lacks) - mostLacking; more > 0 {
			why += fmt.Sprintf(" and %d more", more)
		}
		separator = ", "
	}
	for i, lift := range s.Lifts {
		if i == 0 {
			why += separator + "the first gains"
		} else {
			why += " and"
		}
		why += fmt.Sprintf(" %s by %s", lift.Adds, reasonOf(lift))
	}
	return why
}

// reasonOf is describeEvidence in one part.
func reasonOf(found resolve.Evidence) string {
	terms, reason, hasTerms := strings.Cut(describeEvidence(found), ": ")
	if !hasTerms {
		return terms
	}
	return fmt.Sprintf("%q (%s)", terms, reason)
}

// gatesOf returns the lower bounds of the measures of a report, by the check and by its
// baseline.
func gatesOf(report evaluation.TaskReport, check targets.Check) []evaluation.Gate {
	if check.Tolerance == nil {
		return check.Gates
	}
	return slices.Concat(check.Gates, report.Baseline.Gates(*check.Tolerance))
}

// judge fails if a measure falls short.
func judge(report evaluation.TaskReport, check targets.Check) error {
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

// corpusOf returns the corpus that judgments of a cache are about.
func corpusOf(c *resolve.Cache) (evaluation.Corpus, error) {
	documents, err := c.Documents()
	return evaluation.Corpus{Documents: documents, Span: c.Span}, err
}
