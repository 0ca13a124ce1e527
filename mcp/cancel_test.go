package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/internal/answer/request"
)

// A pipeServer serves the tool "test" on pipes. The tool prints a text; with the argument
// "wait" it then waits until its call ends.
type pipeServer struct {
	in      *io.PipeWriter
	out     *io.PipeReader
	log     bytes.Buffer // read it once the server has ended
	ended   chan error
	running atomic.Int32
}

func servePipes(t *testing.T) *pipeServer {
	t.Helper()
	s := &pipeServer{ended: make(chan error, 1)}
	cfg := Settings{MaxCalls: 2, Log: slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	spec := agentSpec(cfg, false)
	spec.tools = []tool{{name: "test", begin: func() toolCall {
		var waits bool
		return toolCall{parameters: []request.Parameter{request.Parameter{Name: "wait"}.To(&waits)}, run: func(ctx context.Context, out io.Writer) error {
			s.running.Add(1)
			defer s.running.Add(-1)
			io.WriteString(out, "text")
			if waits {
				<-ctx.Done()
			}
			return ctx.Err()
		}}
	}}}
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	s.in, s.out = in, out
	go func() {
		s.ended <- serve(t.Context(), cfg, spec, fromClient, toClient)
		toClient.Close()
	}()
	return s
}

// send sends a line and waits until the server cannot do any more with it.
func (s *pipeServer) send(format string, args ...any) {
	fmt.Fprintf(s.in, format+"\n", args...)
	synctest.Wait()
}

// collect returns a function for reading the lines of the server since its last call.
func (s *pipeServer) collect() func() []string {
	lines := make(chan string, 1000)
	go func() {
		d := json.NewDecoder(s.out)
		for {
			var line json.RawMessage
			if d.Decode(&line) != nil {
				return
			}
			lines <- string(line)
		}
	}()
	return func() (all []string) {
		synctest.Wait()
		for len(lines) > 0 {
			all = append(all, <-lines)
		}
		return all
	}
}

// A testRevision makes requests of a revision of the protocol.
type testRevision string

func (r testRevision) hasHandshake() bool { return r <= lastWithHandshake }

// call returns the call of a tool.
func (r testRevision) call(id, arguments string) string {
	meta := ""
	if !r.hasHandshake() {
		meta = fmt.Sprintf(`,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}`, string(r))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"test","arguments":%s%s}}`, id, arguments, meta)
}

func (r testRevision) initialize() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, string(r))
}

func cancellationOf(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"test"}}`
}

// idsOf returns the IDs of answers in their order.
func idsOf(lines []string) (ids []string) {
	for _, line := range lines {
		var answer struct{ ID json.RawMessage }
		json.Unmarshal([]byte(line), &answer)
		ids = append(ids, string(answer.ID))
	}
	return ids
}

// A cancelled call ends and gets no answer. It releases its slot, its room for an answer and its
// ID, and doesn't complain in the log.
func TestACancelledCallGetsNoAnswer(t *testing.T) {
	for _, version := range sdk.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				revision := testRevision(version)
				s := servePipes(t)
				received := s.collect()
				if revision.hasHandshake() {
					s.send("%s", revision.initialize())
					received()
				}
				s.send("%s", revision.call(`"other"`, `{"wait":1}`))
				ids := []string{"1", "1.0", `"1"`, "12345678901234567890"}
				for n := range 2 * maxInFlight {
					id := ids[n%len(ids)]
					s.send("%s", revision.call(id, `{"wait":1}`))
					s.send("%s", cancellationOf("7")) // no such request
					if s.running.Load() != 2 {
						t.Fatalf("call %d: got %d calls at work, want 2", n, s.running.Load())
					}
					s.send("%s", cancellationOf(id))
					s.send("%s", cancellationOf(id)) // once more does no harm
					if s.running.Load() != 1 {
						t.Fatalf("call %d still runs", n)
					}
				}
				if lines := received(); len(lines) > 0 {
					t.Errorf("got %q, want no answer", lines)
				}
				s.send("%s", revision.call("1", "{}"))
				s.send("%s", cancellationOf("1")) // too late
				s.send("%s", revision.call("1", "{}"))
				if got := idsOf(received()); fmt.Sprint(got) != "[1 1]" {
					t.Errorf("got answers to %s, want 1 twice", got)
				}
				s.send("%s", cancellationOf(`"other"`))
				s.in.Close()
				if err := <-s.ended; err != nil || strings.Contains(s.log.String(), "level=WARN") || !strings.Contains(s.log.String(), "call cancelled") {
					t.Errorf("got error %v and the log %s", err, s.log.String())
				}
			})
		})
	}
}

// The server does not wait for a cancelled call at the end of its input.
func TestACancelledCallDoesNotDelayTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := new(bytes.Buffer)
		c := newConnection(strings.NewReader(testRevision("").call("1", "{}")+"\n"+cancellationOf("1")+"\n"), out)
		defer c.Close()
		began := time.Now()
		if err := <-readUntilEnd(t, c); err != io.EOF || time.Since(began) > 0 {
			t.Errorf("got %v after %v, want %v at once", err, time.Since(began), io.EOF)
		}
		if err := c.Write(t.Context(), responseTo(t, "1")); err != nil || out.Len() > 0 || len(c.slots) > 0 {
			t.Errorf("got error %v, %d slots taken and %q", err, len(c.slots), out)
		}
	})
}

// A cancellation changes nothing if the answer is already being written.
func TestACancellationIsTooLateOnceTheAnswerBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, toClient := io.Pipe()
		fromClient, in := io.Pipe()
		c := newConnection(fromClient, toClient)
		end := readUntilEnd(t, c)
		io.WriteString(in, testRevision("").call("1", "{}")+"\n")
		synctest.Wait()
		go func() {
			c.Write(t.Context(), responseTo(t, "1"))
			toClient.Close()
		}()
		synctest.Wait() // the answer begins, and the client does not read it yet
		io.WriteString(in, cancellationOf("1")+"\n")
		synctest.Wait()
		got, err := io.ReadAll(out)
		if want := `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"; string(got) != want || err != nil {
			t.Errorf("got %q and error %v, want %q", got, err, want)
		}
		in.Close()
		<-end
		c.Close()
	})
}

// Clients must not cancel initialize.
func TestInitializeCannotBeCancelled(t *testing.T) {
	out := new(bytes.Buffer)
	c := newConnection(strings.NewReader(testRevision("2025-11-25").initialize()+"\n"+cancellationOf(`"init"`)+"\n"+pingLine+"\n"), out)
	defer c.Close()
	for range 2 { // the second line answers the ping after the cancellation
		if _, err := c.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Write(t.Context(), responseTo(t, `"init"`)); err != nil || !strings.Contains(out.String(), `"id":"init"`) {
		t.Errorf("got error %v and %q, want an answer", err, out)
	}
}

const pingLine = `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
