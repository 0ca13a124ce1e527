// Package parallel is how the product runs steps concurrently. It limits their number,
// and neither its results nor its errors depend on the order in which steps finish.
package parallel

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/contextcompiler/context/fault"
)

// A Step produces output i. Because steps run in any order, a step must be pure or write
// only where no other step does. worker is in [0, jobs), and two steps of the same
// worker never run at the same time.
type Step[Out any] func(ctx context.Context, worker, i int) (Out, error)

// Each calls run for every i in [0, n), at most jobs at a time, and returns the outputs
// in this order. If jobs is below 1, it means one per CPU.
//
// If several steps fail, Each returns the error of the lowest i instead of the first
// error in time. Otherwise, a broken build could report another error on each run. If
// ctx ends, Each returns its cause.
func Each[Out any](ctx context.Context, jobs, n int, run Step[Out]) ([]Out, error) {
	outputs := make([]Out, n)
	var failures firstError

	// Steps start in order and always finish. So when a step fails, all steps before it
	// have already started and will report their own errors.
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
				var err error
				if outputs[i], err = guarded(ctx, worker, i, run); err != nil {
					failures.add(i, err)
					failed.Store(true)
				}
			}
			return nil
		})
	}
	workers.Wait() // the errors are in failures

	if err := cmp.Or(context.Cause(ctx), failures.err); err != nil {
		return nil, err
	}
	return outputs, nil
}

// A firstError is the error of the lowest step. A list of all errors would need more memory
// than the outputs of some steps.
type firstError struct {
	mu  sync.Mutex
	at  int
	err error
}

func (f *firstError) add(i int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || i < f.at {
		f.at, f.err = i, err
	}
}

func workersFor(jobs, n int) int {
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return min(jobs, n)
}

// guarded returns a panic of run as an error, so the caller can still clean up after a
// bug in a single step.
func guarded[Out any](ctx context.Context, worker, i int, run Step[Out]) (out Out, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	return run(ctx, worker, i)
}
