package answers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

func TestUnknownSelectionsAreRefused(t *testing.T) {
	dir := t.TempDir()
	trees.WriteTree(t, filepath.Join(dir, "docs"), map[string]string{"a.md": "one"})
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "cache"), Selection: "2"}
	if _, err := pipeline.Build(t.Context(), cfg); err == nil {
		t.Error("a cache is built for selection 2")
	}
	cfg.Selection = selection.Spec1
	if _, err := pipeline.Build(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	c, err := answers.Open(cfg.Cache)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cfg.Selection = "2"
	if _, err := pipeline.Check(t.Context(), cfg); err == nil {
		t.Error("a cache is compared with one for selection 2")
	}
	if err := c.Resolve(t.Context(), selection.Request{Selection: "2"}, io.Discard); err == nil {
		t.Error("selection 2 has an answer")
	}
}

func TestACacheIsAboutTheSameWithAndWithoutItsIndex(t *testing.T) {
	dir := t.TempDir()
	trees.WriteTree(t, filepath.Join(dir, "docs"), map[string]string{"a.md": "one"})
	about := document.About{Description: "Docs", BaseURL: "https://example.com/{path}", Product: document.Product{Name: "next", Version: "16.4"}}
	for _, want := range []document.About{about, {}} {
		path := filepath.Join(dir, "cache")
		cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: path, About: want, Force: true}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, trees.CopyWithoutIndex(t, path)} {
			c, err := answers.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.About(); got != want {
				t.Errorf("%s: got %+v, want %+v", path, got, want)
			}
			c.Close() // because Windows doesn't replace open caches
		}
	}
	for _, wrong := range []document.About{{Description: "a\nb"}, {BaseURL: "docs"}, {BaseURL: "https://example.com"}, {Product: document.Product{Version: "1"}}, {Product: document.Product{Name: "a b"}}} {
		cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "wrong"), About: wrong}
		if _, err := pipeline.Build(t.Context(), cfg); err == nil {
			t.Errorf("%+v: got no error of build", wrong)
		}
		cfg.Cache = filepath.Join(dir, "cache")
		if _, err := pipeline.Check(t.Context(), cfg); err == nil {
			t.Errorf("%+v: got no error of check", wrong)
		}
	}
}

// A countdown is a context that ends after a number of checks.
type countdown struct {
	context.Context
	left *atomic.Int64
}

func newCountdown(n int64) countdown {
	c := countdown{context.Background(), new(atomic.Int64)}
	c.left.Store(n)
	return c
}

func (c countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// checksOf returns how often an answer of a warm cache checks its context.
func checksOf(t *testing.T, path string, request selection.Request) int64 {
	t.Helper()
	c, err := answers.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		if err := c.Resolve(t.Context(), request, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	ctx := newCountdown(math.MaxInt64)
	if err := c.Resolve(ctx, request, io.Discard); err != nil {
		t.Fatal(err)
	}
	checks := math.MaxInt64 - ctx.left.Load()
	for n := range checks {
		if err := c.Resolve(newCountdown(n), request, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d of %d checks: got %v, want the end of the context", n, checks, err)
		}
	}
	return checks
}

// Filters look at every page, large budgets at every section, and queries can contain
// many terms. Each of these loops must end with the context.
func TestLongLoopsEndWithTheContext(t *testing.T) {
	const pages = 30
	dir := t.TempDir()
	sources := map[string]string{}
	for i := range pages {
		sources[fmt.Sprintf("%d.md", i)] = fmt.Sprintf("# Page %d\n\ninstall number%d\n", i, i)
	}
	trees.WriteTree(t, filepath.Join(dir, "docs"), sources)
	for number := range 2 {
		path := filepath.Join(dir, fmt.Sprint(number))
		if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: path, Selection: selection.SpecOf(number)}); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, trees.CopyWithoutIndex(t, path)} {
			request := selection.Request{Query: parseQueries(t, []string{"install"})[0], Jobs: 1, Discardable: true}
			base := checksOf(t, path, request)
			larger := request
			larger.Budget = 1 << 40
			if more := checksOf(t, path, larger) - base; more < int64(2-number)*pages {
				t.Errorf("%s: %d checks more for the budget", path, more)
			}
			filtered := request
			filtered.Filter.Paths = []string{"!x"}
			if more := checksOf(t, path, filtered) - base; more < pages {
				t.Errorf("%s: %d checks more for the filter", path, more)
			}
		}
	}
	request := selection.Request{Query: parseQueries(t, []string{"m1ssing"})[0], Jobs: 1} // no other word replaces it
	bare := trees.CopyWithoutIndex(t, filepath.Join(dir, "1"))
	base := checksOf(t, bare, request)
	found := request
	found.Query = parseQueries(t, []string{"install"})[0]
	if more := checksOf(t, bare, found) - base; more < pages {
		t.Errorf("%d checks more for the sketches of the best sections", more)
	}
	var terms []string
	for i := range 40 {
		terms = append(terms, fmt.Sprint("term", i))
	}
	request.Query = parseQueries(t, []string{strings.Join(terms, " ")})[0]
	if more := checksOf(t, bare, request) - base; more < 39 {
		t.Errorf("%d checks more for 40 terms", more)
	}
}

// By selection 0, the terms of an explanation must cover all matches of the item.
func TestEvidenceCountsEveryMatch(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		docs, path := filepath.Join(work, fmt.Sprint(runs), "docs"), filepath.Join(work, fmt.Sprint(runs), "cache")
		sources := trees.DrawSources(rt)
		trees.WriteTree(t, docs, sources)
		if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path, Selection: selection.Spec0}); err != nil {
			rt.Fatal(err)
		}
		c, err := answers.Open(path)
		if err != nil {
			rt.Fatal(err)
		}
		defer c.Close()
		query := parseQueries(rt, []string{trees.DrawText(4).Draw(rt, "query")})[0]
		request := selection.Request{Query: query, Selection: selection.Spec0}
		explained, err := c.Explain(context.Background(), request, len(sources))
		if err != nil {
			rt.Fatal(err)
		}
		for _, item := range explained.Items {
			doc, err := c.Read(item.ID)
			if err != nil {
				rt.Fatal(err)
			}
			got, want := 0, 0
			for _, evidence := range item.Evidence {
				got += evidence.Body
			}
			for _, word := range words.Split(words.Lower(string(doc.Content))) {
				if slices.Contains(query.Terms(), word) {
					want++
				}
			}
			if got != want {
				rt.Errorf("%q in %q: got %d, want %d", query.Text(), doc.Content, got, want)
			}
		}
	})
}
