package cli

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/mcp"
)

// A parsedServer is a server in a configuration.
type parsedServer struct {
	Command string
	Args    []string
}

// parseConfiguration returns the command line that starts the server.
func parseConfiguration(t *rapid.T, text []byte) []string {
	var config map[string]map[string]parsedServer
	err := json.Unmarshal(text, &config)
	if err != nil {
		err = toml.Unmarshal(text, &config)
	}
	if err != nil {
		t.Fatalf("got %q, which is neither JSON nor TOML: %v", text, err)
	}
	for _, servers := range config {
		return append([]string{servers["context"].Command}, servers["context"].Args...)
	}
	return nil
}

// oddPaths are paths that a format or a shell could take for something else.
var oddPaths = []string{
	`C:\Program Files\context\new.exe`, `/a b/it's`, `/a "b"/$HOME/${x}`, "/a\nb\tc\x7f\x1b[31m", `\\server\share\`, "/日本/\u2028\u202e/\ue000", "/#a;b|c&d<e>", "[mcp_servers]", "'''", `"""`,
}

// Every client gets the command line that was meant, on every system.
func TestConfigurationsKeepThePaths(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Log("the commands for a shell are not run: ", err)
	}
	for _, path := range oddPaths {
		line := console.ShellLine([]string{"printf", `%s\0`, "claude", path})
		if shell == "" || strings.Contains(path, `\`) && console.ShellLine([]string{`\`}) == `\` { // Windows
			continue
		}
		if out, err := exec.Command(shell, "-c", line).Output(); err != nil || string(out) != "claude\x00"+path+"\x00" {
			t.Errorf("%q: got %q, %v", line, out, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.OneOf(rapid.SampledFrom(oddPaths), rapid.StringN(1, 20, 200).Filter(func(s string) bool { return !strings.Contains(s, "\x00") }))
		start := startLine{path.Draw(t, "program"), []string{"serve", "--cache", "docs=" + path.Draw(t, "cache")}}
		for _, system := range []string{"linux", "darwin", "windows"} {
			for _, c := range clientPrograms(system) {
				if c.name == "claude-code" && system != "windows" {
					continue // a command for a shell
				}
				want := append([]string{start.program}, start.args...)
				if got := parseConfiguration(t, c.print(start)); !slices.Equal(got, want) {
					t.Fatalf("%s on %s: got %q, want %q", c.name, system, got, want)
				}
			}
		}
	})
}

// JSON and TOML contain UTF-8 only, and a terminal prints the configuration.
func TestPathsThatNoConfigurationCanContainAreRefused(t *testing.T) {
	for _, path := range []string{"a\xff", "a\x1b[31m", "a\n"} {
		_, err := startLineOf(mcp.Settings{Caches: []mcp.NamedCache{{Name: "docs", Path: path}}}, targetFlags{})
		if err == nil || !strings.Contains(err.Error(), "control characters") {
			t.Errorf("%q: got %v", path, err)
		}
	}
}
