package answers_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// resolvedIDs returns the IDs of the documents that c resolves.
func resolvedIDs(t rapid.TB, c *answers.Cache, query selection.Query, budget uint64) []document.ID {
	t.Helper()
	var out bytes.Buffer
	var result struct {
		Documents []struct{ ID document.ID }
	}
	err := c.Resolve(context.Background(), selection.Request{Query: query, Budget: budget}, &out)
	if err := cmp.Or(err, json.Unmarshal(out.Bytes(), &result)); err != nil {
		t.Fatal(err)
	}
	ids := []document.ID{}
	for _, d := range result.Documents {
		ids = append(ids, d.ID)
	}
	return ids
}

// A scoreboard must return the documents that are resolved, for any budget and any
// number of jobs, with and without an index.
func TestRankingsAreWhatIsResolved(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		sources := trees.DrawSources(rt)
		var names []string
		for name := range sources {
			names = append(names, name)
		}
		trees.WriteTree(t, filepath.Join(dir, "docs"), sources, names...)
		path := filepath.Join(dir, "cache")
		built, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: path, Selection: selection.Spec0})
		if err != nil {
			rt.Fatal(err)
		}
		texts := rapid.SliceOfN(trees.DrawText(4), 1, 5).Draw(rt, "queries")
		budget := rapid.OneOf(rapid.Uint64Range(0, 100), rapid.Uint64()).Draw(rt, "budget")
		n := rapid.IntRange(0, 25).Draw(rt, "n")
		jobs := rapid.SampledFrom([]int{0, 1, 2, 8}).Draw(rt, "jobs")
		for _, path := range []string{path, trees.CopyWithoutIndex(rt, path)} {
			c, err := answers.Open(path)
			if err != nil {
				rt.Fatal(err)
			}
			best, within := rank(rt, c, texts, n, budget, jobs, sources, built.Version)
			for i, text := range texts {
				all := resolvedIDs(rt, c, parseQueries(rt, texts)[i], math.MaxUint64)
				if want := all[:min(n, len(all))]; !slices.Equal(best[i], want) {
					rt.Errorf("the best %d for %q: got %q, want %q", n, text, best[i], want)
				}
				if want := resolvedIDs(rt, c, parseQueries(rt, texts)[i], budget); !slices.Equal(within[i], want) {
					rt.Errorf("%q within %d: got %q, want %q", text, budget, within[i], want)
				}
			}
			c.Close()
		}
	})
}

// rank returns the best n documents of c for each query, and those within budget. It also
// checks the documents and the version of c.
func rank(t *rapid.T, c *answers.Cache, texts []string, n int, budget uint64, jobs int, sources map[string]string, version document.Version) (best, within [][]document.ID) {
	t.Helper()
	var ids []document.ID
	contents := map[document.ID]string{}
	for path, content := range sources {
		ids = append(ids, document.IDOf(path))
		contents[document.IDOf(path)] = content
	}
	slices.Sort(ids)
	if got, err := c.Documents(); err != nil || !slices.Equal(got, ids) || c.Version() != version {
		t.Errorf("got %q of %s, %v, want %q of %s", got, c.Version(), err, ids, version)
	}
	for n, id := range ids {
		number, err := c.NumberOf(id)
		doc, wrong := c.ReadAt(number)
		if err := cmp.Or(err, wrong); err != nil || number != n || doc.ID != id || string(doc.Content) != contents[id] {
			t.Errorf("got number %d, %q, %v, want %d, %q", number, doc.Content, err, n, contents[id])
		}
	}
	_, err := c.NumberOf("nowhere.md")
	if _, wrong := c.ReadAt(len(ids)); !errors.Is(err, fs.ErrNotExist) || !errors.Is(wrong, fs.ErrNotExist) {
		t.Errorf("got %v and %v, want %v", err, wrong, fs.ErrNotExist)
	}
	within = make([][]document.ID, len(texts))
	best, err = answers.ScoreEach(t.Context(), c, selection.Request{Jobs: jobs}, parseQueries(t, texts), func(i int, r answers.Scoreboard) (_ []document.ID, err error) {
		spans, err := r.Within(t.Context(), budget)
		for _, span := range spans {
			if within[i] = append(within[i], span.ID); span.Start != 0 || span.End != len(contents[span.ID]) {
				t.Errorf("got %+v, want all %d bytes", span, len(contents[span.ID]))
			}
		}
		if err != nil {
			return nil, err
		}
		return r.Best(n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return best, within
}

func parseQueries(t rapid.TB, texts []string) (queries []selection.Query) {
	t.Helper()
	for _, text := range texts {
		query, err := selection.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		queries = append(queries, query)
	}
	return queries
}

// Without an index, every document is checked.
func TestRankEachRefusesDamagedDocuments(t *testing.T) {
	dir := t.TempDir()
	docs, path := filepath.Join(dir, "docs"), filepath.Join(dir, "cache")
	trees.WriteTree(t, docs, map[string]string{"a.md": "one", "b.md": "two"})
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path}); err != nil {
		t.Fatal(err)
	}
	path = trees.CopyWithoutIndex(t, path)
	file := filepath.Join(path, "documents", document.VersionOf([]byte("two")).Stem()+".json")
	if err := os.WriteFile(file, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := answers.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = answers.ScoreEach(t.Context(), c, selection.Request{}, parseQueries(t, []string{"one"}), func(int, answers.Scoreboard) (bool, error) { return true, nil })
	if err == nil || fault.CodeOf(err) != fault.CacheInvalid {
		t.Errorf("got %v, want a cache that is invalid", err)
	}
}
