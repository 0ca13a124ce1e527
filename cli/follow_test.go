package cli

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/registry"
	"github.com/contextcompiler/context/internal/store"
	"github.com/contextcompiler/context/mcp"
	"github.com/contextcompiler/context/pipeline"
)

// pushTo builds a cache of one page, pushes it to a layout, and returns its directory.
func pushTo(t *testing.T, client *registry.Client, ref registry.ArtifactRef, page string) (cache string) {
	t.Helper()
	docs := t.TempDir()
	cache = filepath.Join(t.TempDir(), "cache")
	if err := os.WriteFile(filepath.Join(docs, "page.md"), []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: cache}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Push(t.Context(), cache, ref, registry.PushOptions{}); err != nil {
		t.Fatal(err)
	}
	return cache
}

func TestAFollowerServesMovedTags(t *testing.T) {
	client := &registry.Client{Store: store.Store{Dir: t.TempDir()}, Now: time.Now()}
	layout := filepath.Join(t.TempDir(), "layout")
	ref, err := registry.ParseRef("oci-layout:" + layout + ":v1")
	if err != nil {
		t.Fatal(err)
	}
	pushTo(t, client, ref, "# One\n")
	first, err := client.Fetch(t.Context(), ref, false)
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	f := follower{every: time.Hour, client: client}
	current := f.follow(mcp.NamedCache{Name: "docs", Path: first.Dir}, ref)

	f.refresh(t.Context(), log, f.tags[0])
	if current() != first.Dir || logged.Len() > 0 {
		t.Errorf("expected %s as before, got %s and the log %s", first.Dir, current(), &logged)
	}
	pushTo(t, client, ref, "# Two\n")
	f.refresh(t.Context(), log, f.tags[0])
	second := current()
	if second == first.Dir || !strings.Contains(logged.String(), "serving a new cache") {
		t.Errorf("expected another cache, got %s and the log %s", second, &logged)
	}
	if _, err := os.Stat(filepath.Join(second, "manifest.json")); err != nil {
		t.Error(err)
	}

	// Whatever is wrong, the server keeps what it has.
	if err := os.RemoveAll(layout); err != nil {
		t.Fatal(err)
	}
	logged.Reset()
	f.refresh(t.Context(), log, f.tags[0])
	if current() != second || !strings.Contains(logged.String(), "level=WARN") {
		t.Errorf("expected %s and a warning, got %s and the log %s", second, current(), &logged)
	}
}

// The server and the follower end together, and the error is that of the server.
func TestAFollowerEndsWithTheServer(t *testing.T) {
	for _, failure := range []error{nil, os.ErrClosed} {
		f := follower{every: time.Hour}
		f.follow(mcp.NamedCache{Name: "docs", Path: "x"}, registry.ArtifactRef{Layout: "none", Tag: "v1"})
		got := f.during(t.Context(), slog.New(slog.DiscardHandler), func(context.Context) error { return failure })
		if got != failure {
			t.Errorf("expected %v, got %v", failure, got)
		}
	}
}
