// Package review gathers what the authors of pages should look at, and renders it as a report: a
// single HTML file.
//
//	cache ─> Gather: measures, questions, links ─> AuthorReport.Render ─> HTML
//
// The report contains no times and no scripts. The same caches and checks result in the same bytes.
package review

import (
	"cmp"
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/answer/links"
	"github.com/contextcompiler/context/internal/project/targets"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// Limits of a report. Longer lists end with the number of the others.
const (
	mostRows      = 50
	mostLinks     = 200
	mostQuestions = 10
	mostChosen    = 5
	mostEvidence  = 4

	firstPages = 10 // of an answer, in which questions reach a page
)

// A Bounded list contains the first items of a longer list.
type Bounded[T any] struct {
	Items []T
	More  int // items that are left out
}

func bounded[T any](all []T, most int) Bounded[T] {
	n := min(len(all), most)
	return Bounded[T]{all[:n], len(all) - n}
}

// Len returns the number of items, including those left out.
func (l Bounded[T]) Len() int { return len(l.Items) + l.More }

// CacheFacts are what a report says about a cache.
type CacheFacts struct {
	Name     string // of the target, or the directory of the cache
	Version  document.Version
	Pages    int
	Sections int // 0 without an index of sections

	Stale     error // why the cache is out of date; nil if it is up to date or if that is unknown
	Checks    []CheckFacts
	Questions int                  // of all checks
	Unreached Bounded[document.ID] // pages outside the first answers to all questions
	Links     links.Review
	Broken    Bounded[links.Broken]
}

// CheckFacts are what a report says about a check.
type CheckFacts struct {
	targets.Measurement
	Worst Bounded[QuestionFacts]
	Lost  Bounded[evaluation.Change] // questions with a lower measure than the baseline, the largest loss first
}

// QuestionFacts are a question and the sections chosen for it.
type QuestionFacts struct {
	evaluation.QueryOutcome
	Budget uint64
	Chosen Bounded[selection.ExplainedItem]
}

// OfTarget gathers facts about the cache of a target. It fails as [answers.Open] does, and if the
// sources of the target cannot be read.
func OfTarget(ctx context.Context, t targets.Target, jobs int) (CacheFacts, error) {
	var stale error
	for compared, err := range targets.CheckEach(ctx, jobs, []targets.Target{t}, []pipeline.Config{t.Build}) {
		if err != nil {
			return CacheFacts{}, err
		}
		stale = targets.Staleness(t.Build, compared)
	}
	f, err := Gather(ctx, t.Build.Cache, t.Checks, jobs, func(source string) bool { return t.FileOf(source) != "" })
	f.Name, f.Stale = t.Name, stale
	return f, err
}

// Gather gathers facts about the cache at a path. exists reports whether a source that isn't in the
// cache is a file all the same. It fails as [answers.Open] does.
func Gather(ctx context.Context, path string, checks []targets.Check, jobs int, exists func(source string) bool) (f CacheFacts, err error) {
	c, err := answers.Open(path)
	if err != nil {
		return f, err
	}
	defer c.Close()
	f.Name, f.Version = path, c.Version()
	if f.Pages, f.Sections, err = c.Size(); err != nil {
		return f, err
	}
	reached := map[document.ID]bool{}
	for _, check := range checks {
		next, err := factsOf(ctx, c, check, jobs, reached)
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return f, err
		}
		f.Checks = append(f.Checks, next)
		if next.Report != nil {
			f.Questions += len(next.Report.Outcomes)
		}
	}
	if f.Questions > 0 {
		ids, err := c.Documents()
		if err != nil {
			return f, err
		}
		var unreached []document.ID
		for _, id := range ids {
			if !reached[id] {
				unreached = append(unreached, id)
			}
		}
		f.Unreached = bounded(unreached, mostRows)
	}
	f.Links, err = links.Check(ctx, c, jobs, exists)
	f.Broken = bounded(f.Links.Broken, mostLinks)
	return f, err
}

// factsOf measures a check, explains its worst questions, and marks the pages that it reaches.
func factsOf(ctx context.Context, c *answers.Cache, check targets.Check, jobs int, reached map[document.ID]bool) (f CheckFacts, err error) {
	f.Measurement = targets.MeasureCheck(ctx, c, check, jobs, targets.Detail{Worst: mostQuestions, Best: firstPages})
	if f.Report == nil {
		return f, nil
	}
	for i := range f.Report.Outcomes {
		for _, id := range f.Report.Outcomes[i].Best {
			reached[id] = true
		}
	}
	changes, _ := f.Report.Changes()
	for len(changes) > 0 && changes[len(changes)-1].Higher > 0 {
		changes = changes[:len(changes)-1]
	}
	f.Lost = bounded(changes, mostQuestions)
	positions, count := f.Report.Lowest(f.Report.Measures[0].Name, mostQuestions)
	f.Worst.More = count - len(positions)
	for _, at := range positions {
		q := QuestionFacts{QueryOutcome: f.Report.Outcomes[at], Budget: check.Budgets[0]}
		query, err := selection.ParseQuery(q.Text)
		if err != nil {
			return f, err
		}
		explained, err := c.Explain(ctx, selection.Request{Query: query, Budget: q.Budget, Jobs: jobs}, 0)
		if err != nil {
			return f, err
		}
		q.Chosen = bounded(explained.Items, mostChosen)
		for i, item := range q.Chosen.Items {
			q.Chosen.Items[i].Evidence = item.Evidence[:min(len(item.Evidence), mostEvidence)]
		}
		f.Worst.Items = append(f.Worst.Items, q)
	}
	return f, nil
}
