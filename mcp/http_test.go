package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contextcompiler/context/internal/answer/request"
)

// Time is not real in these tests, and connections are pipes in memory without a buffer: a client
// blocks the server as soon as it stops reading.

// A pipeListener is a listener whose connections are pipes.
type pipeListener struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8787} }

// A webServer is a server over HTTP with one tool, "test".
type webServer struct {
	t        *testing.T
	listener *pipeListener
	stop     context.CancelFunc
	ended    chan error
}

// serveTool starts a server whose tool runs run. It ends with the test.
func serveTool(t *testing.T, cfg Settings, access Access, run func(ctx context.Context, out io.Writer) error) *webServer {
	t.Helper()
	cfg.Log = slog.New(slog.DiscardHandler)
	spec := agentSpec(cfg, false)
	spec.tools = []tool{{name: "test", begin: func() toolCall {
		return toolCall{parameters: []request.Parameter{request.Parameter{Name: "a"}.To(new(string))}, run: run}
	}}}
	ctx, stop := context.WithCancel(t.Context())
	s := &webServer{t, &pipeListener{make(chan net.Conn), make(chan struct{})}, stop, make(chan error, 1)}
	go func() { s.ended <- serveSpec(ctx, cfg, spec, access, s.listener) }()
	return s
}

// end ends the server, and fails unless it ends well.
func (s *webServer) end() {
	s.t.Helper()
	s.stop()
	if err := <-s.ended; err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
}

// connect returns a connection to the server, or nil if the server doesn't accept connections now.
func (s *webServer) connect() net.Conn {
	client, server := net.Pipe()
	select {
	case s.listener.accepted <- server:
		return client
	case <-time.After(time.Millisecond):
		return nil
	}
}

const (
	callBody = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test","arguments":{}}}`
	header   = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8787\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
)

// callText is a whole request for a call of the tool.
var callText = fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", header, len(callBody), callBody)

// A webAnswer is a response with its body.
type webAnswer struct {
	status int
	header http.Header
	body   string
}

// send sends a text on a new connection, and returns this connection.
func (s *webServer) send(text string) net.Conn {
	s.t.Helper()
	c := s.connect()
	if c == nil {
		s.t.Fatal("the server accepts no connection")
	}
	go io.WriteString(c, text)
	return c
}

// receive reads the answer from a connection and closes it.
func receive(c net.Conn) (webAnswer, error) {
	defer c.Close()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return webAnswer{}, err
	}
	body, err := io.ReadAll(response.Body)
	return webAnswer{response.StatusCode, response.Header, string(body)}, err
}

// ask sends a request and returns the answer.
func (s *webServer) ask(text string) webAnswer {
	s.t.Helper()
	answer, err := receive(s.send(text))
	if err != nil {
		s.t.Fatal(err)
	}
	return answer
}

func quick(_ context.Context, out io.Writer) error {
	_, err := io.WriteString(out, "text")
	return err
}

