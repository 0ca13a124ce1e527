// Package parallel is the product's one way to do things at once. It is
// bounded, and neither results nor errors depend on the order of events.
package parallel

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/contextcompiler/context/fault"
)

// A Step makes output i. Steps run in any order: a step is pure, or it writes
// where no other step does. worker is in [0, jobs), and no two steps of a worker
// run at the same time.
type Step[Out any] func(ctx context.Context, worker, i int) (Out, error)

// Each runs run for every i in [0, n), at most jobs at a time, and returns the
// outputs in this order. If jobs is below 1, it is the number of processors.
//
// If steps fail, Each returns the error of the lowest i, not the first in time:
// a broken build reports the same error on every run. If ctx ends, Each returns
// its cause.
func Each[Out any](ctx context.Context, jobs, n int, run Step[Out]) ([]Out, error) {
	outputs := make([]Out, n)
	errs := make([]error, n)

	// Steps begin in order and each of them ends, so if one fails, every
	// step before it has run or is running.
	var begun atomic.Int64
	var failed atomic.Bool
	var workers errgroup.Group
	for worker := range workersFor(jobs, n) {
		workers.Go(func() error {
			for !failed.Load() && ctx.Err() == nil {
				i := int(begun.Add(1)) - 1
				if i >= n {
					break
				}
				outputs[i], errs[i] = guarded(ctx, worker, i, run)
				if errs[i] != nil {
					failed.Store(true)
				}
			}
			return nil
		})
	}
	workers.Wait() // the errors are in errs, by position

	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

func workersFor(jobs, n int) int {
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return min(jobs, n)
}

// guarded returns a panic of run as an error: after a bug in one step, the
// caller still cleans up.
func guarded[Out any](ctx context.Context, worker, i int, run Step[Out]) (out Out, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	return run(ctx, worker, i)
}
