package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/effort"
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
	first, err := client.Fetch(t.Context(), ref)
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

	// After any error, the server keeps its caches.
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

// A waitingTransport answers nothing until a channel closes.
type waitingTransport struct{ until chan struct{} }

func (w waitingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-w.until:
	case <-r.Context().Done():
	}
	return nil, os.ErrDeadlineExceeded
}

// A closingWriter closes a channel when a line contains a text.
type closingWriter struct {
	text string
	done chan struct{}
	once sync.Once
}

func (w *closingWriter) Write(line []byte) (int, error) {
	if strings.Contains(string(line), w.text) {
		w.once.Do(func() { close(w.done) })
	}
	return len(line), nil
}

func TestASlowRegistryDoesNotHoldUpOtherTags(t *testing.T) {
	refreshed := make(chan struct{})
	s := store.Store{Dir: t.TempDir(), Uses: new(store.Uses)}
	defer s.Uses.Close()
	client := &registry.Client{Store: s, Now: time.Now(), Network: &registry.Network{HTTP: &http.Client{Transport: waitingTransport{refreshed}}}}
	fast, err1 := registry.ParseRef("oci-layout:" + filepath.Join(t.TempDir(), "layout") + ":v1")
	slow, err2 := registry.ParseRef("oci://registry.invalid/docs:v1")
	if err := cmp.Or(err1, err2); err != nil {
		t.Fatal(err)
	}
	pushTo(t, client, fast, "# One\n")
	first, err := client.Fetch(t.Context(), fast)
	if err != nil {
		t.Fatal(err)
	}
	pushTo(t, client, fast, "# Two\n")
	f := follower{every: time.Millisecond, client: client}
	f.follow(mcp.NamedCache{Name: "slow", Path: first.Dir}, slow)
	current := f.follow(mcp.NamedCache{Name: "fast", Path: first.Dir}, fast)
	log := slog.New(slog.NewTextHandler(&closingWriter{text: "serving a new cache", done: refreshed}, nil))
	err = f.during(t.Context(), log, func(context.Context) error {
		select {
		case <-refreshed:
			return nil
		case <-time.After(effort.Patience(t)):
			return errors.New("the other tag has not been refreshed")
		}
	})
	if err != nil || current() == first.Dir {
		t.Errorf("got %v and %s", err, current())
	}
	// The slow tag still needs the old cache, while the new one is in use, too.
	done, err := store.Store{Dir: s.Dir}.Collect(t.Context(), time.Now().Add(time.Hour))
	if err != nil || len(done.Removed) != 0 {
		t.Errorf("got %v, %v", done, err)
	}
	f.move(f.tags[0], current())
	done, err = store.Store{Dir: s.Dir}.Collect(t.Context(), time.Now().Add(time.Hour))
	if err != nil || len(done.Removed) != 1 || s.Path(done.Removed[0].Key) != filepath.Dir(first.Dir) {
		t.Errorf("got %v, %v, want only %s removed", done, err, first.Dir)
	}
}
