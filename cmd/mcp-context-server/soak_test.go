//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// soakVariable says how many calls to make:
//
//	CONTEXT_SOAK_CALLS=200000 go test ./cmd/mcp-context-server -run Soak -v -timeout 20m
const soakVariable = "CONTEXT_SOAK_CALLS"

// Over many calls and rebuilds nothing fails and nothing grows.
func TestSoak(t *testing.T) {
	calls, err := strconv.Atoi(os.Getenv(soakVariable))
	if err != nil {
		t.Skipf("%s is not set", soakVariable)
	}
	root := t.TempDir()
	names := []string{"small", "medium", "large"}
	var sources []string
	for i, name := range names {
		sources = append(sources, writeDocuments(t, 5<<(2*i)))
		buildCache(t, sources[i], filepath.Join(root, name))
	}
	s := serve(t, root)
	stop, rebuilds := make(chan struct{}), make(chan int)
	go func() { rebuilds <- rebuild(t, stop, sources, names, root) }()
	began := time.Now()
	for i := range 4 {
		soak(t, s, calls/4, names)
		t.Logf("%d calls: %d KiB resident, %d descriptors, %.0f calls/s", s.calls, memory(t, s)>>10, descriptors(t, s),
			float64(s.calls)/time.Since(began).Seconds())
		if n := descriptors(t, s); n > 50 {
			t.Errorf("after a quarter times %d: got %d descriptors, want at most 50", i+1, n)
		}
		if size := memory(t, s); size > 128<<20 {
			t.Errorf("got %d bytes resident, want at most 128 MiB", size)
		}
	}
	close(stop)
	t.Logf("%d rebuilds", <-rebuilds)
	s.in.Close()
	s.expectEnd()
}

// rebuild rebuilds one cache after another, one a second, until stop.
func rebuild(t *testing.T, stop chan struct{}, sources, names []string, root string) (n int) {
	for {
		select {
		case <-stop:
			return n
		case <-time.After(time.Second):
		}
		buildCache(t, sources[n%len(names)], filepath.Join(root, names[n%len(names)]))
		n++
	}
}

// soak makes calls, a few of them in flight at a time, and checks that none
// fails.
func soak(t *testing.T, s *server, calls int, names []string) {
	t.Helper()
	const inFlight = 8
	for i := range calls + inFlight {
		if i >= inFlight {
			if line := s.receive(); !strings.Contains(line, `"result":`) || strings.Contains(line, `"isError":true`) {
				t.Fatalf("after %d calls: got %.500s", s.calls, line)
			}
		}
		if i >= calls {
			continue
		}
		name := names[i%len(names)]
		switch i % 10 {
		case 0:
			s.sendCall("context.list_caches", `{}`)
		case 1, 2:
			s.sendCall("context.inspect_cache", fmt.Sprintf(`{"cache":%q}`, name))
		default:
			s.sendResolve(name, 1_000*(i%7))
		}
	}
}

// descriptors returns how many files the server has open.
func descriptors(t *testing.T, s *server) int {
	t.Helper()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}
