package pipeline_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/modeltest"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// resolvedIDs returns the IDs of the documents that the model resolves.
func resolvedIDs(t rapid.TB, sources map[string]string, query string, budget uint64) []document.ID {
	t.Helper()
	var result struct {
		Documents []struct{ ID document.ID }
	}
	if err := json.Unmarshal([]byte(modeltest.Resolve(sources, query, budget, false)), &result); err != nil {
		t.Fatal(err)
	}
	ids := []document.ID{}
	for _, d := range result.Documents {
		ids = append(ids, d.ID)
	}
	return ids
}

// A ranking has what the model resolves, for any budget, whether there is an
// index or not, however much is done at once.
func TestRankingsAreWhatIsResolved(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		sources := drawSources(rt)
		var names []string
		for name := range sources {
			names = append(names, name)
		}
		if err := os.MkdirAll(filepath.Join(dir, "docs"), 0o777); err != nil {
			t.Fatal(err)
		}
		writeTree(t, filepath.Join(dir, "docs"), sources, names)
		path := filepath.Join(dir, "cache")
		built, err := pipeline.Build(t.Context(), pipeline.Config{Sources: filepath.Join(dir, "docs"), Cache: path})
		if err != nil {
			rt.Fatal(err)
		}
		texts := rapid.SliceOfN(drawText(4), 1, 5).Draw(rt, "queries")
		budget := rapid.OneOf(rapid.Uint64Range(0, 100), rapid.Uint64()).Draw(rt, "budget")
		n := rapid.IntRange(0, 25).Draw(rt, "n")
		jobs := rapid.SampledFrom([]int{0, 1, 2, 8}).Draw(rt, "jobs")
		for _, open := range []func(string) (*cache.Cache, error){cache.Open, cache.OpenToSelect} {
			c, err := open(path)
			if err != nil {
				rt.Fatal(err)
			}
			best, within := rank(rt, c, texts, n, budget, jobs, built.Manifest)
			for i, text := range texts {
				all := resolvedIDs(rt, sources, text, math.MaxUint64)
				if want := all[:min(n, len(all))]; !slices.Equal(best[i], want) {
					rt.Errorf("the best %d for %q: got %q, want %q", n, text, best[i], want)
				}
				if want := resolvedIDs(rt, sources, text, budget); !slices.Equal(within[i], want) {
					rt.Errorf("%q within %d: got %q, want %q", text, budget, within[i], want)
				}
			}
			c.Close()
		}
	})
}

// rank returns the best n documents of c for each query, and those within budget.
// It fails the test unless the Ranker knows the documents and the version of want.
func rank(t *rapid.T, c *cache.Cache, texts []string, n int, budget uint64, jobs int, want cache.Manifest) (best, within [][]document.ID) {
	t.Helper()
	r, err := pipeline.NewRanker(c, pipeline.Request{Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	var ids []document.ID
	for _, entry := range want.Documents {
		ids = append(ids, entry.ID)
	}
	if !slices.Equal(r.Documents(), ids) || r.Version() != want.Version {
		t.Errorf("got %q of %s, want %q of %s", r.Documents(), r.Version(), ids, want.Version)
	}
	within = make([][]document.ID, len(texts))
	best, err = pipeline.RankEach(t.Context(), r, parseQueries(t, texts), func(i int, ranking pipeline.Ranking) (_ []document.ID, err error) {
		if within[i], err = ranking.Within(t.Context(), budget); err != nil {
			return nil, err
		}
		return ranking.Best(n), nil
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

// Without an index every document is checked.
func TestRankEachRefusesDamagedDocuments(t *testing.T) {
	dir := t.TempDir()
	docs, path := filepath.Join(dir, "docs"), filepath.Join(dir, "cache")
	writeTree(t, docs, map[string]string{"a.md": "one", "b.md": "two"}, []string{"a.md", "b.md"})
	built, err := pipeline.Build(t.Context(), pipeline.Config{Sources: docs, Cache: path})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(path, built.Manifest.Documents[1].File)
	if err := os.WriteFile(file, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := cache.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := pipeline.NewRanker(c, pipeline.Request{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = pipeline.RankEach(t.Context(), r, parseQueries(t, []string{"one"}), func(int, pipeline.Ranking) (bool, error) { return true, nil })
	if err == nil || fault.CodeOf(err) != fault.CacheInvalid {
		t.Errorf("got %v, want a cache that is invalid", err)
	}
}
