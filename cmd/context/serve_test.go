//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/contextcompiler/context/internal/child"
)

// A server over HTTP says where it is, answers who has the token, and ends well when it is
// told to.
func TestServeOverHTTP(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "docs/a.md"), "# A\n")
	writeFile(t, filepath.Join(dir, "token"), "secret\n")
	mustRun(t, dir, "context build --sources docs --cache cache")
	for _, end := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		cmd := exec.Command("context", "serve", "--cache", "docs=cache", "--http", ":0", "--token-file", "token")
		cmd.Dir = dir
		child.Watch(t, cmd)
		logged, toLog := io.Pipe()
		cmd.Stderr = io.MultiWriter(cmd.Stderr, toLog)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(logged).ReadString('\n')
		go io.Copy(io.Discard, logged)
		url, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
		if err != nil || !ok || !strings.HasPrefix(url, "http://127.0.0.1:") || strings.HasSuffix(url, ":0/mcp") {
			t.Fatalf("got %q and error %v, want the URL", line, err)
		}
		if got := callCaches(t, url, ""); !strings.HasPrefix(got, "401 ") {
			t.Errorf("without a token: got %s", got)
		}
		if got := callCaches(t, url, "secret"); !strings.Contains(got, "- docs: 1 page, 1 section") {
			t.Errorf("got %s", got)
		}
		cmd.Process.Signal(end)
		if err := cmd.Wait(); err != nil {
			t.Errorf("after %v: %v", end, err)
		}
	}
}

// callCaches calls context_caches and returns the status and the body.
func callCaches(t *testing.T, url, token string) string {
	t.Helper()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context_caches","arguments":{}}}`
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
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
