package registry_test

import (
	"bytes"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	ggcr "github.com/google/go-containerregistry/pkg/registry"

	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/pipeline"
)

// pages are the sources of the caches that tests push.
var pages = map[string]string{
	"README.md":        "# Harbour\n\nShips moor here.\n",
	"guide/install.md": "---\ntitle: Install\ntags: [a, b]\n---\n# Install\n\nRun `harbour up`.\n\n## Linux\n\nUse the package.\n",
	"guide/copy.md":    "# Harbour\n\nShips moor here.\n",
	"broken.md":        "---\ntitle: [\n---\n# Front matter that cannot be read\n",
}

// buildCache builds a cache of pages and returns its directory.
func buildCache(t testing.TB, files map[string]string) string {
	t.Helper()
	sources := t.TempDir()
	for name, text := range files {
		path := filepath.Join(sources, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "cache")
	_, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: sources}}, Cache: dir})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// readTree returns the files below a directory by their slash paths.
func readTree(t testing.TB, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		tree[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// serveRegistry starts a registry on loopback and returns its host and port. wrap may be nil.
func serveRegistry(t testing.TB, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	handler := ggcr.New(ggcr.Logger(log.New(new(bytes.Buffer), "", 0)))
	if wrap != nil {
		handler = wrap(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func newClient(t testing.TB) *registry.Client {
	t.Helper()
	return &registry.Client{
		Store:   store.Store{Dir: filepath.Join(t.TempDir(), "store")},
		Network: &registry.Network{HTTP: http.DefaultClient},
	}
}

func parse(t testing.TB, text string) registry.ArtifactRef {
	t.Helper()
	r, err := registry.ParseRef(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// places returns a reference to each kind of place.
func places(t testing.TB) []string {
	return []string{
		"oci://" + serveRegistry(t, nil) + "/team/docs:v1",
		"oci-layout:" + filepath.Join(t.TempDir(), "layout") + ":v1",
	}
}

func TestAPulledCacheEqualsThePushedCache(t *testing.T) {
	dir := buildCache(t, pages)
	expected := readTree(t, dir)
	var digests []string
	for _, ref := range places(t) {
		for _, plain := range []bool{false, true} {
			r := parse(t, ref)
			a, err := newClient(t).Push(t.Context(), dir, r, registry.PushOptions{Plain: plain})
			if err != nil {
				t.Fatal(err)
			}
			digests = append(digests, a.Digest().String())
			pulled := filepath.Join(t.TempDir(), "pulled")
			stored, err := newClient(t).Pull(t.Context(), r, pulled, false)
			if err != nil {
				t.Fatalf("%s, plain=%t: %v", r, plain, err)
			}
			if diff := cmp.Diff(expected, readTree(t, pulled)); diff != "" {
				t.Errorf("%s, plain=%t: the pulled cache differs:\n%s", r, plain, diff)
			}
			if stored.Digest() != a.Digest() {
				t.Errorf("pulled %s, pushed %s", stored.Digest(), a.Digest())
			}
		}
	}
	if digests[0] != digests[2] || digests[1] != digests[3] {
		t.Errorf("a registry and a layout got different digests: %s", digests)
	}
}

// These digests only change with the artifact, with the format of caches, or with the
// compressor. A cache that differs from its earlier form because of the indexer or of
// metadata changes them as well.
func TestTheDigestIsGolden(t *testing.T) {
	const frozen = "../../../testdata/caches/v1"
	for _, test := range []struct {
		plain  bool
		digest string
	}{
		{false, "sha256:cc2871e71e1de91052cfb827505801cbd57757e9dd9156c61f1485f613740c3c"},
		{true, "sha256:f61a29578364639138b7e71f6c79db9fe66a477b3976931f9fe18187bd55ee31"},
	} {
		r := parse(t, "oci-layout:"+filepath.Join(t.TempDir(), "layout")+":v1")
		a, err := newClient(t).Push(t.Context(), frozen, r, registry.PushOptions{Plain: test.plain})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Digest().String(); got != test.digest {
			t.Errorf("plain=%t: got %s, want %s", test.plain, got, test.digest)
		}
	}
}
