package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/mcp"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

var update = flag.Bool("update", false, "rewrite what the conversations expect; review the diff")

// A conversation is a file of testdata. Its files come after lines starting with
//
//	#  a comment
//	!  flags of the server: --tool-names underscore, --tool-timeout DURATION,
//	   --cache NAME=DIR, --cache-root DIR or --project DIR; without one of the last three,
//	   --cache-root root
//	@  a symlink: NAME -> TARGET
//	$  a change of the files: mv FROM TO, or ln NAME TARGET, in the place of the
//	   symlink NAME if there is one
//	>  a line that the client sends
//	<  the next line that the server must write; VERSION stands for its version
//
// At the end the client closes its input. The server must then end and write nothing more. The
// files of the archive are in a directory. DIR in flags is relative to it, and lines call it WORK.
// All files get the same time, so stat fingerprints are the same on every run. The files below
// sources/NAME make the cache NAME below root for selection 0, and the files below sections/NAME
// make it for selection 1. With NAME=PRODUCT@VERSION, the cache has a product.
type conversation struct {
	name  string
	lines []string
	files []txtar.File
}

// readConversations reads the conversations in a directory, and fails if there are fewer than
// least.
func readConversations(t *testing.T, dir string, least int) (all []conversation) {
	t.Helper()
	names, err := filepath.Glob(dir + "/*.txtar")
	if err != nil || len(names) < least {
		t.Fatalf("got %d conversations (%v), want %d or more", len(names), err, least)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(archive.Comment)), "\n")
		all = append(all, conversation{name, lines, archive.Files})
	}
	return all
}

// flags returns the flags of a server whose roots lie in dir.
func (c conversation) flags(dir string) (flags []string) {
	hasRoot := false
	for _, line := range c.lines {
		if rest, ok := strings.CutPrefix(line, "!"); ok {
			flags = append(flags, strings.Fields(rest)...)
		}
	}
	for i := 0; i < len(flags); i += 2 {
		switch flags[i] {
		case "--cache":
			hasRoot = true
			flags[i+1] = strings.Replace(flags[i+1], "=", "="+dir+"/", 1)
		case "--cache-root", "--project":
			hasRoot = true
			flags[i+1] = filepath.Join(dir, flags[i+1])
		}
	}
	if !hasRoot {
		flags = append(flags, "--cache-root", filepath.Join(dir, "root"))
	}
	return flags
}

// config returns the configuration for flags.
func config(t *testing.T, flags []string) mcp.Settings {
	t.Helper()
	cfg := mcp.Settings{Version: "0"}
	for i := 0; i < len(flags); i += 2 {
		switch flags[i] {
		case "--cache":
			name, path, _ := strings.Cut(flags[i+1], "=")
			cfg.Caches = append(cfg.Caches, mcp.NamedCache{Name: name, Path: path})
		case "--cache-root":
			cfg.CacheRoot = flags[i+1]
		case "--project":
			cfg.ProjectRoot = flags[i+1]
		case "--tool-names":
			cfg.Underscores = flags[i+1] == "underscore"
		case "--tool-timeout":
			cfg.ToolTimeout, _ = time.ParseDuration(flags[i+1])
		default:
			t.Fatalf("unknown flag %s", flags[i])
		}
	}
	return cfg
}

// filesTime is the time of all files in conversations.
var filesTime = time.Date(2026, time.February, 13, 10, 0, 0, 0, time.UTC)

// makeFiles makes the files of the conversation and returns their directory.
func (c conversation) makeFiles(t *testing.T) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.files {
		name := filepath.Join(dir, f.Name)
		writeFile(t, name, string(f.Data))
		if err := os.Chtimes(name, filesTime, filesTime); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range c.lines {
		if link, ok := strings.CutPrefix(line, "@ "); ok {
			name, target, _ := strings.Cut(link, " -> ")
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Skip("no symlinks here: ", err)
			}
		}
	}
	for number, sources := range []string{"sources", "sections"} {
		caches, _ := os.ReadDir(filepath.Join(dir, sources))
		for _, e := range caches {
			name, product, _ := strings.Cut(e.Name(), "=")
			cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, sources, e.Name())}}, Cache: filepath.Join(root, name), Selection: selection.SpecOf(number)}
			cfg.About.Product, _ = document.ParseProduct(product)
			if _, err := pipeline.Build(context.Background(), cfg); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

