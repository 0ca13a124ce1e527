package pipeline_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// ask returns the answer of the cache at path. It fails the test unless the answer is
// the same with and without the index.
func ask(t testing.TB, path, query string, budget uint64, pretty bool, jobs int) string {
	t.Helper()
	q, err := selection.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	request := selection.Request{Query: q, Budget: budget, Pretty: pretty, Jobs: jobs}
	bare := trees.CopyWithoutIndex(t, path)
	defer os.RemoveAll(bare)
	var results []string
	for _, path := range []string{path, bare} {
		c, err := answers.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var out bytes.Buffer
		if err := c.Resolve(t.Context(), request, &out); err != nil {
			t.Fatal(err)
		}
		results = append(results, out.String())
	}
	if results[0] != results[1] {
		t.Errorf("query %q, budget %d: with the index\n%s, without\n%s", query, budget, results[0], results[1])
	}
	return results[0]
}

func TestParallelismAndOrderOfCreationChangeNoByte(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	sources := map[string]string{}
	for i := range 300 {
		// Three in four are equal to others, so that names are contested.
		sources[fmt.Sprintf("d%d/f%d.md", i%7, i)] = fmt.Sprintf("---\nn: %d\n---\n# %d\n", i%80, i%80)
	}
	names := slices.Sorted(maps.Keys(sources))
	var want map[string]string
	for run, jobs := range []int{1, 1, 2, 8, 64} {
		dir := t.TempDir()
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		trees.WriteTree(t, filepath.Join(dir, "docs"), sources, names...)
		cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "cache"), Jobs: jobs, Selection: selection.Spec0}
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		got := trees.ReadTree(t, cfg.Cache)
		if run == 0 {
			want = got
		}
		if !maps.Equal(got, want) {
			t.Errorf("jobs=%d: the cache differs", jobs)
		}
	}
}
