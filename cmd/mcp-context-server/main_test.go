//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/child"
	"github.com/contextcompiler/context/pipeline"
)

// The program is tested from the outside: this test program is it when it
// finds programVariable in its environment.
const programVariable = "MCP_TEST_IS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		os.Unsetenv(programVariable)
		main()
	}
	status := m.Run()
	os.RemoveAll(largeDir)
	os.Exit(status)
}

const mebibyte = 1 << 20

// patience is how long a test waits for what comes at once, unless the machine
// has a lot to do.
const patience = 20 * time.Second

// aSecond is how soon the server must end, with some allowance for the same
// reason.
const aSecond = 2 * time.Second

// drainTime is how long the server lets calls go on after its input has ended.
const drainTime = 700 * time.Millisecond

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
	s.out.SetReadDeadline(time.Now().Add(patience))
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

// waitFor waits for the end and returns how long it took and the exit status,
// -1 if that was a signal's.
func (s *server) waitFor(patience time.Duration) (took time.Duration, status int) {
	s.t.Helper()
	began := time.Now()
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatalf("the server has not ended after %v", patience)
	}
	return time.Since(began), s.cmd.ProcessState.ExitCode()
}

// expectEnd fails unless the server ends well within a second.
func (s *server) expectEnd() {
	s.t.Helper()
	if _, status := s.waitFor(aSecond); status != 0 {
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
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: sources, Cache: path, Force: true}); err != nil {
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

func TestFlagsAndEnvironment(t *testing.T) {
	root := newRoot(t, 1)
	const noRoot = "error: nothing to serve: give --cache-root DIR, or set CONTEXT_CACHE_ROOT, for caches; " +
		"give --project DIR, or set CONTEXT_PROJECT_ROOT, for directory contexts (see `mcp-context-server --help`)\n"
	for _, c := range []struct {
		name   string
		args   string
		env    string // variables
		status int
		stderr string // a part of it
	}{
		{"no root", "", "", 1, noRoot},
		{"empty variables", "", "CONTEXT_CACHE_ROOT= CONTEXT_PROJECT_ROOT=", 1, noRoot},
		{"empty flag", "--cache-root=", "CONTEXT_CACHE_ROOT=" + root, 1, noRoot},
		{"empty project flag", "--project=", "CONTEXT_PROJECT_ROOT=" + root, 1, noRoot},
		{"root by flag", "--cache-root ROOT", "", 0, ""},
		{"root by variable", "", "CONTEXT_CACHE_ROOT=" + root, 0, ""},
		{"flag before variable", "--cache-root ROOT", "CONTEXT_CACHE_ROOT=/nowhere", 0, ""},
		{"missing root", "--cache-root ROOT/none", "", 0, "level=WARN msg=\"no caches yet\" error=\"cache root " + root + "/none: no such file or directory\"\n"},
		{"missing root by variable", "", "CONTEXT_CACHE_ROOT=" + root + "/none", 0, "no caches yet"},
		{"root is a file", "--cache-root ROOT/docs/manifest.json", "", 0, "no caches yet"},
		{"root is a cache", "--cache-root ROOT/docs", "", 1, "error: the cache root " + root + "/docs is itself a cache: give the directory that holds it, " + root + " (see"},
		{"root is a cache, by variable", "", "CONTEXT_CACHE_ROOT=" + root + "/docs/", 1, "is itself a cache: give the directory that holds it, " + root + " (see"},
		{"project by flag", "--project ROOT", "", 0, ""},
		{"project by variable", "", "CONTEXT_PROJECT_ROOT=" + root, 0, ""},
		{"project flag before variable", "--project ROOT", "CONTEXT_PROJECT_ROOT=/nowhere", 0, ""},
		{"both by flags", "--cache-root ROOT --project ROOT", "", 0, ""},
		{"both by variables", "", "CONTEXT_CACHE_ROOT=" + root + " CONTEXT_PROJECT_ROOT=" + root, 0, ""},
		{"root and an empty project variable", "--cache-root ROOT", "CONTEXT_PROJECT_ROOT=", 0, ""},
		{"project and an empty root variable", "--project ROOT", "CONTEXT_CACHE_ROOT=", 0, ""},
		{"missing project", "--project ROOT/none", "", 0, "level=WARN msg=\"no contexts yet\" error=\"no project at " + root + "/none: no such file or directory\"\n"},
		{"missing project by variable", "", "CONTEXT_PROJECT_ROOT=" + root + "/none", 0, "no project at " + root + "/none"},
		{"project is a file", "--project ROOT/docs/manifest.json", "", 0, "manifest.json: it is not a directory"},
		{"root and a missing project", "--cache-root ROOT --project ROOT/none", "", 0, "no contexts yet"},
		{"missing root and a project", "--cache-root ROOT/none --project ROOT", "", 0, "no caches yet"},
		{"project and zero timeout", "--project ROOT --tool-timeout 0", "", 1, "above 0"},
		{"timeout", "--cache-root ROOT --tool-timeout 5s", "", 0, ""},
		{"timeout by variable", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=5", 0, ""},
		{"empty timeout variable", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=", 0, ""},
		{"zero timeout", "--cache-root ROOT --tool-timeout 0", "", 1, "above 0"},
		{"negative timeout", "--cache-root ROOT --tool-timeout -5s", "", 1, "above 0"},
		{"timeout without unit", "--cache-root ROOT --tool-timeout 5", "", 1, "tool-timeout"},
		{"zero timeout variable", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=0", 1, "above 0"},
		{"negative timeout variable", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=-1", 1, "CONTEXT_TOOL_TIMEOUT_SECS"},
		{"timeout variable is a word", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=soon", 1, "CONTEXT_TOOL_TIMEOUT_SECS"},
		{"timeout variable with unit", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=5s", 1, "CONTEXT_TOOL_TIMEOUT_SECS"},
		{"timeout variable overflows", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=99999999999999999999", 1, "CONTEXT_TOOL_TIMEOUT_SECS"},
		{"flag before bad variable", "--cache-root ROOT --tool-timeout 5s", "CONTEXT_TOOL_TIMEOUT_SECS=soon", 0, ""},
		{"no calls", "--cache-root ROOT --max-calls 0", "", 1, "above 0"},
		{"underscore", "--cache-root ROOT --tool-names underscore", "", 0, ""},
		{"names of no style", "--cache-root ROOT --tool-names camel", "", 1, "dotted or underscore"},
		{"level", "--cache-root ROOT --log-level debug", "", 0, ""},
		{"no level", "--cache-root ROOT --log-level loud", "", 1, "--log-level"},
		{"unknown flag", "--cache-root ROOT --port 80", "", 1, "unknown flag"},
		{"argument", "--cache-root ROOT more", "", 1, "more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := program(t, strings.Fields(strings.ReplaceAll(c.args, "ROOT", root))...)
			cmd.Env = append(cmd.Env, strings.Fields(c.env)...)
			out, errs, status := output(t, cmd)
			if status != c.status || !strings.Contains(errs, c.stderr) || out != "" {
				t.Errorf("got exit status %d, %q and %q, want %d and %q", status, out, errs, c.status, c.stderr)
			}
			if lines := strings.Count(errs, "\n"); c.status != 0 && (lines != 1 || !strings.HasPrefix(errs, "error: ")) {
				t.Errorf("got %q, want one line that begins with error:", errs)
			}
		})
	}
}

// output runs cmd without input and returns what it wrote, and its exit
// status.
func output(t *testing.T, cmd *exec.Cmd) (out, errs string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func TestVersionAndHelpArePrinted(t *testing.T) {
	for _, c := range []struct{ flag, want string }{
		{"--version", "context "},
		{"-V", "context "},
		{"--help", "CONTEXT_CACHE_ROOT"},
		{"--help", "CONTEXT_PROJECT_ROOT"},
		{"-h", "--project DIR"},
		{"-h", "--tool-names"},
	} {
		out, errs, status := output(t, program(t, c.flag))
		if status != 0 || errs != "" || !strings.Contains(out, c.want) {
			t.Errorf("%s: got exit status %d, %q and %q, want %q", c.flag, status, out, errs, c.want)
		}
	}
}

// Whatever is logged, standard output is JSON, a line a message.
func TestLogsGoToStandardErrorOnly(t *testing.T) {
	root := newRoot(t, 3)
	var logs bytes.Buffer
	cmd := program(t, "--cache-root", root, "--log-level", "debug")
	cmd.Stderr = &logs
	s := begin(t, cmd).initialize()
	s.sendResolve("docs", 100)
	s.sendResolve("no such cache", 100)
	s.sendCall("context.inspect_cache", `{}`)
	s.send("no JSON")
	s.in.Close()
	lines := s.receiveAll()
	s.expectEnd()
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("standard output: %q", line)
		}
	}
	if len(lines) != 4 || !strings.Contains(logs.String(), "no such cache") {
		t.Errorf("got %d lines and the log %q, want 4 and the name of the cache", len(lines), &logs)
	}
}

// The end.

func TestTheServerEndsWithItsInputAfterTheAnswersInFlight(t *testing.T) {
	root := newRoot(t, 1)
	for _, n := range []int{0, 1, 11, 64, 65, 200} {
		s := serve(t, root)
		for range n {
			s.sendResolve("docs", 4_000)
		}
		s.in.Close()
		closed := time.Now()
		answers := s.receiveAll()
		s.expectEnd()
		// On a machine that is busy, the server may run out of time.
		if took := time.Since(closed); !slices.Equal(ids(t, answers), sequence(n)) && took < drainTime {
			t.Errorf("got %d answers within %v, want %d", len(answers), took, n)
		}
		for _, answer := range answers {
			// On a busy machine so many may come too late, and fail.
			if n < 20 && strings.Contains(answer, `"isError":true`) {
				t.Errorf("got %.300s", answer)
			}
		}
	}
}

// ids returns the IDs of the answers, which must be numbers, sorted.
func ids(t *testing.T, answers []string) (found []int) {
	t.Helper()
	for _, answer := range answers {
		var a struct{ ID *int }
		if err := json.Unmarshal([]byte(answer), &a); err != nil || a.ID == nil {
			t.Fatalf("%.200s: %v", answer, err)
		}
		found = append(found, *a.ID)
	}
	slices.Sort(found)
	return found
}

// sequence returns 1, 2, ... n.
func sequence(n int) (s []int) {
	for i := range n {
		s = append(s, i+1)
	}
	return s
}

// A last line without a line feed counts.
func TestTheLastLineNeedsNoEnd(t *testing.T) {
	s := serve(t, newRoot(t, 1))
	if _, err := io.WriteString(s.in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); err != nil {
		t.Fatal(err)
	}
	s.in.Close()
	if got, want := s.receive(), `{"jsonrpc":"2.0","id":1,"result":{}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.expectEnd()
}

// slowCalls one after another take far more than a second.
const slowCalls = 300

func TestTheServerEndsInTimeWhateverIsInFlight(t *testing.T) {
	root := largeRoot(t)
	for _, c := range []struct {
		name string
		n    int
		end  func(*server)
	}{
		{"end of input", 30, func(s *server) { s.in.Close() }},
		{"end of input, more than are read ahead", slowCalls, func(s *server) { s.in.Close() }},
		{"SIGTERM", 30, func(s *server) { s.cmd.Process.Signal(syscall.SIGTERM) }},
		{"SIGTERM, more than are read ahead", slowCalls, func(s *server) { s.cmd.Process.Signal(syscall.SIGTERM) }},
		{"SIGINT", 30, func(s *server) { s.cmd.Process.Signal(syscall.SIGINT) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, root, "--max-calls", "1")
			for range c.n {
				s.sendResolve("docs", 100)
			}
			s.receive() // they are being read
			c.end(s)
			began := time.Now()
			answers := s.receiveAll()
			s.expectEnd()
			if took := time.Since(began); took > aSecond {
				t.Errorf("got %d answers and the end after %v, want it within a second", len(answers), took)
			}
		})
	}
}

func TestTheServerEndsOnSIGTERMWhenIdle(t *testing.T) {
	s := serve(t, newRoot(t, 1))
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.expectEnd()
}

// A client that reads no more must not keep the server from ending.
func TestTheServerEndsThoughNobodyReads(t *testing.T) {
	root := newRoot(t, 200)
	for _, end := range []func(*server){
		func(s *server) { s.in.Close() },
		func(s *server) { s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		s := serve(t, root)
		for range 20 {
			s.sendResolve("docs", 100_000) // much more than a pipe holds
		}
		if _, err := s.lines.Peek(1); err != nil { // it has begun to write
			t.Fatal(err)
		}
		end(s)
		s.waitFor(aSecond)
	}
}

func TestTheServerEndsWhenItsOutputIsClosed(t *testing.T) {
	s := serve(t, newRoot(t, 1))
	s.out.Close()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.waitFor(aSecond)
}

// Some clients throw away the other end of standard error, or never read it.
func TestStandardErrorMayGoNowhere(t *testing.T) {
	root := newRoot(t, 1)
	for _, c := range []struct {
		name   string
		closed bool
		calls  int // each of which logs a line of more than 200 bytes
	}{
		{"closed", true, 20},
		{"never read", false, 1_000}, // more than a pipe holds
	} {
		t.Run(c.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd := program(t, "--cache-root", root)
			cmd.Stderr = w
			s := begin(t, cmd).initialize()
			w.Close()
			if c.closed {
				r.Close()
			}
			for range c.calls {
				s.sendCall("context.inspect_cache", `{"cache":"`+strings.Repeat("x", 100)+`"}`)
				if s.receive() == "" {
					t.Fatalf("the server has ended after call %d", s.calls)
				}
			}
			s.in.Close()
			s.expectEnd()
		})
	}
}

// Limits.

func TestLongLinesAreAnsweredInBoundedMemory(t *testing.T) {
	s := serve(t, newRoot(t, 1))
	before := memory(t, s)
	for range 64 {
		if _, err := s.in.Write(bytes.Repeat([]byte("x"), mebibyte)); err != nil {
			t.Fatal(err)
		}
	}
	s.send("")
	const want = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a message of more than 1 MiB"}}`
	if got := s.receive(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if grown := memory(t, s) - before; grown > 32*mebibyte {
		t.Errorf("a line of 64 MiB took %d MiB of memory", grown/mebibyte)
	}
	line := func(size int) string {
		const head, tail = `{"jsonrpc":"2.0","id":1,"method":"ping","x":"`, `"}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	}
	for _, c := range []struct {
		line string
		want string
	}{
		{line(mebibyte), `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{line(mebibyte) + "\r", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{line(mebibyte + 1), want},
		{line(2 * mebibyte), want},
		{line(1_000), `{"jsonrpc":"2.0","id":1,"result":{}}`},
	} {
		s.send(c.line)
		if got := s.receive(); got != c.want {
			t.Errorf("a line of %d bytes: got %s, want %s", len(c.line), got, c.want)
		}
	}
}

// memory returns the resident memory of the server in bytes.
func memory(t testing.TB, s *server) int {
	t.Helper()
	return statusOf(t, s, "VmRSS:")
}

// statusOf returns a size of the server that Linux tells, in bytes.
func statusOf(t testing.TB, s *server, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(status), name)
	kilobytes := 0
	fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10
}

// What no file of a conversation can hold.
func TestLinesThatAreNotTextAreAnswered(t *testing.T) {
	s := serve(t, newRoot(t, 1))
	for _, line := range []string{
		"\xff", "\x00", "\xff\xfe{\x00}\x00", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xffng\"}", "{\"jsonrpc\":\"2.0\",\"id\":\"\xc0\x80\",\"method\":\"ping\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\x00", "{\"jsonrpc\":\"2.0\",\"id\":\"a\x01\",\"method\":\"ping\"}", "\xed\xa0\x80",
		strings.Repeat("[", 100_000), strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), strings.Repeat(`{"a":`, 100_000),
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_001),
		strings.Repeat("-", 100_000), strings.Repeat("1", 100_000) + "x", `{` + strings.Repeat(`"a":1,`, 100_000),
	} {
		s.send(line)
		if got := s.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON: byte `) {
			t.Errorf("%.60q: got %s", line, got)
		}
	}
	long := `"` + strings.Repeat("i", 500_000) + `"`
	s.send(`{"jsonrpc":"2.0","id":` + long + `,"method":"ping"}`)
	if got, want := s.receive(), `{"jsonrpc":"2.0","id":`+long+`,"result":{}}`; got != want {
		t.Errorf("a long ID: got %.100s, want %.100s", got, want)
	}
}

// With a single slot the second of two requests waits, so its ID is in flight.
func TestAnIDInFlightCannotBeUsedAgain(t *testing.T) {
	s := serve(t, largeRoot(t), "--max-calls", "1")
	const line = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"context.resolve","arguments":{"cache":"docs","query":"eta","budget":0}}}`
	s.send(line + "\n" + line)
	const want = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id: a request with this one is in flight"}}`
	if got := s.receive(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for range 2 { // answered, the ID is free again
		if got := s.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":7,"result":`) {
			t.Errorf("got %s", got)
		}
		s.send(line)
	}
}

// The call that is cancelled is the last of many that wait for one slot, and
// yet not the last that is answered.
func TestACancelledCallStops(t *testing.T) {
	root := largeRoot(t)
	for _, id := range []string{"1000", `"one"`, "1.5", "12345678901234567890", "1e3"} {
		s := serve(t, root, "--max-calls", "1")
		for range 20 {
			s.sendResolve("docs", 100)
		}
		s.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":` +
			`{"name":"context.resolve","arguments":{"cache":"docs","query":"eta","budget":9}}}`)
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"test"}}`)
		before, answer := 0, s.receive()
		for ; !strings.HasPrefix(answer, `{"jsonrpc":"2.0","id":`+id+`,`); before++ {
			answer = s.receive()
		}
		if before == 20 || strings.Contains(answer, `documents`) {
			t.Errorf("%s: got %.200s after %d answers, want a failure before the last", id, answer, before)
		}
		s.in.Close()
		s.receiveAll()
	}
}

// A call that takes too long fails, and its slot is free for the next.
func TestACallThatTakesTooLongFails(t *testing.T) {
	s := serve(t, largeRoot(t), "--tool-timeout", "5ms", "--max-calls", "1")
	const want = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` +
		`"{\"error\":{\"code\":\"internal_error\",\"message\":\"Internal error\"}}\n"}],"isError":true}}`
	s.sendResolve("docs", 1_000_000)
	if got := s.receive(); got != want {
		t.Errorf("got %.300s, want %s", got, want)
	}
	s.sendCall("context.list_caches", `{}`)
	if got := s.receive(); !strings.Contains(got, `\"docs\"`) {
		t.Errorf("got %s", got)
	}
}

// What the system refuses is an I/O error. The super-user is refused nothing,
// so the program runs as nobody then.
func TestWhatTheSystemRefusesIsAnIOError(t *testing.T) {
	dir := publicDir(t)
	root := filepath.Join(dir, "root")
	sources := writeDocuments(t, 2)
	for _, name := range []string{"closed", "manifest", "documents", "document"} {
		if err := os.MkdirAll(root, 0o755); err != nil {
			t.Fatal(err)
		}
		buildCache(t, sources, filepath.Join(root, name))
	}
	files, _ := filepath.Glob(filepath.Join(root, "document", "documents", "*"))
	for _, closed := range []string{
		filepath.Join(root, "closed"), filepath.Join(root, "manifest", "manifest.json"),
		filepath.Join(root, "documents", "documents"), files[0],
	} {
		if err := os.Chmod(closed, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(closed, 0o700) })
	}
	cmd := program(t, "--cache-root", root)
	if os.Geteuid() == 0 {
		const nobody = 65534
		cmd.Path = copyProgram(t, cmd.Path, dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		cmd.Dir = dir
	}
	s := begin(t, cmd).initialize()
	const failed = `"result":{"content":[{"type":"text","text":"{\"error\":{\"code\":\"io_error\",\"message\":\"I/O error occurred\"}}\n"}],"isError":true}}`
	for _, call := range []struct{ tool, arguments string }{
		{"context.resolve", `{"cache":"closed","query":"eta","budget":5}`},
		{"context.resolve", `{"cache":"closed/documents","query":"eta","budget":5}`},
		{"context.resolve", `{"cache":"manifest","query":"eta","budget":5}`},
		{"context.resolve", `{"cache":"documents","query":"eta","budget":5}`},
		{"context.resolve", `{"cache":"document","query":"eta","budget":100000}`}, // it is among what is selected
		{"context.inspect_cache", `{"cache":"closed"}`},
		{"context.inspect_cache", `{"cache":"manifest"}`},
		{"context.list_caches", `{}`}, // whether the closed one has a manifest cannot be told
		{"context.list_caches", `{"root":"closed"}`},
		{"context.list_caches", `{"root":"closed/documents"}`},
	} {
		s.sendCall(call.tool, call.arguments)
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s`, s.calls, failed)
		if got := s.receive(); got != want {
			t.Errorf("%s %s: got %s, want %s", call.tool, call.arguments, got, want)
		}
	}
}

// publicDir returns a new directory that everybody can reach.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyProgram(t *testing.T, from, dir string) string {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "program")
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}
