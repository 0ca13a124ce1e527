package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/pipeline"
)

// For pages of any kind, the number of jobs and the documents of an old cache make no
// difference, and the cache is sound and up to date.
func TestConvertedPagesAreTheSameWithAnyJobsAndReuse(t *testing.T) {
	lines := []string{
		"<p>tea</p>", "<h1 id=a>One</h1>", "<h2 id='x.y'>Two</h2>", "<title>T</title>", "<table><tr><td>c", "<pre>code\n", "</pre>",
		"---\n", "<hr>", "text --- \n", "<!-- c", "<li>item", "<a href=b.html#x>b</a>", "\xff", "\n", "<meta name=description content=D>",
	}
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		defer os.RemoveAll(dir)
		draw := func(label string) map[string]string {
			pages := map[string]string{"a.md": "# A\n\ntea\n"}
			for _, path := range []string{"a.html", "guide/B.HTML", "guide/c.html"} {
				pages[path] = strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 12).Draw(rt, label+path), "")
			}
			return pages
		}
		build := func(docs, cache string, jobs int) pipeline.Config {
			cfg := pipeline.Config{
				Sources: []pipeline.Mount{{Dir: filepath.Join(dir, docs), Extensions: []string{"md", "html", "HTML"}, MDX: rapid.Bool().Draw(rt, "mdx")}},
				Cache:   filepath.Join(dir, cache), Jobs: jobs, Force: true, SkipInvalid: true, AllowEmpty: true,
			}
			if _, err := pipeline.Build(t.Context(), cfg); err != nil {
				rt.Fatal(err)
			}
			return cfg
		}
		trees.WriteTree(t, filepath.Join(dir, "old"), draw("old"))
		trees.WriteTree(t, filepath.Join(dir, "new"), draw("new"))
		build("old", "reused", 1)
		cfg := build("new", "reused", 8)
		c, err := pipeline.Check(t.Context(), cfg)
		if err != nil || !c.IsUpToDate() {
			rt.Errorf("check: got %+v and %v", c, err)
		}
		if report, err := verify.Path(t.Context(), cfg.Cache, 1); err != nil || report.Err() != nil {
			rt.Errorf("verify: got %+v and %v", report, err)
		}
		cfg.Cache, cfg.Jobs = filepath.Join(dir, "fresh"), 1
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			rt.Fatal(err)
		}
		fresh, reused := trees.ReadTree(t, filepath.Join(dir, "fresh")), trees.ReadTree(t, filepath.Join(dir, "reused"))
		if diff := cmp.Diff(fresh, reused); diff != "" {
			rt.Errorf("(-fresh +reused):\n%s", diff)
		}
	})
}
