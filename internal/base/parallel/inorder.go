package parallel

import (
	"context"
	"iter"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// InOrder calls run for every i in [0, n), at most jobs at a time. It yields the outputs
// and errors in this order, each as soon as it and all before it are known. If jobs is
// below 1, it means one per CPU.
//
// A failing step doesn't stop the others. If the caller leaves the loop, no more steps
// start, the contexts of the running steps end, and the loop ends after the last of
// them.
func InOrder[Out any](ctx context.Context, jobs, n int, run Step[Out]) iter.Seq2[Out, error] {
	type outcome struct {
		out Out
		err error
	}
	return func(yield func(Out, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		outcomes := make([]chan outcome, n)
		for i := range outcomes {
			outcomes[i] = make(chan outcome, 1)
		}
		var begun atomic.Int64
		var workers errgroup.Group
		defer workers.Wait()
		defer cancel()
		for worker := range workersFor(jobs, n) {
			workers.Go(func() error {
				for i := int(begun.Add(1)) - 1; i < n; i = int(begun.Add(1)) - 1 {
					o := outcome{err: context.Cause(ctx)}
					if o.err == nil {
						o.out, o.err = guarded(ctx, worker, i, run)
					}
					outcomes[i] <- o
				}
				return nil
			})
		}
		for _, c := range outcomes {
			if o := <-c; !yield(o.out, o.err) {
				return
			}
		}
	}
}
