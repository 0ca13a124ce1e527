package parallel

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestInOrderYieldsEachOutputAsSoonAsThoseBeforeItAreThere(t *testing.T) {
	delays := []time.Duration{1, 3, 1, 1}
	for jobs, want := range map[int][]time.Duration{1: {1, 4, 5, 6}, 2: {1, 3, 3, 3}, 8: {1, 3, 3, 3}} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			var got []int
			var at []time.Duration
			for out, err := range InOrder(t.Context(), jobs, len(delays), func(_ context.Context, _, i int) (int, error) {
				time.Sleep(delays[i] * time.Second)
				return i, nil
			}) {
				if err != nil {
					t.Fatal(err)
				}
				got, at = append(got, out), append(at, time.Since(began)/time.Second)
			}
			if !slices.Equal(got, []int{0, 1, 2, 3}) || !slices.Equal(at, want) {
				t.Errorf("jobs=%d: got %v at %v, want them at %v", jobs, got, at, want)
			}
		})
	}
}

func TestInOrderYieldsEveryErrorInItsPlace(t *testing.T) {
	broken := errors.New("broken")
	for _, jobs := range someJobs {
		var got []bool
		for _, err := range InOrder(t.Context(), jobs, 4, func(_ context.Context, _, i int) (int, error) {
			if i%2 == 1 {
				return 0, broken
			}
			return i, nil
		}) {
			got = append(got, err == broken)
		}
		if want := []bool{false, true, false, true}; !slices.Equal(got, want) {
			t.Errorf("jobs=%d: got %v, want %v", jobs, got, want)
		}
	}
}

// If the caller leaves the loop early, no step keeps running, and the steps are told to
// end.
func TestInOrderEndsItsStepsWithTheLoop(t *testing.T) {
	for _, jobs := range someJobs {
		synctest.Test(t, func(t *testing.T) {
			var running, ran atomic.Int64
			for range InOrder(t.Context(), jobs, 100, func(ctx context.Context, _, i int) (int, error) {
				ran.Add(1)
				running.Add(1)
				defer running.Add(-1)
				if i > 0 {
					<-ctx.Done()
				}
				return i, ctx.Err()
			}) {
				break
			}
			if running.Load() != 0 || ran.Load() > int64(jobs+1) {
				t.Errorf("jobs=%d: %d steps ran, and %d still run", jobs, ran.Load(), running.Load())
			}
		})
	}
}

func TestInOrderTellsTheStepsThatItsContextEnded(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var got []error
	for _, err := range InOrder(ctx, 1, 4, func(_ context.Context, _, i int) (int, error) {
		if i == 1 {
			cancel(cause)
		}
		return i, nil
	}) {
		got = append(got, err)
	}
	if !slices.Equal(got, []error{nil, nil, cause, cause}) {
		t.Errorf("got %v, want two outputs, and then the cause", got)
	}
}
