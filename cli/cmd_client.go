package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/mcp"
)

// A clientProgram starts MCP servers for its agent.
type clientProgram struct {
	name, title string
	place       string // of its configuration, or what to do
	print       func(startLine) []byte
	expands     string // the beginning of a variable in a configuration; "" without variables
}

// A startLine is the command to start a server.
type startLine struct {
	program string
	args    []string
}

// serverKey names the server in every configuration.
const serverKey = "context"

// clientPrograms returns the clients on a system, sorted by name. Some of them keep their
// configuration in a different place on each system.
func clientPrograms(system string) []clientProgram {
	home, config := "~", "~"
	if dir, err := os.UserHomeDir(); err == nil {
		home = dir
	}
	if dir, err := os.UserConfigDir(); err == nil {
		config = dir
	}
	claude := clientProgram{"claude-code", "Claude Code", "run this command in your project; with --scope user before --, it is for all projects", claudeCommand, ""}
	if system == "windows" { // PowerShell takes -- away from the command
		claude = clientProgram{claude.name, claude.title, putInto(".mcp.json in your project"), inJSON("mcpServers", serverEntry{}), "${"}
	}
	return []clientProgram{
		claude,
		{"claude-desktop", "Claude Desktop", putInto(filepath.Join(config, "Claude", "claude_desktop_config.json")), inJSON("mcpServers", serverEntry{}), ""},
		{"codex", "Codex", putInto(filepath.Join(cmp.Or(os.Getenv("CODEX_HOME"), filepath.Join(home, ".codex")), "config.toml")), inTOML, ""},
		{"copilot-cli", "Copilot CLI", putInto(filepath.Join(home, ".copilot", "mcp-config.json")), inJSON("mcpServers", serverEntry{Type: "local", Tools: []string{"*"}}), ""},
		{"cursor", "Cursor", putInto(filepath.Join(home, ".cursor", "mcp.json") + ", or .cursor/mcp.json in your project"), inJSON("mcpServers", serverEntry{}), "${"},
		{"gemini-cli", "Gemini CLI", putInto(filepath.Join(home, ".gemini", "settings.json") + ", or .gemini/settings.json in your project"), inJSON("mcpServers", serverEntry{}), "$"},
		{"vscode", "VS Code", putInto(".vscode/mcp.json in your project, or " + filepath.Join(config, "Code", "User", "mcp.json")), inJSON("servers", serverEntry{Type: "stdio"}), "${"},
	}
}

func putInto(place string) string {
	return "put this into " + words.Printable(place) + "; if the file exists, add the entry " + serverKey
}

func clientCommand() *cobra.Command {
	var served serverFlags
	var asked askedFlags
	clients := clientPrograms(runtime.GOOS)
	var names []string
	for _, c := range clients {
		names = append(names, c.name)
	}
	cmd := &cobra.Command{
		Use:       "client [NAME] [--cache [NAME=]DIR]...",
		Short:     "Print the configuration of an agent's client",
		Example:   "  context client\n  context client cursor\n  context client claude-code --cache docs=build/context",
		ValidArgs: names,
		Args:      oneClient(names),
		RunE: runOn(func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return printClients(cmd, clients)
			}
			cfg := served.roots(cmd)
			if err := asked.addTo(&cfg, cmd); err != nil {
				return err
			}
			return printClient(cmd, clients[slices.Index(names, args[0])], cfg, asked.targetFlags)
		}),
	}
	served.bindRoots(cmd)
	asked.bind(cmd, "serve the cache at `[NAME=]DIR` (repeatable)")
	return cmd
}

// oneClient accepts no arguments or a single name.
func oneClient(names []string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) > 1:
			return usagef("unexpected argument %q: name a single client", args[1])
		case len(args) == 1 && !slices.Contains(names, args[0]):
			return usagef("unknown client %q: known clients: %s", args[0], strings.Join(names, ", "))
		}
		return nil
	}
}

func printClients(cmd *cobra.Command, clients []clientProgram) error {
	var out bytes.Buffer
	for _, c := range clients {
		fmt.Fprintf(&out, "%-14s  %s\n", c.name, c.title)
	}
	return print(cmd, out.Bytes())
}

