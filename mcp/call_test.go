package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/contextcompiler/context/fault"
)

// A testCaller calls a tool and returns its answer.
type testCaller func(context.Context) *resultText

// newTestCaller returns a caller of a tool whose function is run.
func newTestCaller(cfg Settings, run func(ctx context.Context, out io.Writer) error) testCaller {
	cfg.Log = slog.New(slog.DiscardHandler)
	room := semaphore.NewWeighted(maxWaiting)
	handler := newCaller(cfg, serverSpec{failure: failure}).handler(tool{
		name:  "test",
		begin: func() toolCall { return toolCall{run: run} },
	})
	return func(ctx context.Context) *resultText {
		a := &resultText{most: maxAnswer, room: room, until: context.Background()}
		req := &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{}, Extra: extraOf(a)}
		if _, err := handler(ctx, req); err != nil {
			panic(err)
		}
		return a
	}
}

func textOf(a *resultText) string { return string(bytes.Join(a.parts, nil)) }

const internalText = `{"error":{"code":"internal_error","message":"Internal error"}}` + "\n"

func TestAPanicIsAnInternalError(t *testing.T) {
	for _, value := range []any{"secret", errors.New("secret"), fault.Errorf(fault.IO, "secret")} {
		result := newTestCaller(Settings{}, func(context.Context, io.Writer) error { panic(value) })(t.Context())
		if got := textOf(result); got != internalText || !result.isError {
			t.Errorf("panic(%v): got %s", value, got)
		}
	}
}

// A result says the code of what went wrong and never why.
func TestAFailureTellsItsCodeOnly(t *testing.T) {
	for code := fault.InvalidQuery; code <= fault.Internal; code++ {
		result := newTestCaller(Settings{}, func(_ context.Context, out io.Writer) error {
			io.WriteString(out, "half a result")
			return fault.Errorf(code, "/secret/path: %w", errors.New("secret"))
		})(t.Context())
		want := `{"error":{"code":"` + code.String() + `","message":"` + code.Message() + `"}}` + "\n"
		if got := textOf(result); got != want || !result.isError {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A call ends at its time even if the tool ignores it. Its work keeps the slot until it ends, and
// its output is discarded.
func TestACallEndsAtItsTimeThoughItsWorkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		call := newTestCaller(Settings{MaxCalls: 1, ToolTimeout: time.Minute}, func(_ context.Context, out io.Writer) error {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			time.Sleep(100 * time.Second)
			_, err := io.WriteString(out, "late")
			if err == nil {
				t.Error("the answer of an ended call was printed")
			}
			return nil
		})
		for range 3 { // the third call gets no slot in its time
			began := time.Now()
			result := call(t.Context())
			if got, took := textOf(result), time.Since(began); got != internalText || took != time.Minute {
				t.Errorf("got %s after %v, want %s after a minute", got, took, internalText)
			}
			if running.Load() != 1 {
				t.Errorf("got %d tools at work, want 1", running.Load())
			}
		}
		time.Sleep(time.Hour)
		if most.Load() != 1 || running.Load() != 0 {
			t.Errorf("got %d tools at work at once and %d now, want 1 and 0", most.Load(), running.Load())
		}
	})
}

func TestACallEndsAtItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		result := newTestCaller(Settings{ToolTimeout: time.Minute}, func(ctx context.Context, _ io.Writer) error {
			<-ctx.Done()
			return context.Cause(ctx)
		})(t.Context())
		if got, took := textOf(result), time.Since(began); got != internalText || took != time.Minute {
			t.Errorf("got %s after %v, want %s after a minute", got, took, internalText)
		}
	})
}

// Calls beyond the limit wait for their turn, and their time runs.
func TestOnlySoManyCallsRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, failed atomic.Int32
		call := newTestCaller(Settings{MaxCalls: 3, ToolTimeout: 10 * time.Second}, func(context.Context, io.Writer) error {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(3 * time.Second)
			running.Add(-1)
			return nil
		})
		for range 10 {
			go func() {
				if call(context.Background()).isError {
					failed.Add(1)
				}
			}()
			synctest.Wait() // they begin one after the other, so most is right
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if most.Load() != 3 || failed.Load() != 1 {
			t.Errorf("got %d calls at once and %d that failed, want 3 and 1", most.Load(), failed.Load())
		}
	})
}
