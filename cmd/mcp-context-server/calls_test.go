//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestLongLinesAreAnsweredInBoundedMemory(t *testing.T) {
	s := serve(t, newRoot(t, 1))
	before := memory(t, s)
	for range 64 {
		if _, err := s.in.Write(bytes.Repeat([]byte("x"), mebibyte)); err != nil {
			t.Fatal(err)
		}
	}
	s.send("")
	const tooLong = `,"error":{"code":-32700,"message":"the message is larger than 1 MiB"}}`
	if got, want := s.receive(), `{"jsonrpc":"2.0","id":null`+tooLong; got != want {
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
		{line(mebibyte + 1), `{"jsonrpc":"2.0","id":1` + tooLong},
		{line(2 * mebibyte), `{"jsonrpc":"2.0","id":1` + tooLong},
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
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the memory of a process in /proc")
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
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
		id := "null"
		if strings.Contains(line, `"id":1,`) {
			id = "1"
		}
		s.send(line)
		if got := s.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32700,"message":"invalid JSON: byte `) {
			t.Errorf("%.60q: got %s", line, got)
		}
	}
	long := `"` + strings.Repeat("i", 500_000) + `"`
	s.send(`{"jsonrpc":"2.0","id":` + long + `,"method":"ping"}`)
	if got, want := s.receive(), `{"jsonrpc":"2.0","id":`+long+`,"result":{}}`; got != want {
		t.Errorf("a long ID: got %.100s, want %.100s", got, want)
	}
	s.send(`{"jsonrpc":"2.0","method":"ping","params":{"a":"` + strings.Repeat("x", 5*mebibyte) + `"},"id":"\u0061"}`)
	if got, want := s.receive(), `{"jsonrpc":"2.0","id":"\u0061","error":{"code":-32700,"message":"the message is larger than 1 MiB"}}`; got != want {
		t.Errorf("a long line: got %s, want %s", got, want)
	}
}

// With a single slot the second of two requests waits, so its ID is in flight.
func TestAnIDInFlightCannotBeUsedAgain(t *testing.T) {
	s := serve(t, largeRoot(t), "--max-calls", "1")
	const line = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"context.resolve","arguments":{"cache":"docs","query":"eta","budget":0}}}`
	s.send(line + "\n" + line)
	const want = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id: already used by a request in flight"}}`
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

// The calls that are cancelled wait behind many others for one slot.
func TestACancelledCallIsNotAnswered(t *testing.T) {
	s := serve(t, largeRoot(t), "--max-calls", "1")
	for range 20 {
		s.sendResolve("docs", 100)
	}
	for _, id := range []string{"1000", `"one"`, "1.5", "12345678901234567890", "1e3"} {
		s.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":` +
			`{"name":"context.resolve","arguments":{"cache":"docs","query":"eta","budget":9}}}`)
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"test"}}`)
	}
	for range s.calls {
		if answer := s.receive(); !strings.Contains(answer, `documents`) {
			t.Errorf("got %.200s", answer)
		}
	}
	s.in.Close()
	if more := s.receiveAll(); len(more) > 0 {
		t.Errorf("got %.200s, want no answer to a cancelled call", more)
	}
	s.expectEnd()
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
	for answered := false; !answered; { // on a busy machine, this one may take too long, too
		s.sendCall("context.list_caches", `{}`)
		answer := s.receive()
		answered = strings.Contains(answer, `\"docs\"`)
		if !answered && !strings.Contains(answer, "internal_error") {
			t.Fatalf("got %s", answer)
		}
	}
}

// A refusal of the system is an I/O error. The system refuses root nothing, so for root
// the test runs the program as another user.
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
		{"context.resolve", `{"cache":"document","query":"eta","budget":100000}`}, // it is selected
		{"context.inspect_cache", `{"cache":"closed"}`},
		{"context.inspect_cache", `{"cache":"manifest"}`},
		{"context.list_caches", `{}`}, // the closed one may or may not have a manifest
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
