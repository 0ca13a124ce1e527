package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/contextcompiler/context/cli"
	"github.com/contextcompiler/context/internal/base/child"
	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/mcp"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// serverVariable turns the test program into a server.
const serverVariable = "MCP_TEST_IS_SERVER"

// The server programs.
const (
	contractProgram = "mcp-context-server"
	agentProgram    = "context serve"
)

func TestMain(m *testing.M) {
	switch os.Getenv(serverVariable) {
	case contractProgram:
		cli.RunServer()
	case agentProgram:
		os.Args = slices.Insert(os.Args, 1, "serve")
		cli.Run()
	}
	effort.UseMemory()
	os.Exit(m.Run())
}

// A client talks to a server, line by line.
type client struct {
	t     testing.TB
	in    io.WriteCloser
	lines chan string   // lines of the server; closed at its end
	ended chan struct{} // closed when the server has ended
	err   error         // of the server, once ended is closed
	calls int

	closeOutput func() // like a client that is gone
}

// A server is a function serving on standard input and output.
type server func(ctx context.Context, cfg mcp.Settings, in io.Reader, out io.Writer) error

// start starts the server of the contract in this process.
func start(t testing.TB, cfg mcp.Settings) *client {
	t.Helper()
	return startServer(t, mcp.Serve, cfg)
}

// startServer starts a server in this process.
func startServer(t testing.TB, serve server, cfg mcp.Settings) *client {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	c := listen(t, in, out)
	cfg.Log = slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		c.err = serve(ctx, cfg, fromClient, toClient)
		fromClient.Close()
		toClient.Close()
		close(c.ended)
	}()
	t.Cleanup(func() {
		cancel()
		in.Close()
		out.Close()
	})
	return c
}

// startProcess starts the server of the contract as another process.
func startProcess(t testing.TB, args ...string) *client {
	t.Helper()
	return startProgram(t, contractProgram, args...)
}

// startProgram starts a server program as another process.
func startProgram(t testing.TB, name string, args ...string) *client {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	fromClient, in, err1 := os.Pipe()
	out, toClient, err2 := os.Pipe()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), serverVariable+"="+name)
	child.Watch(t, cmd)
	cmd.Stdin, cmd.Stdout = fromClient, toClient
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	fromClient.Close()
	toClient.Close()
	c := listen(t, in, out)
	go func() {
		c.err = cmd.Wait()
		close(c.ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-c.ended
	})
	return c
}

func listen(t testing.TB, in io.WriteCloser, out io.ReadCloser) *client {
	c := &client{t: t, in: in, lines: make(chan string, 1000), ended: make(chan struct{})}
	c.closeOutput = func() { out.Close() }
	go func() {
		defer close(c.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- line[:len(line)-1]
		}
	}()
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("send %.200s: %v", line, err)
	}
}

// receive returns the next line of the server.
func (c *client) receive() string {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		if !ok {
			c.t.Fatal("the server ended")
		}
		return line
	case <-time.After(effort.Patience(c.t)):
		c.t.Fatal("no answer")
	}
	panic("unreachable")
}

// ask sends a line and returns the next line of the server.
func (c *client) ask(line string) string {
	c.t.Helper()
	c.send(line)
	return c.receive()
}

// initialize begins a session.
func (c *client) initialize() *client {
	c.t.Helper()
	c.ask(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":` +
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// A reply is the result of a call.
type reply struct {
	ID     json.RawMessage
	Result struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	Error struct {
		Code    int
		Message string
	}
}

// text returns the text of a result.
func (r reply) text() string {
	if len(r.Result.Content) != 1 {
		return fmt.Sprintf("%d parts", len(r.Result.Content))
	}
	return r.Result.Content[0].Text
}

func decodeReply(t testing.TB, line string) (r reply) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Fatalf("%.200s: %v", line, err)
	}
	return r
}

// call calls a tool and returns the line of the answer without its ID.
func (c *client) call(tool string, arguments any) reply {
	c.t.Helper()
	c.sendCall(tool, arguments)
	return decodeReply(c.t, c.receive())
}

// sendCall sends a call and returns its ID.
func (c *client) sendCall(tool string, arguments any) string {
	c.t.Helper()
	encoded, err := json.Marshal(arguments)
	if err != nil {
		c.t.Fatal(err)
	}
	c.calls++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`,
		c.calls, tool, encoded))
	return fmt.Sprint(c.calls)
}

// finish ends the input. It returns the last output of the server and its error.
func (c *client) finish() (rest []string, err error) {
	c.t.Helper()
	c.in.Close()
	deadline := time.After(effort.Patience(c.t))
	for {
		select {
		case line, ok := <-c.lines:
			if ok {
				rest = append(rest, line)
				continue
			}
			<-c.ended
			return rest, c.err
		case <-deadline:
			c.t.Fatal("the server does not end")
		}
	}
}

type arguments = map[string]any

// newCache builds a cache of those files, by path, at dir.
func newCache(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	newCacheFor(t, selection.Spec0, dir, files)
}

// newCacheFor is newCache for a selection.
func newCacheFor(t testing.TB, spec selection.Spec, dir string, files map[string]string) {
	t.Helper()
	sources := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(sources, name), text)
	}
	if _, err := pipeline.Build(context.Background(), pipeline.Config{Sources: []pipeline.Mount{{Dir: sources}}, Cache: dir, Selection: spec, Force: true}); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}