// printClient prints the configuration of a client. Standard error says where to put it.
func printClient(cmd *cobra.Command, c clientProgram, cfg mcp.Settings, chosen targetFlags) error {
	start, err := startLineOf(cfg, chosen)
	if err != nil {
		return err
	}
	for _, cache := range cfg.Caches {
		switch inside := cachesIn(cache.Path); {
		case isCache(cache.Path), registry.IsRef(cache.Path):
		case len(inside) > 0:
			warn(cmd, []string{fmt.Sprintf("%s is not a cache, but contains caches: name one of them, such as %s, or all with --cache-root", cache.Path, inside[0])})
		default:
			warn(cmd, []string{fmt.Sprintf("there is no cache at %s: build it before you start %s", cache.Path, c.title)})
		}
	}
	for _, root := range []string{cfg.CacheRoot, cfg.ProjectRoot} {
		if root != "" && !isDirectory(root) {
			warn(cmd, []string{fmt.Sprintf("there is no directory %s: make it before you start %s", root, c.title)})
		}
	}
	for _, text := range append([]string{start.program}, start.args...) {
		if c.expands != "" && strings.Contains(text, c.expands) {
			warn(cmd, []string{fmt.Sprintf("%s expands variables, for example in %s: use a path without %q", c.title, text, c.expands)})
		}
	}
	fmt.Fprintln(cmd.ErrOrStderr(), c.place)
	return print(cmd, c.print(start))
}

// startLineOf returns a command for any working directory. If targets were chosen, it
// names their file instead of their caches, so the server also serves targets added to
// the file later.
func startLineOf(cfg mcp.Settings, chosen targetFlags) (start startLine, err error) {
	if start.program, err = programPath(); err != nil {
		return start, err
	}
	start.args = []string{"serve"}
	add := func(flag, name, path string) {
		if path == "" || err != nil {
			return
		}
		path, err = absolutePlace(path)
		start.args = append(start.args, flag, name+path)
	}
	if file := chosen.file.found; file != "" {
		add("--file", "", file)
		for _, name := range chosen.names {
			start.args = append(start.args, "--target", name)
		}
	} else {
		for _, c := range cfg.Caches {
			add("--cache", c.Name+"=", c.Path)
		}
	}
	add("--cache-root", "", cfg.CacheRoot)
	add("--project", "", cfg.ProjectRoot)
	for _, text := range append([]string{start.program}, start.args...) {
		if err == nil && !isText(text) {
			err = usagef("the path %q contains control characters or is not UTF-8, so a configuration cannot contain it: choose another directory", text)
		}
	}
	return start, err
}

// absolutePlace returns the absolute path of a directory, or of the directory in a reference.
func absolutePlace(path string) (string, error) {
	if !registry.IsRef(path) {
		return files.Absolute(path)
	}
	ref, err := registry.ParseRef(path)
	if err == nil && ref.Layout != "" {
		ref.Layout, err = files.Absolute(ref.Layout)
	}
	return ref.String(), err
}

// isText reports whether a text file can contain a path, and a terminal can print it.
func isText(path string) bool {
	return utf8.ValidString(path) && !strings.ContainsFunc(path, unicode.IsControl)
}

// programPath returns the absolute path of this program. It prefers the path found through
// PATH, which often stays the same when an update moves the file.
func programPath() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fault.Errorf(fault.IO, "find this program: %w", fault.Cause(err))
	}
	found, err := exec.LookPath("context")
	if err != nil {
		return path, nil
	}
	mine, err1 := os.Stat(path)
	other, err2 := os.Stat(found)
	if cmp.Or(err1, err2) != nil || !os.SameFile(mine, other) {
		return path, nil
	}
	return files.Absolute(found)
}

func claudeCommand(start startLine) []byte {
	line := []string{"claude", "mcp", "add", "--transport", "stdio", serverKey, "--", start.program}
	return []byte(console.ShellLine(append(line, start.args...)) + "\n")
}

// A serverEntry is a server in a JSON configuration.
type serverEntry struct {
	Type    string   `json:"type,omitzero"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Tools   []string `json:"tools,omitzero"`
}

// inJSON returns a function that prints an entry below a key.
func inJSON(key string, entry serverEntry) func(startLine) []byte {
	return func(start startLine) []byte {
		entry.Command, entry.Args = start.program, start.args
		e := wire.Indented()
		e.BeginObject()
		e.Key(key)
		e.BeginObject()
		e.Key(serverKey)
		e.Value(entry)
		e.EndObject()
		e.EndObject()
		e.Newline()
		return e.Bytes()
	}
}

// inTOML prints the table of a server. JSON strings are valid in TOML, but DEL must be
// escaped.
func inTOML(start startLine) []byte {
	escaped := func(v any) string { return strings.ReplaceAll(string(wire.Marshal(v)), "\x7f", `\u007f`) }
	return fmt.Appendf(nil, "[mcp_servers.%s]\ncommand = %s\nargs = %s\n", serverKey, escaped(start.program), escaped(start.args))
}
