package cli

import (
	"archive/tar"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/contextcompiler/context/internal/acquire/fetch"
)

func TestBusyServersOfArchivesAreAskedAgain(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch requests.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			archive := tar.NewWriter(w)
			_ = errors.Join(archive.WriteHeader(&tar.Header{Name: "a.md", Mode: 0o644}), archive.Close())
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("CONTEXT_STORE", filepath.Join(t.TempDir(), "store"))
	if _, err := newFetcher().Resolve(t.Context(), fetch.Origin{Archive: server.URL + "/a.tar"}); err != nil || requests.Load() != 3 {
		t.Errorf("got %v after %d requests", err, requests.Load())
	}
}
