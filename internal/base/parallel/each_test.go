package parallel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contextcompiler/context/fault"
)

var someJobs = []int{1, 2, 8}

func TestEachReturnsOutputsInOrder(t *testing.T) {
	for _, jobs := range someJobs {
		synctest.Test(t, func(t *testing.T) { // time is fake: no real sleeping
			delays := []time.Duration{3, 1, 2, 0}
			got, err := Each(t.Context(), jobs, len(delays), func(_ context.Context, _, i int) (int, error) {
				time.Sleep(delays[i] * time.Second)
				return 10 * i, nil
			})
			if want := []int{0, 10, 20, 30}; err != nil || !slices.Equal(got, want) {
				t.Errorf("jobs=%d: got %v, %v, want %v", jobs, got, err, want)
			}
		})
	}
}

// Step 1 fails last in time but first in order, with any number of jobs.
func TestEachReportsTheFirstErrorInOrder(t *testing.T) {
	errs := map[int]error{1: errors.New("one"), 2: errors.New("two"), 3: errors.New("three")}
	for _, jobs := range someJobs {
		synctest.Test(t, func(t *testing.T) {
			_, err := Each(t.Context(), jobs, 4, func(_ context.Context, _, i int) (int, error) {
				time.Sleep(time.Duration(4-i) * time.Second)
				return i, errs[i]
			})
			if err != errs[1] {
				t.Errorf("jobs=%d: got %v, want %v", jobs, err, errs[1])
			}
		})
	}
}

func TestEachRunsAtMostJobsAtOnceAndOneAWorker(t *testing.T) {
	for _, jobs := range someJobs {
		synctest.Test(t, func(t *testing.T) {
			var running, most atomic.Int64
			busy := make([]atomic.Bool, jobs)
			_, err := Each(t.Context(), jobs, 100, func(_ context.Context, worker, _ int) (int, error) {
				if busy[worker].Swap(true) {
					return 0, fmt.Errorf("worker %d runs two steps", worker)
				}
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(time.Second)
				running.Add(-1)
				busy[worker].Store(false)
				return 0, nil
			})
			if err != nil || most.Load() != int64(jobs) {
				t.Errorf("jobs=%d: got %d at once, %v", jobs, most.Load(), err)
			}
		})
	}
}

func TestEachStopsWhenItsContextEnds(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	ran := 0
	_, err := Each(ctx, 1, 10, func(context.Context, int, int) (int, error) {
		if ran++; ran == 3 {
			cancel(cause)
		}
		return 0, nil
	})
	if err != cause || ran != 3 {
		t.Errorf("got %v after %d, want %v after 3", err, ran, cause)
	}
}

func TestEachTurnsAPanicIntoAnInternalError(t *testing.T) {
	_, err := Each(t.Context(), 2, 2, func(_ context.Context, _, i int) (int, error) {
		panic(fmt.Sprint("broken ", i))
	})
	if err == nil || fault.CodeOf(err) != fault.Internal || err.Error() != "panic: broken 0" {
		t.Fatalf("got %v, want panic: broken 0", err)
	}
	p, ok := errors.AsType[*fault.Panic](err)
	if !ok || !strings.Contains(string(p.Stack), "TestEachTurnsAPanic") {
		t.Error("the stack does not lead to the panic")
	}
}
