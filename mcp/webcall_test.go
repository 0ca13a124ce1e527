package mcp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// requestText returns a request with a body and more lines of the header.
func requestText(body, lines string) string {
	return fmt.Sprintf("%s%sContent-Length: %d\r\n\r\n%s", header, lines, len(body), body)
}

// A client can only cancel its own call, not another call with the same ID. Its request is then
// accepted and has no answer.
func TestACancellationOverHTTPEndsTheCallOfItsSession(t *testing.T) {
	for _, version := range sdk.SupportedProtocolVersions() {
		revision := testRevision(version)
		if !revision.hasHandshake() {
			continue // a client closes the request instead
		}
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var running atomic.Int32
				s := serveTool(t, Settings{MaxCalls: 2}, Access{}, func(ctx context.Context, out io.Writer) error {
					running.Add(1)
					defer running.Add(-1)
					io.WriteString(out, "text")
					<-ctx.Done()
					return ctx.Err()
				})
				ofRevision := "Mcp-Protocol-Version: " + version + "\r\n"
				var sessions []string
				for range 2 {
					name := s.ask(requestText(revision.initialize(), "")).header.Get(sessionHeader)
					if len(name) < 20 {
						t.Fatalf("got the session %q", name)
					}
					sessions = append(sessions, ofRevision+sessionHeader+": "+name+"\r\n")
				}
				mine, other := sessions[0], sessions[1]
				if mine == other {
					t.Fatalf("two clients got the session %s", mine)
				}
				theirs := s.send(requestText(revision.call("1", "{}"), other))
				for n := range maxRequests + 1 { // too many if any of them stayed
					call := s.send(requestText(revision.call("1", "{}"), mine))
					synctest.Wait()
					for _, cancellation := range []string{
						requestText(cancellationOf("1"), ofRevision), // of nobody
						requestText(cancellationOf("2"), mine),
						requestText(cancellationOf(`"1"`), mine),
					} {
						if got := s.ask(cancellation); got.status != http.StatusAccepted || running.Load() != 2 {
							t.Fatalf("got %v and %d calls at work, want 2", got, running.Load())
						}
					}
					if got := s.ask(requestText(cancellationOf("1"), mine)); got.status != http.StatusAccepted {
						t.Fatalf("got %v", got)
					}
					got, err := receive(call)
					if err != nil || got.status != http.StatusAccepted || got.body != "" || got.header.Get("Content-Type") != "" {
						t.Fatalf("call %d: got %v and error %v, want status %d and no body", n, got, err, http.StatusAccepted)
					}
					synctest.Wait()
					if running.Load() != 1 {
						t.Fatalf("got %d calls at work, want the other client's", running.Load())
					}
				}
				theirs.Close()
				s.end()
			})
		})
	}
}

// A cancellation changes nothing if the answer is already being written.
func TestACancellationOverHTTPIsTooLateOnceTheAnswerBegins(t *testing.T) {
	calls := webCalls{calls: map[webCallKey]context.CancelFunc{}}
	key, isEnded := webCallKey{"session", "1"}, false
	end := calls.begin(key, func() { isEnded = true })
	if isCancelled := end(); isCancelled {
		t.Error("the call is cancelled")
	}
	calls.cancel(key)
	if isEnded || len(calls.calls) > 0 {
		t.Errorf("got ended %t, %d calls left", isEnded, len(calls.calls))
	}
}

// A call without an ID has no answer, and nothing of it stays in its session.
func TestACallOverHTTPWithoutAnIDIsForgotten(t *testing.T) {
	cfg := Settings{Log: slog.New(slog.DiscardHandler)}
	e := newEndpoint(cfg, agentSpec(cfg, false), t.Context())
	notification := strings.NewReader(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"context_caches","arguments":{}}}`)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, mcpPath, notification)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(sessionHeader, "session")
	e.ServeHTTP(httptest.NewRecorder(), r)
	if len(e.calls.calls) > 0 {
		t.Errorf("%d calls are left", len(e.calls.calls))
	}
}
