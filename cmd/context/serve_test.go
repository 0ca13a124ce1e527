//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/contextcompiler/context/internal/base/child"
)

// A server over HTTP logs its address, answers clients with the token, and exits with 0 on a
// signal.
func TestServeOverHTTP(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "docs/a.md"), "# A\n")
	writeFile(t, filepath.Join(dir, "token"), "secret\n")
	mustRun(t, dir, "context build --sources docs --cache cache")
	for _, end := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		server := startServer(t, dir, exec.Command("context", "serve", "--cache", "docs=cache", "--http", ":0", "--token-file", "token"))
		if got := callCaches(t, server.url, ""); !strings.HasPrefix(got, "401 ") {
			t.Errorf("without a token: got %s", got)
		}
		if got := callCaches(t, server.url, "secret"); !strings.Contains(got, "- docs: 1 page, 1 section") {
			t.Errorf("got %s", got)
		}
		server.end(t, end)
	}
}

// Who started a server over HTTP learns that others can read the token, and why it cannot
// listen.
func TestServeOverHTTPSaysWhatIsWrongAtItsStart(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "docs/a.md"), "# A\n")
	writeFile(t, filepath.Join(dir, "token"), "0123456789abcdef\n")
	mustRun(t, dir, "context build --sources docs --cache cache")
	for mode, want := range map[os.FileMode]string{
		0o644: "warning: other users of this machine can read the token file token: run `chmod 600 token`\n", 0o640: "warning: ", 0o600: "",
	} {
		if err := os.Chmod(filepath.Join(dir, "token"), mode); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("context", "serve", "--cache", "cache", "--http", "127.0.0.1:0", "--token-file", "token")
		cmd.Dir = dir
		log, toLog, err := os.Pipe()
		cmd.Stderr = toLog
		child.Watch(t, cmd)
		if err := errors.Join(err, cmd.Start(), toLog.Close()); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(log)
		first, _ := lines.ReadString('\n')
		if page, _ := lines.ReadString('\n'); page != strings.Replace(strings.Replace(first, "serving", "to look at the answers, open", 1), "/mcp", "/", 1) {
			t.Errorf("mode %v: got %s after %s", mode, page, first)
		}
		address := strings.TrimSuffix(strings.TrimPrefix(first, "serving http://"), "/mcp\n")

		second := exec.Command("context", "serve", "--cache", "cache", "--http", address)
		second.Dir = dir
		var said bytes.Buffer
		second.Stderr = &said
		child.Watch(t, second)
		second.Run()
		if exit := second.ProcessState.ExitCode(); exit != 6 || said.String() != "error: --http "+address+": address already in use: choose another address, or port 0 for any free port\n" {
			t.Errorf("a port in use: got %s, status %d", &said, exit)
		}
		cmd.Process.Signal(syscall.SIGTERM)
		rest, _ := io.ReadAll(lines)
		log.Close()
		if err := cmd.Wait(); err != nil || !strings.HasPrefix(first, "serving ") || !strings.HasPrefix(string(rest), want) || want == "" && len(rest) > 0 {
			t.Errorf("mode %v: got %s%s and error %v, want %q", mode, first, rest, err, want)
		}
	}
}

// --open opens the page with the program that the desktop has for this. Without such a program, the
// server serves all the same.
func TestServeOpensThePage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the programs that open pages differ")
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "docs/a.md"), "# A\n")
	mustRun(t, dir, "context build --sources docs --cache cache && mkdir bin && mkfifo opened")
	program, err := exec.LookPath("context")
	if err != nil {
		t.Fatal(err)
	}
	start := func() *webServer {
		cmd := exec.Command(program, "serve", "--cache", "cache", "--http", "127.0.0.1:0", "--open")
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin"))
		return startServer(t, dir, cmd)
	}
	start().end(t, syscall.SIGTERM)

	writeFile(t, filepath.Join(dir, "bin/xdg-open"), "#!/bin/sh\necho \"$@\" >'"+dir+"/opened'\n")
	if err := os.Chmod(filepath.Join(dir, "bin/xdg-open"), 0o777); err != nil {
		t.Fatal(err)
	}
	server := start()
	got, err := os.ReadFile(filepath.Join(dir, "opened")) // waits for the program
	if want := strings.TrimSuffix(server.url, "mcp") + "\n"; err != nil || string(got) != want {
		t.Errorf("got %s and error %v, want %s", got, err, want)
	}
	server.end(t, syscall.SIGTERM)
}

