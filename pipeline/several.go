package pipeline

import (
	"context"
	"iter"
	"runtime"

	"github.com/contextcompiler/context/internal/base/parallel"
)

// mostBuilds is how many builds can run at once. The limit is low because each build
// keeps its sources and terms in memory, and a single build can use all jobs anyway.
const mostBuilds = 8

// BuildEach builds several caches at once, each as [Build] does. It yields their reports
// or errors in the order of cfgs. Together, the builds work on at most jobs documents at
// a time, regardless of Config.Jobs; if jobs is below 1, it means one per CPU.
//
// If the caller leaves the loop, the running builds are interrupted and the others never
// start.
func BuildEach(ctx context.Context, jobs int, cfgs []Config) iter.Seq2[Report, error] {
	return several(ctx, jobs, cfgs, Build)
}

// CheckEach compares several caches with what [BuildEach] would produce, each as [Check]
// does.
func CheckEach(ctx context.Context, jobs int, cfgs []Config) iter.Seq2[Comparison, error] {
	return several(ctx, jobs, cfgs, Check)
}

func several[Out any](ctx context.Context, jobs int, cfgs []Config, run func(context.Context, Config) (Out, error)) iter.Seq2[Out, error] {
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var shared *parallel.Room
	if len(cfgs) > 1 {
		shared = parallel.NewRoom(int64(jobs))
	}
	return parallel.InOrder(ctx, min(jobs, mostBuilds), len(cfgs), func(ctx context.Context, _, i int) (Out, error) {
		cfg := cfgs[i]
		cfg.Jobs, cfg.slots = jobs, shared
		return run(ctx, cfg)
	})
}

// enter waits until several builds may run another step, and leave ends the step. A step must
// not enter again before it leaves, because it could wait forever.
func (cfg Config) enter(ctx context.Context) (leave func(), err error) {
	if cfg.slots == nil {
		return func() {}, nil
	}
	return cfg.slots.Enter(ctx, 1)
}

// wholeJobs returns the number of jobs for a step over all documents. If builds share
// slots, this is 1, because such a step holds a single slot.
func (cfg Config) wholeJobs() int {
	if cfg.slots != nil {
		return 1
	}
	return cfg.Jobs
}

// each is [parallel.Each] with a slot for each step.
func each[Out any](ctx context.Context, cfg Config, n int, run parallel.Step[Out]) ([]Out, error) {
	return parallel.Each(ctx, cfg.Jobs, n, func(ctx context.Context, worker, i int) (out Out, err error) {
		leave, err := cfg.enter(ctx)
		if err != nil {
			return out, err
		}
		defer leave()
		return run(ctx, worker, i)
	})
}