const textResult = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"text"}],"isError":false}}`

// A request takes its time: for its header, its body, and the answer.
func TestSlowClientsAreCutOff(t *testing.T) {
	for _, c := range []struct{ name, sent string }{
		{"nothing", ""},
		{"half a header", header},
		{"half a body", fmt.Sprintf("%sContent-Length: 100\r\n\r\n{", header)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serveTool(t, Settings{}, Access{}, quick)
				began := time.Now()
				conn := s.send(c.sent)
				answer, err := receive(conn)
				if took := time.Since(began); took > requestTime+time.Second || err == nil && answer.status != http.StatusBadRequest {
					t.Errorf("got %v and error %v after %v, want the end of the connection after %v", answer, err, took, requestTime)
				}
				s.end()
			})
		})
	}
}

// If a client doesn't read its answer, it loses its slot, and cannot keep the server from ending.
func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveTool(t, Settings{MaxCalls: 1}, Access{}, func(_ context.Context, out io.Writer) error {
			_, err := io.WriteString(out, strings.Repeat("x", 1<<20))
			return err
		})
		var conns []net.Conn
		for range maxRequests {
			conns = append(conns, s.send(callText))
			synctest.Wait()
		}
		if got := s.ask(callText); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
			t.Errorf("got %v, want %d", got, http.StatusServiceUnavailable)
		}
		time.Sleep(DefaultToolTimeout + 2*requestTime)
		synctest.Wait()
		if got := s.ask(callText); got.status != http.StatusOK {
			t.Errorf("got %d, want %d after the others are cut off", got.status, http.StatusOK)
		}
		for _, c := range conns {
			c.Close()
		}
		s.end()
	})
}

// When a client is gone, the work for it ends.
func TestTheCallOfAClientThatIsGoneEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int32
		s := serveTool(t, Settings{}, Access{}, func(ctx context.Context, _ io.Writer) error {
			running.Add(1)
			defer running.Add(-1)
			<-ctx.Done()
			return ctx.Err()
		})
		conn := s.send(callText)
		synctest.Wait()
		if running.Load() != 1 {
			t.Fatal("the call does not run")
		}
		conn.Close()
		synctest.Wait()
		if running.Load() != 0 {
			t.Error("the call still runs")
		}
		s.end()
	})
}

func TestACallOverHTTPEndsAtItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveTool(t, Settings{ToolTimeout: time.Minute}, Access{}, func(ctx context.Context, _ io.Writer) error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
		began := time.Now()
		got := s.ask(callText)
		if took := time.Since(began); took != time.Minute || !strings.Contains(got.body, `"isError":true`) || !strings.Contains(got.body, "took too long") {
			t.Errorf("got %v after %v", got, took)
		}
		s.end()
	})
}

// A server about to end accepts nothing more, but answers accepted requests. If calls take too
// long, their answers report the interruption.
func TestTheEndLetsRequestsEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		call time.Duration
		want string
		took time.Duration // at most
	}{
		{"quick calls", time.Second, textResult, 2 * time.Second},
		{"slow calls", time.Hour, "cancelled", httpDrainTime + cutTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serveTool(t, Settings{ToolTimeout: 2 * time.Hour}, Access{}, func(ctx context.Context, out io.Writer) error {
					select {
					case <-time.After(c.call):
						return quick(ctx, out)
					case <-ctx.Done():
						return ctx.Err()
					}
				})
				answers := make(chan webAnswer, 1)
				conn := s.send(callText)
				go func() {
					answer, _ := receive(conn)
					answers <- answer
				}()
				synctest.Wait()
				began := time.Now()
				s.end()
				if took := time.Since(began); took > c.took {
					t.Errorf("the server ended after %v, want at most %v", took, c.took)
				}
				if got := <-answers; !strings.Contains(got.body, c.want) {
					t.Errorf("got %v, want %s", got, c.want)
				}
				if s.connect() != nil {
					t.Error("the server still accepts connections")
				}
			})
		})
	}
}

// Clients without a call cannot keep others out, whatever they do to hold their connections.
func TestRudeClientsDoNotKeepOthersOut(t *testing.T) {
	const authorized = "Authorization: Bearer secret\r\n"
	health := "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:8787\r\n\r\n"
	rude := map[string]string{
		"silent":                   "",
		"half a header":            header,
		"half a body":              header + authorized + "Content-Length: 100\r\n\r\n{",
		"half a large body":        header + authorized + "Content-Length: 1000000\r\n\r\n" + strings.Repeat(" ", 2*maxSmallBody),
		"endless chunks":           header + authorized + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
		"half a body, no token":    header + "Content-Length: 100\r\n\r\n{",
		"health":                   health,
		"health again and again":   strings.Repeat(health, 5),
		"a call without the token": callText,
		"nothing at this address":  "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:8787\r\n\r\n",
		"no HTTP":                  "\x16\x03\x01",
	}
	honest := fmt.Sprintf("%s%sContent-Length: %d\r\n\r\n%s", header, authorized, len(callBody), callBody)
	for name, sent := range rude {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serveTool(t, Settings{}, Access{Token: "secret"}, quick)
				var conns []net.Conn
				for range maxConnections + 1 {
					c := s.send(sent)
					go io.Copy(io.Discard, c)
					conns = append(conns, c)
				}
				synctest.Wait()
				for range 3 {
					if got := s.ask(honest); got.body != textResult {
						t.Errorf("got %v", got)
					}
				}
				if got := s.ask(health); got.body != "ok\n" {
					t.Errorf("got %v", got)
				}
				for _, c := range conns {
					c.Close()
				}
				s.end()
			})
		})
	}
}

// isOpen reports whether the server has closed a connection, on which it sends nothing.
func isOpen(c net.Conn) bool {
	c.SetReadDeadline(time.Now())
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// A new connection replaces the one whose last accepted request is longest ago, and never one with
// a call in progress.
func TestANewConnectionReplacesTheOneIdleLongest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		calls := 0
		s := serveTool(t, Settings{}, Access{Token: "secret"}, func(ctx context.Context, out io.Writer) error {
			if calls++; calls == 1 {
				<-answer
			}
			return quick(ctx, out)
		})
		authorized := strings.Replace(callText, "Host:", "Authorization: Bearer secret\r\nHost:", 1)
		ask := func(c net.Conn, text string) {
			t.Helper()
			c.SetDeadline(time.Time{})
			go io.WriteString(c, text)
			response, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, response.Body)
			synctest.Wait()
		}
		calling := s.send(authorized)
		synctest.Wait()
		healthy, first, used := s.connect(), s.connect(), s.connect()
		var others []net.Conn
		for range maxConnections - 4 {
			others = append(others, s.connect())
		}
		ask(used, authorized)
		ask(healthy, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:8787\r\n\r\n")
		if !isOpen(healthy) || !isOpen(first) {
			t.Errorf("got a closed connection although only %d are open", maxConnections)
		}
		others = append(others, s.connect())
		synctest.Wait()
		if isOpen(healthy) || !isOpen(first) {
			t.Error("the connection that only asked for the health is not the first to be closed")
		}
		for range maxConnections - 3 {
			others = append(others, s.connect())
		}
		synctest.Wait()
		if isOpen(first) || !isOpen(used) {
			t.Error("a connection without a request outlives the one with a call")
		}
		close(answer)
		if got, err := receive(calling); got.body != textResult {
			t.Errorf("got %v and error %v for the call in progress", got, err)
		}
		for _, c := range append(others, used) {
			c.Close()
		}
		s.end()
	})
}

// If each connection has a call, a further one waits until one of them is idle or closed.
func TestConnectionsWithCallsKeepTheirPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c openConnections
		c.bind(new(http.Server))
		accepted := make(chan net.Conn, 1)
		connect := func() {
			_, server := net.Pipe()
			c.change(server, http.StateNew)
			accepted <- server
		}
		var all []net.Conn
		for range maxConnections {
			connect()
			conn := <-accepted
			c.hold(conn)
			all = append(all, conn)
		}
		for _, state := range []http.ConnState{http.StateIdle, http.StateClosed} {
			go connect()
			synctest.Wait()
			if len(accepted) > 0 {
				t.Error("got one more connection")
			}
			c.change(all[7], state)
			conn := <-accepted
			c.hold(conn)
			all[7] = conn
		}
		closed := func(conn net.Conn) bool { return conn.SetDeadline(time.Time{}) != nil }
		if i := slices.IndexFunc(all, closed); i >= 0 {
			t.Errorf("the connection %d is closed during its call", i)
		}
	})
}

// An answer over HTTP has the ID of its request, byte for byte, even if the request cannot be read.
func TestAnAnswerOverHTTPHasTheIDOfItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveTool(t, Settings{}, Access{}, quick)
		const call = `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"test","arguments":{%s}},"id":%s}`
		for _, id := range []string{"0", "-1.50", "1e400", "12345678901234567890", `"a"`, `"\u0061\ud83d\u2028"`, `""`} {
			for _, c := range []struct {
				what, arguments, want string
				status                int
			}{
				{"a call", "", `"result":{"content":[{"type":"text","text":"text"}],"isError":false}}`, http.StatusOK},
				{"half a surrogate pair", `"a":"\ud83d"`, `"result":{"content":[{"type":"text","text":"text"}],"isError":false}}`, http.StatusOK},
				{"a duplicate key", `"a":1,"a":1`, `"error":{"code":-32700,"message":"invalid JSON: `, http.StatusOK},
				{"invalid UTF-8", "\"a\":\"\xff\"", `"error":{"code":-32700,"message":"invalid JSON: `, http.StatusOK},
				{"too long", `"a":"` + strings.Repeat("x", 2*maxLine) + `"`, `"error":{"code":-32700,"message":"the message is larger than 1 MiB"}}`, http.StatusRequestEntityTooLarge},
			} {
				got := s.ask(requestText("\ufeff"+fmt.Sprintf(call, c.arguments, id), ""))
				if want := `{"jsonrpc":"2.0","id":` + id + `,` + c.want; got.status != c.status || !strings.HasPrefix(got.body, want) {
					t.Errorf("%s, %s: got %d and %.200s, want %d and %s", c.what, id, got.status, got.body, c.status, want)
				}
			}
		}
		batch := s.ask(requestText(`[{"id":1.0},{"id":"b"},{"method":"c"}]`, ""))
		const failed = `"error":{"code":-32600,"message":"expected one object per line: batches are not supported"}}`
		if want := `[{"jsonrpc":"2.0","id":1.0,` + failed + `,{"jsonrpc":"2.0","id":"b",` + failed + `]`; batch.body != want {
			t.Errorf("got %v, want %s", batch, want)
		}
		s.end()
	})
}

func TestBodiesHaveALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveTool(t, Settings{}, Access{}, quick)
		padded := callBody + strings.Repeat(" ", maxLine-len(callBody))
		for _, c := range []struct {
			name, body string
			status     int
		}{
			{"empty", "", http.StatusBadRequest},
			{"no JSON", "{", http.StatusBadRequest},
			{"a batch", "\n [" + callBody + "]", http.StatusOK}, // with an error for each request
			{"as long as may be", padded, http.StatusOK},
			{"too long", padded + " ", http.StatusRequestEntityTooLarge},
		} {
			whole := fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", header, len(c.body), c.body)
			chunked := fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", header, len(c.body), c.body)
			if c.body == "" {
				chunked = header + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
			}
			for _, request := range []string{whole, chunked} {
				if got := s.ask(request); got.status != c.status || strings.Count(got.body, "\n") > 1 {
					t.Errorf("%s: got %d and %.200q, want %d and a line", c.name, got.status, got.body, c.status)
				}
			}
		}
		s.end()
	})
}

// The headers of a request have a limit.
func TestHeadersHaveALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveTool(t, Settings{}, Access{}, quick)
		got := s.ask(header + "X: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n")
		if got.status != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("got %d, want %d", got.status, http.StatusRequestHeaderFieldsTooLarge)
		}
		s.end()
	})
}

func TestAnswersOverHTTPHaveALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveTool(t, Settings{}, Access{}, func(_ context.Context, out io.Writer) error {
			const partSize = 64 << 10
			for range maxHTTPAnswer/partSize + 1 {
				if _, err := out.Write(make([]byte, partSize)); err != nil {
					return err
				}
			}
			return errors.New("it has no limit")
		})
		for range 2 * maxHTTPWaiting / maxHTTPAnswer { // the room of an answer is given back
			if got := s.ask(callText); !strings.Contains(got.body, `"error: the answer is too long: ask for less\n"}],"isError":true`) {
				t.Errorf("got %.200s", got.body)
			}
		}
		s.end()
	})
}
