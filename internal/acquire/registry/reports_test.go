package registry_test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	ggcr "github.com/google/go-containerregistry/pkg/registry"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/acquire/store"
)

// Reports stay with their cache, whether a registry lists referrers or only keeps their tag, and in
// a layout.
func TestReportsAreAttachedToACache(t *testing.T) {
	dir := buildCache(t, pages)
	other := buildCache(t, map[string]string{"a.md": "# Other\n"})
	listing := httptest.NewServer(ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)), ggcr.WithReferrersSupport(true)))
	t.Cleanup(listing.Close)
	for name, place := range map[string]string{
		"referrers": "oci://" + strings.TrimPrefix(listing.URL, "http://") + "/docs:v1",
		"tags":      "oci://" + serveRegistry(t, nil) + "/docs:v1",
		"layout":    "oci-layout:" + filepath.Join(t.TempDir(), "layout") + ":v1",
	} {
		t.Run(name, func(t *testing.T) {
			c := &registry.Client{Store: store.Store{Dir: t.TempDir()}, Network: &registry.Network{HTTP: http.DefaultClient}}
			ref, err := registry.ParseRef(place)
			if err != nil {
				t.Fatal(err)
			}
			first, err := c.Push(t.Context(), dir, ref, registry.PushOptions{})
			if err != nil {
				t.Fatal(err)
			}
			attach := func(r registry.ArtifactRef, report string) string {
				t.Helper()
				d, err := c.Attach(t.Context(), r, []byte(report))
				if err != nil {
					t.Fatal(err)
				}
				return d.String()
			}
			if a, b := attach(ref, `{"a":1}`), attach(ref, `{"a":1}`); a != b {
				t.Errorf("the same report makes %s and %s", a, b)
			}
			attach(ref.At(first.Digest()), `{"b":2}`)

			// The tag moves, and the reports stay with the digest.
			if _, err := c.Push(t.Context(), other, ref, registry.PushOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, at := range []struct {
				ref      registry.ArtifactRef
				expected [][]byte
			}{{ref, nil}, {ref.At(first.Digest()), [][]byte{[]byte(`{"a":1}`), []byte(`{"b":2}`)}}} {
				got, err := c.Reports(t.Context(), at.ref)
				if diff := cmp.Diff(at.expected, got); err != nil || diff != "" {
					t.Errorf("%s: got the error %v and other reports:\n%s", at.ref, err, diff)
				}
			}
			if _, err := c.Fetch(t.Context(), ref.At(first.Digest())); err != nil {
				t.Error(err)
			}
		})
	}
}

// A registry that lies about a report is caught.
func TestALyingReportIsCaught(t *testing.T) {
	lie := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorded := httptest.NewRecorder()
			next.ServeHTTP(recorded, r)
			body := recorded.Body.Bytes()
			if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
				body = bytes.ReplaceAll(body, []byte(`{"ndcg":1}`), []byte(`{"ndcg":9}`))
			}
			for key, values := range recorded.Header() {
				w.Header()[key] = values
			}
			w.WriteHeader(recorded.Code)
			w.Write(body)
		})
	}
	c := &registry.Client{Store: store.Store{Dir: t.TempDir()}, Network: &registry.Network{HTTP: http.DefaultClient}}
	ref, err := registry.ParseRef("oci://" + serveRegistry(t, lie) + "/docs:v1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Push(t.Context(), buildCache(t, pages), ref, registry.PushOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Attach(t.Context(), ref, []byte(`{"ndcg":1}`)); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Reports(t.Context(), ref); fault.CodeOf(err) != fault.CacheInvalid {
		t.Errorf("expected %v, got %q and %v", fault.CacheInvalid, got, err)
	}
}
