//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// readClients returns the names that `context client` lists. docs/agents.md has a row for each.
func readClients(t *testing.T) (names []string) {
	t.Helper()
	page := string(readFile(t, "../../docs/agents.md"))
	for line := range strings.Lines(printed(t, "client")) {
		name, title, _ := strings.Cut(strings.TrimSpace(line), " ")
		names = append(names, name)
		if row := "| " + strings.TrimSpace(title) + " | `context client " + name + "` |"; !strings.Contains(page, row) {
			t.Errorf("docs/agents.md lacks the row %s", row)
		}
	}
	if len(names) < 3 {
		t.Fatalf("got only the clients %q", names)
	}
	return names
}

// serverOf returns the server that `context client` configured. A command for a shell is run
// with a program in the place of claude.
func serverOf(t *testing.T, text string) server {
	t.Helper()
	var config map[string]map[string]server
	if strings.HasPrefix(text, "claude ") {
		return serverOfShell(t, text)
	}
	err := json.Unmarshal([]byte(text), &config)
	if err != nil {
		config = nil
		_, err = toml.Decode(text, &config)
	}
	if err != nil || len(config) != 1 {
		t.Fatalf("got %s, %v", text, err)
	}
	for _, servers := range config {
		return servers["context"]
	}
	panic("unreachable")
}

// serverOfShell returns the server that a command adds to Claude Code.
func serverOfShell(t *testing.T, text string) server {
	t.Helper()
	bin := t.TempDir()
	writeFile(t, filepath.Join(bin, "claude"), "#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
	if err := os.Chmod(filepath.Join(bin, "claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := groupCommand(t, "sh", "-c", text)
	run.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	begin := []string{"mcp", "add", "--transport", "stdio", "context", "--"}
	if len(args) < len(begin)+2 || !slices.Equal(args[:len(begin)], begin) {
		t.Fatalf("claude gets %q", args)
	}
	return server{args[len(begin)], args[len(begin)+1:]}
}

// callCaches starts the server in another directory and with no PATH, as a client does, and
// returns the answer of context_caches.
func (s server) callCaches(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "PATH=")
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%s %q: %v", s.Command, s.Args, err)
	}
	defer session.Close()
	if name := session.InitializeResult().ServerInfo.Name; name != "context" {
		t.Errorf("the server is %s", name)
	}
	answer, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "context_caches"})
	if err != nil || len(answer.Content) != 1 {
		t.Fatalf("got %+v, %v", answer, err)
	}
	text, _ := answer.Content[0].(*sdk.TextContent)
	return text.Text
}

// What `context client` prints starts a server that answers, from any directory, for paths
// with characters that a shell, JSON or TOML could take for something else.
func TestClientsStartTheServerThatIsPrinted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `it's a "project" \n with $HOME`)
	writeFile(t, filepath.Join(dir, "docs/a.md"), "# A\n")
	writeFile(t, filepath.Join(dir, "Contextfile.yml"), "version: 1\ncaches:\n  docs: {sources: [docs], output: my caches/docs}\n")
	mustRun(t, dir, "context build")
	for _, name := range readClients(t) {
		t.Run(name, func(t *testing.T) {
			for _, flags := range [][]string{nil, {"--cache", "docs=my caches/docs"}, {"--cache-root", "my caches"}} {
				cmd := exec.Command("context", append([]string{"client", name}, flags...)...)
				cmd.Dir = dir
				out, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				if got := serverOf(t, string(out)).callCaches(t); !strings.HasPrefix(got, "- docs: 1 page, 1 section") {
					t.Errorf("%q: got %s", flags, got)
				}
			}
		})
	}
}