// callCaches calls context_caches and returns the status and the body.
func callCaches(t *testing.T, url, token string) string {
	t.Helper()
	request := newCall(url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context_caches","arguments":{}}}`)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.Status + "\n" + string(body)
}

// A reader of docs/agents.md can paste its blocks: the servers start, and the requests are
// answered.
func TestTheServersOfThePageAnswer(t *testing.T) {
	for _, program := range []string{"curl", "openssl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the blocks of the page call %s, which is not installed: %v", program, err)
		}
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "docs/a.md"), "# A\n")
	mustRun(t, dir, "context build --sources docs --cache build/context")
	blocks := map[string]string{}
	for _, b := range blocksOf(t, "docs/agents.md") {
		for _, r := range recipes {
			if r.page == b.page && r.language == b.language && strings.Contains(b.text, r.has) {
				blocks[r.has] = b.text
				break
			}
		}
	}
	mustRun(t, dir, "</dev/null "+blocks["context serve --cache build/context --project ."])

	// Tests at the same time cannot all have the port of the page.
	const written = "127.0.0.1:8787"
	start := strings.Replace(blocks["--http"], written, "127.0.0.1:0", 1)
	server := startServer(t, dir, exec.Command("sh", "-ec", strings.Replace(start, "context serve", "exec context serve", 1)))
	address := strings.TrimSuffix(strings.TrimPrefix(server.url, "http://"), "/mcp")
	if out := mustRun(t, dir, strings.ReplaceAll(blocks["curl"], written, address)); !strings.Contains(out, "- context: 1 page, 1 section") {
		t.Errorf("curl: got %s", out)
	}
	var settings struct {
		Servers map[string]struct {
			Type, URL string
			Headers   map[string]string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(blocks[`"url"`]), &settings); err != nil {
		t.Fatal(err)
	}
	client := settings.Servers["context"]
	token, ok := strings.CutPrefix(client.Headers["Authorization"], "Bearer ")
	if client.Type != "http" || client.URL != "http://"+written+"/mcp" || !ok || token != "TOKEN" {
		t.Errorf("got %+v", client)
	}
	server.end(t, syscall.SIGTERM)
}

// A webServer is a server over HTTP as another process.
type webServer struct {
	cmd *exec.Cmd
	url string
}

// startServer starts a command that is a server over HTTP, and waits for its URL.
func startServer(t *testing.T, dir string, cmd *exec.Cmd) *webServer {
	t.Helper()
	logged, toLog, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Stderr = dir, toLog
	child.Watch(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toLog.Close()
	t.Cleanup(func() { cmd.Process.Kill() })
	log := bufio.NewReader(logged)
	line, err := log.ReadString('\n')
	go func() {
		io.Copy(io.Discard, log)
		logged.Close()
	}()
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if err != nil || !ok || !strings.HasPrefix(url, "http://127.0.0.1:") || strings.HasSuffix(url, ":0/mcp") {
		t.Fatalf("got %q and error %v, want the URL", line, err)
	}
	return &webServer{cmd, url}
}

// end sends a signal, after which the server must exit with 0.
func (s *webServer) end(t *testing.T, signal os.Signal) {
	t.Helper()
	s.cmd.Process.Signal(signal)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("after %v: %v", signal, err)
	}
}

// newCall returns the request with a message.
func newCall(url, body string) *http.Request {
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	return request
}
