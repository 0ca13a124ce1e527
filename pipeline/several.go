package pipeline

import (
	"context"
	"iter"
	"runtime"

	"github.com/contextcompiler/context/internal/parallel"
)

// mostBuilds is the number of builds that run at once: each has sources and terms in
// memory, and one alone uses all jobs.
const mostBuilds = 8

// BuildEach builds several caches at once and yields their reports, or errors, in the
// order of cfgs. Each of them is as [Build] makes it. All builds together work on at most
// jobs documents at a time, whatever their own Jobs; below 1, that is one per processor.
//
// When the caller leaves the loop, builds that still run are interrupted, and those that
// did not begin never do.
func BuildEach(ctx context.Context, jobs int, cfgs []Config) iter.Seq2[Report, error] {
	return several(ctx, jobs, cfgs, Build)
}

// CheckEach compares several caches with what [BuildEach] would make, as [Check] does.
func CheckEach(ctx context.Context, jobs int, cfgs []Config) iter.Seq2[Comparison, error] {
	return several(ctx, jobs, cfgs, Check)
}

func several[Out any](ctx context.Context, jobs int, cfgs []Config, run func(context.Context, Config) (Out, error)) iter.Seq2[Out, error] {
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var shared *slots
	if len(cfgs) > 1 {
		shared = &slots{parallel.NewRoom(int64(jobs))}
	}
	return parallel.InOrder(ctx, min(jobs, mostBuilds), len(cfgs), func(ctx context.Context, _, i int) (Out, error) {
		cfg := cfgs[i]
		cfg.Jobs, cfg.slots = jobs, shared
		return run(ctx, cfg)
	})
}

// slots bound the steps that several builds run at once. A build alone has none.
type slots struct{ room *parallel.Room }

// enter waits for a slot; leave gives it back. A step that has one must not enter again.
func (s *slots) enter(ctx context.Context) (leave func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	return s.room.Enter(ctx, 1)
}

// wholeJobs is how much a step that is about all documents does at once: it has one slot.
func (cfg Config) wholeJobs() int {
	if cfg.slots != nil {
		return 1
	}
	return cfg.Jobs
}

// each is [parallel.Each], with a slot for each step.
func each[Out any](ctx context.Context, cfg Config, n int, run parallel.Step[Out]) ([]Out, error) {
	return parallel.Each(ctx, cfg.Jobs, n, func(ctx context.Context, worker, i int) (out Out, err error) {
		leave, err := cfg.slots.enter(ctx)
		if err != nil {
			return out, err
		}
		defer leave()
		return run(ctx, worker, i)
	})
}
