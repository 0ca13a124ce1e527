package targets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/answer/links"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// An Examination is what `context check` finds out about the cache of a target.
type Examination struct {
	Compared pipeline.Comparison
	Verified verify.Diagnosis
	Measured []Measurement // by the checks; nil if the cache is out of date or invalid
	Links    *links.Review // nil if not asked for, or if the cache is out of date or invalid
}

// A Measurement is the result of a [Check].
type Measurement struct {
	Check    Check
	Report   *evaluation.TaskReport // nil if measuring failed
	Warnings []string
	Err      error // why the report is missing, or which measures fall short
}

// ExamineEach examines targets in sequence, each with all jobs, and reviews their links if
// withLinks is set. It writes nothing.
func ExamineEach(ctx context.Context, chosen []Target, jobs int, withLinks bool) iter.Seq2[Examination, error] {
	return func(yield func(Examination, error) bool) {
		for _, t := range chosen {
			if !yield(examine(ctx, t, jobs, withLinks)) {
				return
			}
		}
	}
}

func examine(ctx context.Context, t Target, jobs int, withLinks bool) (x Examination, err error) {
	for compared, err := range CheckEach(ctx, jobs, []Target{t}, []pipeline.Config{t.Build}) {
		if err != nil {
			return x, err
		}
		x.Compared = compared
	}
	if x.Verified, err = verify.Path(ctx, t.Build.Cache, jobs); err != nil || !x.IsSound() {
		return x, err
	}
	c, err := answers.Open(t.Build.Cache)
	if err != nil {
		return x, err
	}
	defer c.Close()
	for _, check := range t.Checks {
		m := MeasureCheck(ctx, c, check, jobs, Detail{})
		if err := context.Cause(ctx); err != nil {
			return x, err
		}
		x.Measured = append(x.Measured, m)
	}
	if withLinks {
		located := t.Located(ctx)
		review, err := links.Check(ctx, c, jobs, func(source string) bool { return located.FileOf(source) != "" })
		if err != nil {
			return x, err
		}
		x.Links = &review
	}
	return x, nil
}

// Located returns the target with the directories of its sources. It leaves out sources without
// one, because a build reports them.
func (t Target) Located(ctx context.Context) Target {
	t.Build.Sources, t.Actions = locatedMounts(ctx, t.Build.Sources), make([]*actions.BuildAction, len(t.Build.Sources))
	return t
}

// locatedMounts returns the mounts with a directory.
func locatedMounts(ctx context.Context, all []pipeline.Mount) (found []pipeline.Mount) {
	for _, m := range all {
		if m, err := m.Located(ctx); err == nil {
			found = append(found, m)
		}
	}
	return found
}

// FileOf returns the path of the file with a source, or "" if there is none. The file need not be
// in the cache. The target must be [Target.Located].
func (t Target) FileOf(source string) string {
	for _, m := range t.Build.Sources {
		below, isBelow := source, true
		if m.Prefix != "" {
			below, isBelow = strings.CutPrefix(source, m.Prefix+"/")
		}
		if !isBelow || !filepath.IsLocal(filepath.FromSlash(below)) {
			continue
		}
		file := filepath.Join(m.Dir, filepath.FromSlash(below))
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// MeasureCheck measures a check, and compares the measures with its gates and its baseline.
func MeasureCheck(ctx context.Context, c *answers.Cache, check Check, jobs int, detail Detail) Measurement {
	m := Measurement{Check: check}
	files, err := check.ReadFiles(ctx, "")
	if err != nil {
		m.Err = err
		return m
	}
	r, warnings, err := Measure(ctx, c, selection.Request{Jobs: jobs}, check, files, detail)
	if err != nil {
		m.Err = err
		return m
	}
	m.Report, m.Warnings = &r, warnings
	if err := check.Judge(r); err != nil {
		m.Err = fault.Errorf(fault.Stale, "the answers to %s %w: %w", check.Queries, ErrLow, err)
	}
	return m
}

// ErrLow means answers fall short of a check.
var ErrLow = errors.New("are not good enough")

// ErrBrokenLinks means links lead nowhere.
var ErrBrokenLinks = errors.New("lead nowhere")

// ErrOutOfDate means a build would change the cache.
var ErrOutOfDate = errors.New("is out of date")

// Staleness returns an error of [ErrOutOfDate] if the compared cache is out of date, and
// nil otherwise.
func Staleness(cfg pipeline.Config, compared pipeline.Comparison) error {
	if compared.IsUpToDate() {
		return nil
	}
	var built string
	if compared.Selection != compared.Wanted {
		built = fmt.Sprintf("it was built for selection %s, not %s; ", compared.Selection, compared.Wanted)
	}
	if compared.About != compared.NewAbout {
		built += "its description, base URL or product differs; "
	}
	d := compared.Changes
	return fault.Errorf(fault.Stale,
		"%s %w (%sdocuments: %d added, %d changed, %d removed, %d remade; other files: %d)",
		cfg.Cache, ErrOutOfDate, built, len(d.Added), len(d.Changed), len(d.Removed), len(d.Remade), len(compared.Files))
}

// IsSound reports whether the cache is up to date and valid.
func (x Examination) IsSound() bool { return x.Compared.IsUpToDate() && x.Verified.IsValid() }

// Warnings returns the warnings of the comparison, followed by the warnings of the
// measurements.
func (x Examination) Warnings() []pipeline.Warning {
	all := slices.Clone(x.Compared.Warnings)
	for _, m := range x.Measured {
		for _, warning := range m.Warnings {
			all = append(all, pipeline.Warning{Text: warning})
		}
	}
	return all
}

// Failed returns the failed measurements.
func (x Examination) Failed() (failed []Measurement) {
	for _, m := range x.Measured {
		if m.Err != nil {
			failed = append(failed, m)
		}
	}
	return failed
}

// Err returns why the cache of a target fails, or nil. Damage comes first, because
// repairing it with a build may also make the cache up to date.
func (x Examination) Err(t Target) error {
	err := cmp.Or(cache.Damaged(t.Build.Cache, x.Verified.Err()), Staleness(t.Build, x.Compared))
	failed := x.Failed()
	switch {
	case err != nil:
		return err
	case len(failed) == 0 && x.Links != nil && len(x.Links.Broken) > 0:
		return fault.Errorf(fault.Stale, "%d of %d links between pages %w", len(x.Links.Broken), x.Links.Judged, ErrBrokenLinks)
	case len(failed) == 0:
		return nil
	case len(failed) == 1:
		return failed[0].Err
	}
	return fmt.Errorf("%w (the first of %d checks that fail)", failed[0].Err, len(failed))
}

// Bounds returns the highest bound of each measure with bounds.
func (m Measurement) Bounds() (bounds []evaluation.Gate) {
	for _, gate := range m.Check.Bounds(*m.Report) {
		i := slices.IndexFunc(bounds, func(g evaluation.Gate) bool { return g.Measure == gate.Measure })
		if i < 0 {
			bounds = append(bounds, gate)
		} else {
			bounds[i].Least = max(bounds[i].Least, gate.Least)
		}
	}
	return bounds
}
