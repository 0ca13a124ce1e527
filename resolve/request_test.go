package resolve_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

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

// By selection 0, the terms of an explanation are all the matches of the item.
func TestEvidenceCountsEveryMatch(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		docs, path := filepath.Join(work, fmt.Sprint(runs), "docs"), filepath.Join(work, fmt.Sprint(runs), "cache")
		sources := modeltest.DrawSources(rt)
		modeltest.WriteTree(t, docs, sources)
		if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: docs, Cache: path}); err != nil {
			rt.Fatal(err)
		}
		c, err := resolve.Open(path)
		if err != nil {
			rt.Fatal(err)
		}
		defer c.Close()
		query := parseQueries(rt, []string{modeltest.DrawText(4).Draw(rt, "query")})[0]
		request := resolve.Request{Query: query, Selection: selection.Spec0}
		explained, err := c.Explain(context.Background(), request, len(sources))
		if err != nil {
			rt.Fatal(err)
		}
		for _, item := range explained.Items {
			doc, err := c.Read(item.ID)
			if err != nil {
				rt.Fatal(err)
			}
			got := 0
			for _, evidence := range item.Evidence {
				got += evidence.Body
			}
			if want := query.Match(doc.Content).TermMatches; got != want {
				rt.Errorf("%q in %q: got %d, want %d", query.Text(), doc.Content, got, want)
			}
		}
	})
}
