//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/base/child"
	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// The program is tested from the outside: this test program is it when it
// finds programVariable in its environment.
const programVariable = "MCP_TEST_IS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		os.Unsetenv(programVariable)
		main()
	}
	effort.UseMemory()
	status := m.Run()
	os.RemoveAll(largeDir)
	os.Exit(status)
}

const mebibyte = 1 << 20

// program returns the command that runs the program, without variables of its
// own. The test fails if the program reports a race or a crash.
func program(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "CONTEXT_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, programVariable+"=1")
	child.Watch(t, cmd)
	return cmd
}

// A server is the program at work.
type server struct {
	t     testing.TB
	cmd   *exec.Cmd
	in    *os.File
	out   *os.File
	lines *bufio.Reader
	ended chan struct{} // closed when it has ended
	calls int
}

// begin starts the program with pipes.
func begin(t testing.TB, cmd *exec.Cmd) *server {
	t.Helper()
	fromUs, in, err1 := os.Pipe()
	out, toUs, err2 := os.Pipe()
	cmd.Stdin, cmd.Stdout = fromUs, toUs
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	toUs.Close()
	s := &server{t: t, cmd: cmd, in: in, out: out, lines: bufio.NewReader(out), ended: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-s.ended
		in.Close()
		out.Close()
	})
	return s
}

// serve starts the program on a cache root and begins a session.
func serve(t testing.TB, root string, args ...string) *server {
	t.Helper()
	return begin(t, program(t, append(args, "--cache-root", root)...)).initialize()
}

func (s *server) initialize() *server {
	s.t.Helper()
	s.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":` +
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	s.receive()
	return s
}

func (s *server) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("send: %v", err)
	}
}

// receive returns the next line; at the end of the output it is empty.
func (s *server) receive() string {
	s.t.Helper()
	s.out.SetReadDeadline(time.Now().Add(effort.Patience(s.t)))
	line, err := s.lines.ReadString('\n')
	if err != nil && err != io.EOF {
		s.t.Fatalf("receive after call %d: %v%s", s.calls, err, s.threads())
	}
	return strings.TrimSuffix(line, "\n")
}

// threads says, where the system tells, what each thread of the server waits
// for: the one trace that a server leaves that answers no more.
func (s *server) threads() string {
	var b strings.Builder
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", s.cmd.Process.Pid))
	for _, task := range tasks {
		where, _ := os.ReadFile(filepath.Join(task, "wchan"))
		call, _ := os.ReadFile(filepath.Join(task, "syscall"))
		fmt.Fprintf(&b, "\n%s: %s %s", filepath.Base(task), where, bytes.TrimSpace(call))
	}
	return b.String()
}

// receiveAll returns the lines that are left.
func (s *server) receiveAll() (lines []string) {
	s.t.Helper()
	for {
		line := s.receive()
		if line == "" {
			return lines
		}
		lines = append(lines, line)
	}
}

// sendResolve sends a call of context.resolve.
func (s *server) sendResolve(cache string, budget int) {
	s.t.Helper()
	s.sendCall("context.resolve", fmt.Sprintf(`{"cache":%q,"query":"eta oin","budget":%d}`, cache, budget))
}

func (s *server) sendCall(tool, arguments string) {
	s.t.Helper()
	s.calls++
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, s.calls, tool, arguments))
}

// wait waits for the end and returns the exit status, -1 if that was a signal's.
func (s *server) wait() (status int) {
	<-s.ended
	return s.cmd.ProcessState.ExitCode()
}

// expectEnd fails unless the server ends by itself. Package mcp tests how soon.
func (s *server) expectEnd() {
	s.t.Helper()
	if status := s.wait(); status != 0 {
		s.t.Errorf("got exit status %d, want 0", status)
	}
}

// writeDocuments writes n documents of some kilobytes.
func writeDocuments(t testing.TB, n int) (dir string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(n)))
	dir = t.TempDir()
	for i := range n {
		var text strings.Builder
		for range 400 {
			text.WriteString([]string{"eta ", "oin ", "shr ", "dlu ", "cmf "}[random.IntN(5)])
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.md", i)), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func buildCache(t testing.TB, sources, path string) {
	t.Helper()
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: sources}}, Cache: path, Selection: selection.Spec0, Force: true}); err != nil {
		t.Fatal(err)
	}
}

// newRoot returns a cache root with the cache "docs" of n documents.
func newRoot(t testing.TB, n int) (root string) {
	t.Helper()
	root = t.TempDir()
	buildCache(t, writeDocuments(t, n), filepath.Join(root, "docs"))
	return root
}

// largeDir holds the root of largeRoot.
var largeDir string

// largeRoot returns a cache root whose cache "docs" takes a while to resolve: it
// has no selection index.
// All tests share it; none changes it.
func largeRoot(t testing.TB) string {
	t.Helper()
	if largeDir == "" {
		dir, err := os.MkdirTemp("", "mcp")
		if err != nil {
			t.Fatal(err)
		}
		buildCache(t, writeDocuments(t, 1_500), filepath.Join(dir, "docs"))
		if err := os.Remove(filepath.Join(dir, "docs", "selection.idx")); err != nil {
			t.Fatal(err)
		}
		largeDir = dir
	}
	return largeDir
}

// The command line.
