package resolve_test

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/contextcompiler/context/internal/modeltest"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

func TestUnknownSelectionsAreRefused(t *testing.T) {
	dir := t.TempDir()
	modeltest.WriteTree(t, filepath.Join(dir, "docs"), map[string]string{"a.md": "one"})
	cfg := pipeline.Config{Sources: filepath.Join(dir, "docs"), Cache: filepath.Join(dir, "cache"), Selection: "2"}
	if _, err := pipeline.Build(t.Context(), cfg); err == nil {
		t.Error("a cache is built for selection 2")
	}
	cfg.Selection = selection.Spec1
	if _, err := pipeline.Build(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	c, err := resolve.Open(cfg.Cache)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Resolve(t.Context(), resolve.Request{Selection: "2"}, io.Discard); err == nil {
		t.Error("selection 2 has an answer")
	}
}
