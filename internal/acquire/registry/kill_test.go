package registry

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/child"
	"github.com/contextcompiler/context/internal/caches/verify"
)

// childVariable makes this program pull a cache instead of testing. It contains the
// reference, the directory of the store and the target, separated by spaces.
const childVariable = "CONTEXT_TEST_PULL"

func TestPullInAChild(t *testing.T) {
	fields := strings.Fields(os.Getenv(childVariable))
	if len(fields) == 0 {
		t.Skip("only for TestAKilledPullLeavesTheOldCache")
	}
	r, err := ParseRef(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	client := &Client{Store: store.Store{Dir: fields[1]}, Network: &Network{HTTP: http.DefaultClient}}
	if _, err := client.Pull(t.Context(), r, fields[2], true); err != nil {
		t.Fatal(err)
	}
}

// A pull that dies at any request leaves the old cache, and nothing in the store that the
// next pull takes for a cache.
func TestAKilledPullLeavesTheOldCache(t *testing.T) {
	t.Parallel()
	const requests = 5 // the tag, the manifest, the config and two layers
	for point := range requests {
		f := forge(t, strings.Repeat("# New\n\nThe harbour is large. ", 1000))
		reached := stopAt(f, point)
		ref, dir := f.start(t), t.TempDir()
		target, s := filepath.Join(dir, "cache"), store.Store{Dir: filepath.Join(dir, "store")}
		if _, err := clientOf(t).Pull(t.Context(), forge(t, "# Old\n").start(t), target, false); err != nil {
			t.Fatal(err)
		}
		before := versionAt(t, target)

		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPullInAChild$")
		cmd.Env = append(os.Environ(), childVariable+"="+strings.Join([]string{ref.String(), s.Dir, target}, " "))
		child.Watch(t, cmd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-reached
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()

		if after := versionAt(t, target); after != before {
			t.Errorf("request %d: got the cache %s, want %s as before", point, after, before)
		}
		if stored, err := s.List(t.Context()); err != nil || len(stored) > 0 {
			t.Errorf("request %d: the store contains %v (%v)", point, stored, err)
		}
		client := &Client{Store: s, Network: &Network{HTTP: http.DefaultClient}}
		if _, err := client.Pull(t.Context(), ref, target, true); err != nil {
			t.Errorf("request %d: the next pull: %v", point, err)
		}
		if after := versionAt(t, target); after == before {
			t.Errorf("request %d: the next pull brought nothing", point)
		}
	}
}

// stopAt makes a server stop in the middle of its answer to the request with a number,
// once. Then it closes reached.
func stopAt(f *forgery, point int) (reached chan struct{}) {
	reached = make(chan struct{})
	var mu sync.Mutex
	seen := map[string]bool{}
	isOver := false
	f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
		mu.Lock()
		seen[r.Method+r.URL.Path] = true
		stops := len(seen) == point+1 && !isOver
		isOver = isOver || stops
		mu.Unlock()
		if !stops {
			return false
		}
		if r.Method == http.MethodGet {
			w.Write(data[:len(data)/2])
			w.(http.Flusher).Flush()
		}
		close(reached)
		<-r.Context().Done()
		return true
	}
	return reached
}

// versionAt verifies the cache at a path and returns its version.
func versionAt(t *testing.T, path string) string {
	t.Helper()
	found, err := verify.Path(t.Context(), path, 0)
	if err != nil || !found.IsValid() {
		t.Fatalf("%s: %v, %v", path, err, found.Err())
	}
	return found.Version.String()
}
