package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/mcp"
)

// layoutOf returns a reference into a new layout, and a client with the store of the commands.
func layoutOf(t *testing.T) (registry.ArtifactRef, *registry.Client) {
	t.Helper()
	t.Setenv("CONTEXT_STORE", t.TempDir())
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	ref, err := registry.ParseRef("oci-layout:" + filepath.Join(t.TempDir(), "layout") + ":v1")
	if err != nil {
		t.Fatal(err)
	}
	return ref, &registry.Client{Store: store.Store{Dir: os.Getenv("CONTEXT_STORE")}, Now: time.Now()}
}

// mustRun runs a command that must succeed, and returns what it prints.
func mustRun(t *testing.T, input string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	root := rootCommand()
	root.SetIn(strings.NewReader(input))
	if status := runCommand(t.Context(), root, args, &stdout, &stderr); status != 0 {
		t.Fatalf("%q ends with %d: %s", args, status, &stderr)
	}
	return stdout.String()
}

// lineOf returns the line of a call.
func lineOf(id int, tool string, arguments map[string]string) string {
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
	})
	if err != nil {
		panic(err)
	}
	return string(line) + "\n"
}

const greeting = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// Nobody can tell from an answer whether a cache was built here or came through a layout.
func TestAPulledCacheAnswersAsTheBuiltCache(t *testing.T) {
	ref, client := layoutOf(t)
	built := pushTo(t, client, ref, "# Ships\n\nShips land in the harbour.\n\n## Fees\n\nA berth costs 5 crowns.\n")
	for _, args := range [][]string{
		{"ask", "where", "do", "ships", "land"},
		{"search", "berth"},
		{"resolve", "--query", "berth", "--budget", "100"},
		{"read", "page.md"},
		{"grep", "crowns"},
		{"outline"},
		{"caches"},
		{"explain", "berth"},
		{"inspect"},
		{"verify"},
	} {
		at := func(path string) string {
			return mustRun(t, "", append([]string{args[0], "--cache", path}, args[1:]...)...)
		}
		if want, got := at(built), at(ref.String()); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", args, got, want)
		}
	}

	calls := greeting + lineOf(1, "context_search", map[string]string{"query": "berth"}) +
		lineOf(2, "context_resolve", map[string]string{"query": "where do ships land"}) +
		lineOf(3, "context_diff", map[string]string{"from": "docs", "to": "other"}) +
		lineOf(4, "context_caches", nil)
	serve := func(path string) string {
		answers := mustRun(t, calls, "serve", "--log-level", "error", "--cache", "docs="+path, "--cache", "other="+path)
		lines := strings.Split(answers, "\n")
		slices.Sort(lines) // whichever is ready first comes first
		return strings.Join(lines, "\n")
	}
	want, got := serve(built), serve(ref.String())
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(got, "A berth costs") || !strings.Contains(got, "no page changed") || strings.Contains(got, `"isError":true`) {
		t.Errorf("expected answers, got %s", got)
	}
}

// A conversation sees the new cache after a refresh, and keeps it when its source is gone.
func TestAServerSwitchesToMovedTags(t *testing.T) {
	ref, client := layoutOf(t)
	pushTo(t, client, ref, "# One\n\nShips land in the harbour.\n")
	f := follower{every: time.Hour, client: client}
	named := []mcp.NamedCache{{Name: "docs", Path: ref.String()}}
	command := rootCommand()
	command.SetContext(t.Context())
	if err := serveLocally(command, named, &f); err != nil {
		t.Fatal(err)
	}
	ask := converse(t, mcp.Settings{Caches: named, ToolTimeout: mcp.DefaultToolTimeout, MaxCalls: 1, Log: slog.New(slog.DiscardHandler)})
	expectAnswer := func(want string) {
		t.Helper()
		if got := ask("context_search", map[string]string{"query": "where do ships land"}); !strings.Contains(got, want) {
			t.Errorf("expected an answer with %q, got %s", want, got)
		}
	}
	log := slog.New(slog.DiscardHandler)
	expectAnswer("harbour")
	pushTo(t, client, ref, "# Two\n\nShips land in the marina.\n")
	expectAnswer("harbour")
	f.refresh(t.Context(), log, f.tags[0])
	expectAnswer("marina")
	if err := os.RemoveAll(ref.Layout); err != nil {
		t.Fatal(err)
	}
	f.refresh(t.Context(), log, f.tags[0])
	expectAnswer("marina")
}

// converse starts a server and returns a function that calls a tool and returns the line of its
// answer.
func converse(t *testing.T, cfg mcp.Settings) func(tool string, arguments map[string]string) string {
	t.Helper()
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error)
	go func() {
		done <- mcp.ServeAgents(t.Context(), cfg, in, out)
		out.Close()
	}()
	t.Cleanup(func() {
		requests.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(answers)
	exchange := func(text string) string {
		t.Helper()
		if _, err := io.WriteString(requests, text); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	exchange(greeting)
	id := 0
	return func(tool string, arguments map[string]string) string {
		t.Helper()
		id++
		line := exchange(lineOf(id, tool, arguments))
		if !strings.Contains(line, fmt.Sprintf(`"id":%d`, id)) {
			t.Fatalf("expected the answer to call %d, got %s", id, line)
		}
		return line
	}
}

// A build doesn't repair the store, so the next step is to remove the entry.
func TestDamageInTheStoreIsNamed(t *testing.T) {
	ref, client := layoutOf(t)
	pushTo(t, client, ref, "# One\n\nShips land in the harbour.\n")
	stored, err := client.Fetch(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	entry := filepath.Dir(stored.Dir)
	for _, damage := range []func() error{
		func() error { return os.Truncate(filepath.Join(stored.Dir, "manifest.json"), 3) },
		func() error { return os.RemoveAll(stored.Dir) },
		func() error { return os.Truncate(filepath.Join(entry, "config.json"), 3) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"search", "--cache", ref.String(), "harbour"},
			{"pull", "--cache", filepath.Join(t.TempDir(), "pulled"), ref.String()},
		} {
			var stdout, stderr bytes.Buffer
			status := Main(t.Context(), args, &stdout, &stderr)
			message := stderr.String()
			const invalid = 5
			if status != invalid || stdout.Len() > 0 || strings.Contains(message, "context build") || strings.Count(message, "remove "+entry+", then try again") != 1 {
				t.Errorf("%q: got status %d and %s", args, status, message)
			}
		}
	}
}
