package registry

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
)

// A broken connection is continued where it broke, with a server that supports it and
// with any other.
func TestABrokenConnectionIsContinued(t *testing.T) {
	for _, ranges := range []bool{true, false} {
		f := forge(t, strings.Repeat("# One\n\nThe harbour is large. ", 1000)+fmt.Sprint(ranges))
		requests := map[string]int{}
		f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
			if !isLayer(r, data) {
				return false
			}
			requests[r.URL.Path]++
			from := 0
			if ranges {
				w.Header().Set("Accept-Ranges", "bytes")
				if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil {
					w.Header().Set("Content-Length", strconv.Itoa(len(data)-from))
					w.WriteHeader(http.StatusPartialContent)
				}
			}
			if from == 0 {
				w.Header().Set("Content-Length", strconv.Itoa(len(data)))
			}
			if requests[r.URL.Path] < 3 {
				w.Write(data[from : from+(len(data)-from)/2])
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			w.Write(data[from:])
			return true
		}
		target := filepath.Join(t.TempDir(), "cache")
		if _, err := clientOf(t).Pull(t.Context(), f.start(t), target, false); err != nil {
			t.Fatalf("ranges=%t: %v", ranges, err)
		}
	}
}

// A connection that keeps breaking is an error of the network, not of the artifact.
func TestAConnectionThatKeepsBreakingFails(t *testing.T) {
	f := forge(t, "# One\n")
	f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
		if isLayer(r, data) {
			w.Header().Set("Content-Length", strconv.Itoa(len(data)))
			w.Write(data[:1])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		return false
	}
	_, err := clientOf(t).Pull(t.Context(), f.start(t), filepath.Join(t.TempDir(), "cache"), false)
	if fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), "connection broke") {
		t.Error(err)
	}
}

func TestAPullEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := forge(t, "# One\n")
	f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
		if isLayer(r, data) {
			w.(http.Flusher).Flush()
			cancel()
			<-r.Context().Done()
		}
		return isLayer(r, data)
	}
	client := clientOf(t)
	if _, err := client.Pull(ctx, f.start(t), filepath.Join(t.TempDir(), "cache"), false); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if stored, err := client.Store.List(t.Context()); err != nil || len(stored) > 0 {
		t.Errorf("the store contains %v (%v)", stored, err)
	}
}
