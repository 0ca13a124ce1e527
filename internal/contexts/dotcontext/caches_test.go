package dotcontext

import (
	"path/filepath"
	"testing"

	"github.com/contextcompiler/context/fault"
)

func TestCachesInAProjectAreLeftAlone(t *testing.T) {
	const manifest = `{"cache_version": "sha256:00", "documents": []}`
	root := writeTree(t, map[string]string{
		".context.config.yaml":                    "min_tokens: 0\n",
		"a/a.go":                                  "package a\n",
		"caches/docs/manifest.json":               manifest,
		"caches/docs/index.json":                  "{}",
		"caches/docs/documents/0123456789ab.json": "{}",
		"extension/manifest.json":                 `{"manifest_version": 3}`, // a browser's
		"extension/documents/a.js":                "x",
		"manifests/manifest.json":                 manifest, // without documents
	})
	p := open(t, root)
	options := WriteOptions{LastUpdated: "2026-01-01T00:00:00Z"}
	changes, err := p.Init(t.Context(), options)
	expect(t, "init", actions(t, changes, err), ". created", "a created", "extension created", "extension/documents created", "manifests created")
	overview, err := p.Overview(t.Context())
	if err != nil || len(overview.Statuses) != 5 {
		t.Errorf("got %+v, %v, want the states of five directories", overview, err)
	}
	for _, scope := range []string{"caches/docs", "caches/docs/documents"} {
		options.Scopes = []string{scope}
		if _, err := p.Init(t.Context(), options); err == nil || fault.CodeOf(err) != fault.IO {
			t.Errorf("init %s: got %v, want an I/O error", scope, err)
		}
		if _, err := p.Rehash(t.Context(), options); err == nil || fault.CodeOf(err) != fault.IO {
			t.Errorf("rehash %s: got %v, want an I/O error", scope, err)
		}
	}
	cache := open(t, filepath.Join(root, "caches/docs"))
	if _, err := cache.Init(t.Context(), WriteOptions{}); err == nil || fault.CodeOf(err) != fault.IO {
		t.Errorf("a cache as the project: got %v, want an I/O error", err)
	}
	if found, _ := filepath.Glob(filepath.Join(root, "caches/docs/.context.yaml")); found != nil {
		t.Errorf("%s is in a cache", found)
	}
}