var serverVersion = regexp.MustCompile(`("name":"(?:mcp-context-server|context)","title":"Context","version":)"[^"]*"`)

// hold has the conversation with a server and returns its lines, including the lines of the server.
// The files lie in dir.
func (c conversation) hold(server *client, dir string) (got []string) {
	for _, line := range c.lines {
		switch {
		case strings.HasPrefix(line, "> "):
			server.send(strings.ReplaceAll(line[2:], "WORK", dir))
		case strings.HasPrefix(line, "$ "):
			change(server.t, dir, strings.Fields(line[2:]))
		case strings.HasPrefix(line, "<"):
			line = "< " + serverVersion.ReplaceAllString(server.receive(), `$1"VERSION"`)
			line = strings.ReplaceAll(line, dir, "WORK")
		}
		got = append(got, line)
	}
	rest, err := server.finish()
	for _, line := range rest {
		got = append(got, "< "+line)
	}
	if err != nil {
		server.t.Errorf("the server ended with %v", err)
	}
	return got
}

// change changes the files in dir.
func change(t testing.TB, dir string, words []string) {
	t.Helper()
	var err error
	switch at := func(i int) string { return filepath.Join(dir, words[i]) }; words[0] {
	case "mv":
		err = os.Rename(at(1), at(2))
	case "ln":
		temporary := at(1) + ".new"
		err = errors.Join(os.Symlink(words[2], temporary), os.Rename(temporary, at(1)))
	default:
		t.Fatalf("unknown change %q", words)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (c conversation) check(t *testing.T, server *client, dir string) {
	t.Helper()
	if diff := cmp.Diff(c.lines, c.hold(server, dir)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// rewrite records the conversation with a server.
func (c conversation) rewrite(t *testing.T, server *client, dir string) {
	t.Helper()
	var text bytes.Buffer
	for _, line := range c.hold(server, dir) {
		text.WriteString(line + "\n")
	}
	text.WriteByte('\n')
	data := txtar.Format(&txtar.Archive{Comment: text.Bytes(), Files: c.files})
	if err := os.WriteFile(c.name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestConversations(t *testing.T) {
	for _, c := range readConversations(t, "testdata", 10) {
		t.Run(c.title(), func(t *testing.T) {
			c.skipOnWindows(t)
			c.try(t, mcp.Serve, contractProgram)
		})
	}
}

func TestConversationsOfAgents(t *testing.T) {
	for _, c := range readConversations(t, "testdata/agents", 3) {
		t.Run(c.title(), func(t *testing.T) {
			c.skipOnWindows(t)
			c.try(t, mcp.ServeAgents, agentProgram)
			if *update || c.isOf("--project") { // over HTTP, the tools on a project lack an argument
				return
			}
			t.Run("over HTTP", func(t *testing.T) {
				t.Parallel()
				dir := c.makeFiles(t)
				c.check(t, overWeb(t, config(t, c.flags(dir))), dir)
			})
		})
	}
}

// skipOnWindows skips the test if the conversation is about what other systems have.
func (c conversation) skipOnWindows(t *testing.T) {
	if runtime.GOOS != "windows" {
		return
	}
	text := strings.Join(c.lines, "\n")
	switch {
	case strings.Contains(text, "WORK"):
		t.Skip("paths on Windows have backslashes")
	case strings.Contains(text, "\n$ "):
		t.Skip("Windows moves no cache that is open")
	case c.title() == "cache-names" || c.title() == "list-nested":
		t.Skip("names on Windows ignore case and dots at their ends")
	}
}

// isOf reports whether the server has a flag.
func (c conversation) isOf(flag string) bool { return slices.Contains(c.flags(""), flag) }

func (c conversation) title() string { return strings.TrimSuffix(filepath.Base(c.name), ".txtar") }

// try has the conversation with a server in this process, and with the program.
func (c conversation) try(t *testing.T, serve server, program string) {
	if *update {
		dir := c.makeFiles(t)
		c.rewrite(t, startServer(t, serve, config(t, c.flags(dir))), dir)
		return
	}
	t.Run("in process", func(t *testing.T) {
		t.Parallel()
		dir := c.makeFiles(t)
		c.check(t, startServer(t, serve, config(t, c.flags(dir))), dir)
	})
	t.Run("over a pipe", func(t *testing.T) {
		t.Parallel()
		dir := c.makeFiles(t)
		c.check(t, startProgram(t, program, c.flags(dir)...), dir)
	})
}
