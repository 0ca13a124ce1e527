// Package parallel is the product's one way to do things at once: bounded, and
// with results and errors that do not show it.
package parallel

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/contextcompiler/context/fault"
)

// A Step turns one input into one output. Steps run in any order, so one must
// be pure, or write only where no other does. worker is in [0, jobs): no two
// steps of one worker run at the same time.
type Step[In, Out any] func(ctx context.Context, worker int, input In) (Out, error)

// Each runs run on every input, at most jobs at a time, and returns the
// outputs in input order. jobs below 1 stands for one a processor.
//
// If inputs fail, Each returns the error of the first one in input order, not
// the first in time: a broken build reports the same error on every run. If
// ctx ends, Each returns its cause.
func Each[In, Out any](ctx context.Context, jobs int, inputs []In, run Step[In, Out]) ([]Out, error) {
	outputs := make([]Out, len(inputs))
	errs := make([]error, len(inputs))

	// Inputs are claimed in order and a claimed input always runs, so when
	// one fails, every input before it has run or is running.
	var claimed atomic.Int64
	var failed atomic.Bool
	var workers errgroup.Group
	for worker := range workersFor(jobs, len(inputs)) {
		workers.Go(func() error {
			for !failed.Load() && ctx.Err() == nil {
				i := int(claimed.Add(1)) - 1
				if i >= len(inputs) {
					break
				}
				outputs[i], errs[i] = guarded(ctx, worker, inputs[i], run)
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

// workersFor returns how many workers share n inputs.
func workersFor(jobs, n int) int {
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return min(jobs, n)
}

// guarded turns a panic of run into an error, so that a bug that one document
// brings to light still cleans up after itself.
func guarded[In, Out any](ctx context.Context, worker int, input In, run Step[In, Out]) (out Out, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Recovered(p)
		}
	}()
	return run(ctx, worker, input)
}
