package mcp

import (
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// printBytes returns what prints n bytes, in pieces of an odd size.
func printBytes(n int) func(context.Context, io.Writer) error {
	return func(_ context.Context, out io.Writer) error {
		const piece = 100_003
		for left := n; left > 0; left -= piece {
			if _, err := io.WriteString(out, strings.Repeat("x", min(left, piece))); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestAnAnswerIsBounded(t *testing.T) {
	for _, c := range []struct {
		size int
		ok   bool
	}{{0, true}, {1, true}, {maxAnswer, true}, {maxAnswer + 1, false}, {3 * maxAnswer, false}} {
		a := newTestCaller(Settings{}, printBytes(c.size))(t.Context())
		if text := textOf(a); a.isError == c.ok || c.ok && text != strings.Repeat("x", c.size) || !c.ok && text != internalText {
			t.Errorf("%d bytes: got %d bytes, isError %t", c.size, len(text), a.isError)
		}
	}
}

// A call waits for room before it prints, not before it works, until an answer is
// written; if none is, it fails at its time.
func TestAnswersThatWaitAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size, fit = 14 << 20, maxWaiting / maxAnswer
		var working atomic.Int32
		call := newTestCaller(Settings{MaxCalls: 20, ToolTimeout: time.Minute}, func(ctx context.Context, out io.Writer) error {
			working.Add(1)
			return printBytes(size)(ctx, out)
		})
		var mu sync.Mutex
		var printed, failed []*resultText
		for range fit + 3 {
			go func() {
				a := call(context.Background())
				mu.Lock()
				defer mu.Unlock()
				if a.isError {
					failed = append(failed, a)
				} else {
					printed = append(printed, a)
				}
			}()
			synctest.Wait()
		}
		if working.Load() != fit+3 || len(printed) != fit {
			t.Errorf("got %d calls at work and %d answers, want %d and %d", working.Load(), len(printed), fit+3, fit)
		}
		printed[0].discard()
		synctest.Wait()
		if len(printed) != fit+1 {
			t.Errorf("got %d answers after the first was written, want %d", len(printed), fit+1)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(failed) != 2 || textOf(failed[0]) != internalText {
			t.Errorf("got %d failures, want 2 with %s", len(failed), internalText)
		}
		for _, a := range printed[1:] {
			a.discard()
		}
		if !printed[0].room.TryAcquire(maxWaiting) {
			t.Error("answers that were written hold room")
		}
	})
}

// Answers release all their room even if they fail or end early.
func TestAnAnswerThatFailsHoldsNoRoom(t *testing.T) {
	call := newTestCaller(Settings{}, printBytes(maxAnswer+1))
	for range 10 {
		a := call(t.Context())
		if a.held != 0 {
			t.Fatalf("got %d bytes held, want 0", a.held)
		}
	}
}
