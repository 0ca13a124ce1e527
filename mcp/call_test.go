package mcp

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/fault"
)

// newTestCaller returns a caller and its handler of a tool that runs run.
func newTestCaller(cfg Config, run func(context.Context) (string, error)) (call func(context.Context) *sdk.CallToolResult) {
	cfg.Log = slog.New(slog.DiscardHandler)
	handler := newCaller(cfg, context.Background()).handler(tool{
		name: "test",
		run:  func(ctx context.Context, _ []byte) (reply, error) { return textOf(run(ctx)) },
	})
	return func(ctx context.Context) *sdk.CallToolResult {
		result, err := handler(ctx, &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{}})
		if err != nil {
			panic(err)
		}
		return result
	}
}

func onlyText(t *testing.T, result *sdk.CallToolResult) string {
	t.Helper()
	if len(result.Content) != 1 || result.StructuredContent != nil {
		t.Fatalf("got %+v, want one text", result)
	}
	return result.Content[0].(*sdk.TextContent).Text
}

const internalText = `{"error":{"code":"internal_error","message":"Internal error"}}` + "\n"

func TestAPanicIsAnInternalError(t *testing.T) {
	for _, value := range []any{"secret", errors.New("secret"), fault.Errorf(fault.IO, "secret")} {
		result := newTestCaller(Config{}, func(context.Context) (string, error) { panic(value) })(t.Context())
		if got := onlyText(t, result); got != internalText || !result.IsError {
			t.Errorf("panic(%v): got %s", value, got)
		}
	}
}

// A result says the code of what went wrong and never why.
func TestAFailureTellsItsCodeOnly(t *testing.T) {
	for code := fault.InvalidQuery; code <= fault.Internal; code++ {
		result := newTestCaller(Config{}, func(context.Context) (string, error) {
			return "half a result", fault.Errorf(code, "/secret/path: %w", errors.New("secret"))
		})(t.Context())
		want := `{"error":{"code":"` + code.String() + `","message":"` + code.Message() + `"}}` + "\n"
		if got := onlyText(t, result); got != want || !result.IsError {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestACallEndsAtItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		result := newTestCaller(Config{ToolTimeout: time.Minute}, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		})(t.Context())
		if got, took := onlyText(t, result), time.Since(began); got != internalText || took != time.Minute {
			t.Errorf("got %s after %v, want %s after a minute", got, took, internalText)
		}
	})
}

// Calls beyond the limit wait for their turn, and their time runs.
func TestOnlySoManyCallsRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, failed atomic.Int32
		call := newTestCaller(Config{MaxCalls: 3, ToolTimeout: 10 * time.Second}, func(context.Context) (string, error) {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(4 * time.Second)
			running.Add(-1)
			return "", nil
		})
		for range 10 {
			go func() {
				if call(context.Background()).IsError {
					failed.Add(1)
				}
			}()
			synctest.Wait() // they begin one by one, so most is right
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if most.Load() != 3 || failed.Load() != 1 {
			t.Errorf("got %d calls at once and %d that failed, want 3 and 1", most.Load(), failed.Load())
		}
	})
}
