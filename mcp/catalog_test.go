package mcp

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/pipeline"
)

// clientOf returns a client of the server for agents.
func clientOf(t *testing.T, cfg Settings) *sdk.ClientSession {
	t.Helper()
	cfg.Log = slog.New(slog.DiscardHandler)
	spec := agentSpec(cfg, false)
	t.Cleanup(spec.end)
	ours, theirs := sdk.NewInMemoryTransports()
	if _, err := newServer(cfg, spec).Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// listed returns the names of caches in the schemas of tools, which must be the same for all tools
// with such names, and the bytes of the list of tools.
func listed(t *testing.T, session *sdk.ClientSession) (names []string, size int) {
	t.Helper()
	answer, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	takers := 0
	for _, tool := range answer.Tools {
		text, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		var of struct {
			InputSchema struct {
				Properties struct {
					Caches *struct{ Items struct{ Enum []string } }
				}
			}
		}
		if err := json.Unmarshal(text, &of); err != nil {
			t.Fatal(err)
		}
		if tool.Name == diffTool {
			continue // see TestTheToolThatComparesNeedsTwoCaches
		}
		size += len(text)
		caches := of.InputSchema.Properties.Caches
		switch {
		case caches == nil:
			continue
		case takers > 0 && !slices.Equal(caches.Items.Enum, names):
			t.Errorf("%s has the names %q, another tool %q", tool.Name, caches.Items.Enum, names)
		}
		takers++
		names = caches.Items.Enum
	}
	const want = 5 // search, read, outline, grep and resolve
	if takers != want {
		t.Errorf("%d tools take names of caches, want %d", takers, want)
	}
	return names, size
}

// The list of tools includes the current names of caches, if these are short enough together.
func TestToolsListTheNamesOfFewCaches(t *testing.T) {
	dir := t.TempDir()
	session := clientOf(t, Settings{CacheRoot: dir})
	names, without := listed(t, session)
	if names != nil {
		t.Errorf("got %q without caches", names)
	}
	build(t, filepath.Join(dir, "docs"), "one")
	if names, size := listed(t, session); !slices.Equal(names, []string{"docs"}) || size >= without {
		t.Errorf("got %q in %d bytes, want docs in less than %d", names, size, without)
	}
	longest := strings.Repeat("n", maxEnum-len(`["","docs"]`))
	build(t, filepath.Join(dir, longest), "one")
	if names, size := listed(t, session); !slices.Equal(names, []string{"docs", longest}) || size > without+250 {
		t.Errorf("got %q in %d bytes, want docs and %s in at most %d", names, size, longest, without+250)
	}
	build(t, filepath.Join(dir, "e"), "one")
	if names, size := listed(t, session); names != nil || size != without {
		t.Errorf("got %q in %d bytes, want no names in %d", names, size, without)
	}
}

// A diff needs two caches. They may come later, so a call is possible in any case.
func TestTheToolThatComparesNeedsTwoCaches(t *testing.T) {
	dir := t.TempDir()
	session := clientOf(t, Settings{CacheRoot: dir})
	for n, name := range []string{"", "one", "two"} {
		if name != "" {
			build(t, filepath.Join(dir, name), name)
		}
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		isListed := slices.ContainsFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == diffTool })
		if isListed != (n == 2) {
			t.Errorf("with %d caches: got listed %t", n, isListed)
		}
	}
}

// The instructions keep to their size for any number of caches and any descriptions.
func TestInstructionsDescribeTheCaches(t *testing.T) {
	dir := t.TempDir()
	cfg := Settings{CacheRoot: dir}
	for _, name := range []string{"docs", "api"} {
		sources := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(sources, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(sources, "a.md"), []byte("one"), 0o666); err != nil {
			t.Fatal(err)
		}
		about := document.About{Description: "The " + name + " of <us>"}
		if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: sources}}, Cache: filepath.Join(dir, name), About: about}); err != nil {
			t.Fatal(err)
		}
	}
	got := clientOf(t, cfg).InitializeResult().Instructions
	if want := "\n\nThe caches, as their authors describe them:\n- api: The api of <us>\n- docs: The docs of <us>"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q at the end", got, want)
	}
	for i := range 300 {
		cfg.Caches = append(cfg.Caches, NamedCache{Name: fmt.Sprintf("cache-%03d", i), Path: filepath.Join(dir, "docs")})
	}
	cfg.CacheRoot, cfg.ProjectRoot = "", dir
	got = clientOf(t, cfg).InitializeResult().Instructions
	if !strings.Contains(got, "\n- cache-000\n- cache-001\n") || !strings.HasSuffix(got, " more, which context_caches lists") || len(got) > maxInstructions {
		t.Errorf("got %d bytes: %q", len(got), got)
	}
}
