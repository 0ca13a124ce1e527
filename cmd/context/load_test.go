//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// loadVariable says how many calls to make:
//
//	CONTEXT_LOAD_CALLS=50000 go test ./cmd/context -run Load -v -timeout 30m
const loadVariable = "CONTEXT_LOAD_CALLS"

// The load on a server: clients ask all the time, and builds replace the caches.
const (
	loadClients = 64
	loadPages   = 300
)

// loadCalls are the calls that clients make in turn, with a part of each right answer.
var loadCalls = []struct{ tool, arguments, want string }{
	{"context_caches", `{}`, "- docs: 300 pages"},
	{"context_search", `{"query":"how to install part 17"}`, "17.md Page 17"},
	{"context_read", `{"ids":["17.md"]}`, "How to install part 17."},
	{"context_resolve", `{"query":"how to install part 117"}`, "How to install part 117."},
	{"context_outline", `{"budget":500}`, "300 pages"},
}

// Under load nothing fails and nothing grows, while the caches are built again and again
// and clients vanish.
func TestLoad(t *testing.T) {
	wanted := os.Getenv(loadVariable)
	if wanted == "" {
		t.Skipf("the load takes minutes: set %s to a number of calls", loadVariable)
	}
	calls, err := strconv.Atoi(wanted)
	if err != nil {
		t.Fatalf("%s: %v", loadVariable, err)
	}
	dir := t.TempDir()
	for i := range loadPages {
		writeFile(t, filepath.Join(dir, "docs", fmt.Sprintf("%d.md", i)), fmt.Sprintf("# Page %d\n\nHow to install part %d.\n\n## Setup\n\n%s\n", i, i, strings.Repeat("Text. ", 200)))
	}
	mustRun(t, dir, "context build --sources docs --cache cache")
	server := startServer(t, dir, exec.Command("context", "serve", "--cache", "docs=cache", "--http", ":0", "--log-level", "error"))
	stop, builds := make(chan struct{}), make(chan int)
	go func() { builds <- rebuildEverySecond(t, dir, stop) }()
	began := time.Now()
	for part := range 4 {
		took := load(t, server.url, calls/4)
		slices.Sort(took)
		resident, open := residentOf(t, server), descriptorsOf(t, server)
		t.Logf("%d calls: p50 %v, p99 %v, most %v; %.0f calls/s; %d KiB resident, %d descriptors", (part+1)*len(took),
			took[len(took)/2], took[len(took)*99/100], took[len(took)-1], float64((part+1)*len(took))/time.Since(began).Seconds(), resident>>10, open)
		if resident > 256<<20 || open > 2*loadClients+50 {
			t.Errorf("got %d bytes resident and %d descriptors", resident, open)
		}
	}
	close(stop)
	t.Logf("%d builds", <-builds)
	server.end(t, syscall.SIGTERM)
}

// load makes calls with all clients and returns how long each took. A few clients
// vanish before their answer.
func load(t *testing.T, url string, calls int) (took []time.Duration) {
	took = make([]time.Duration, calls)
	var next atomic.Int64
	var clients sync.WaitGroup
	for range loadClients {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := next.Add(1) - 1; i < int64(calls); i = next.Add(1) - 1 {
				if i%97 == 0 {
					vanish(url)
				}
				began := time.Now()
				call := loadCalls[i%int64(len(loadCalls))]
				if err := callOnce(client, url, call.tool, call.arguments, call.want); err != nil {
					t.Error(err)
					return
				}
				took[i] = time.Since(began)
			}
		})
	}
	clients.Wait()
	return took
}

// callOnce makes a call and fails unless the answer is right.
func callOnce(client *http.Client, url, tool, arguments, want string) error {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
	response, err := client.Do(newCall(url, body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || !strings.Contains(string(text), want) || strings.Contains(string(text), `"isError":true`)) {
		err = fmt.Errorf("%s: got %s and %.500s", tool, response.Status, text)
	}
	return err
}

// vanish begins a call and closes the connection at once.
func vanish(url string) {
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	newCall(url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context_caches","arguments":{}}}`).Write(conn)
	conn.Close()
}

// rebuildEverySecond changes a page and builds the cache again until stop. It returns how
// often it did.
func rebuildEverySecond(t *testing.T, dir string, stop chan struct{}) (n int) {
	for {
		select {
		case <-stop:
			return n
		case <-time.After(time.Second):
		}
		n++
		name := filepath.Join(dir, "docs/0.md")
		if err := os.WriteFile(name, fmt.Appendf(nil, "# Page 0\n\nHow to install part 0, edition %d.\n", n), 0o666); err != nil {
			t.Error(err)
			return n
		}
		build := exec.Command("context", "build", "--sources", "docs", "--cache", "cache", "--force")
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			t.Errorf("build: %v: %s", err, out)
			return n
		}
	}
}

var residentLine = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`)

// residentOf returns the bytes of memory of a server.
func residentOf(t *testing.T, s *webServer) int {
	t.Helper()
	found := residentLine.FindSubmatch(readFile(t, fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid)))
	if found == nil {
		t.Fatal("the system does not tell")
	}
	kibibytes, _ := strconv.Atoi(string(found[1]))
	return kibibytes << 10
}

// descriptorsOf returns how many files a server has open.
func descriptorsOf(t *testing.T, s *webServer) int {
	t.Helper()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}
