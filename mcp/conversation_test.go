package mcp_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/contextcompiler/context/mcp"
	"github.com/contextcompiler/context/pipeline"
)

var update = flag.Bool("update", false, "rewrite what the conversations expect; review the diff")

// A conversation is a file of testdata. Before its files it has lines that
// begin with
//
//	#  a comment
//	!  flags of the server: --tool-names underscore or --tool-timeout DURATION
//	>  what the client sends
//	<  what the server must write next, whole; VERSION stands for its version
//
// At its end the client ends its input; the server must then end, and write
// nothing more. The files below sources/NAME are built into the cache NAME
// below the cache root; those below root/ lie there as they are.
type conversation struct {
	name  string
	lines []string
	files []txtar.File
}

func readConversations(t *testing.T) (all []conversation) {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 10 {
		t.Fatalf("got %d conversations (%v), want 10 or more", len(names), err)
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

// flags returns the flags of the server.
func (c conversation) flags() (flags []string) {
	for _, line := range c.lines {
		if rest, ok := strings.CutPrefix(line, "!"); ok {
			flags = append(flags, strings.Fields(rest)...)
		}
	}
	return flags
}

// config returns flags as the configuration that they make.
func config(t *testing.T, root string, flags []string) mcp.Config {
	t.Helper()
	cfg := mcp.Config{CacheRoot: root, Version: "0"}
	for i := 0; i < len(flags); i += 2 {
		switch flags[i] {
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

// makeRoot makes the cache root of the conversation.
func (c conversation) makeRoot(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.files {
		writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	sources, _ := os.ReadDir(filepath.Join(dir, "sources"))
	for _, e := range sources {
		cfg := pipeline.Config{Sources: filepath.Join(dir, "sources", e.Name()), Cache: filepath.Join(root, e.Name())}
		if _, err := pipeline.Build(context.Background(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var serverVersion = regexp.MustCompile(`("name":"mcp-context-server","title":"Context","version":)"[^"]*"`)

// hold has the conversation with a server and returns its lines with what the
// server wrote.
func (c conversation) hold(server *client) (got []string) {
	for _, line := range c.lines {
		switch {
		case strings.HasPrefix(line, "> "):
			server.send(line[2:])
		case strings.HasPrefix(line, "<"):
			line = "< " + serverVersion.ReplaceAllString(server.receive(), `$1"VERSION"`)
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

func (c conversation) check(t *testing.T, server *client) {
	t.Helper()
	if diff := cmp.Diff(c.lines, c.hold(server)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// rewrite writes the conversation down as it is had with a server.
func (c conversation) rewrite(t *testing.T, server *client) {
	t.Helper()
	var text bytes.Buffer
	for _, line := range c.hold(server) {
		text.WriteString(line + "\n")
	}
	text.WriteByte('\n')
	data := txtar.Format(&txtar.Archive{Comment: text.Bytes(), Files: c.files})
	if err := os.WriteFile(c.name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestConversations(t *testing.T) {
	for _, c := range readConversations(t) {
		t.Run(strings.TrimSuffix(filepath.Base(c.name), ".txtar"), func(t *testing.T) {
			root := c.makeRoot(t)
			if *update {
				c.rewrite(t, start(t, config(t, root, c.flags())))
				return
			}
			t.Run("in process", func(t *testing.T) {
				t.Parallel()
				c.check(t, start(t, config(t, root, c.flags())))
			})
			t.Run("over a pipe", func(t *testing.T) {
				t.Parallel()
				c.check(t, startProcess(t, append(c.flags(), "--cache-root", root)...))
			})
		})
	}
}
