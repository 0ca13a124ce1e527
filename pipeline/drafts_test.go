package pipeline_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
)

// A build without drafts makes the same cache as a build of the tree without them. It
// does so from nothing, and over a cache of the same pages before some of them became
// drafts or were published. A check agrees.
func TestABuildWithoutDraftsIsThatOfATreeWithoutThem(t *testing.T) {
	work := t.TempDir()
	runs, left := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		defer os.RemoveAll(dir)
		texts := trees.DrawSources(rt)
		cfg := pipeline.Config{
			Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "cache"),
			SkipDrafts: true, Force: true, AllowEmpty: true,
		}
		for range 2 {
			all, published := drawDrafts(rt, texts)
			left += len(all) - len(published)
			trees.WriteTree(t, filepath.Join(dir, "docs"), all)
			report, err := pipeline.Build(t.Context(), cfg)
			if err != nil {
				rt.Fatal(err)
			}
			got := trees.ReadTree(t, cfg.Cache)
			if want := buildTree(t, filepath.Join(dir, "published"), published); !maps.Equal(got, want) {
				rt.Errorf("got files %q, want %q, or some with other bytes", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
			counted := fmt.Sprintf("drafts are skipped (%d): ", len(all)-len(published))
			warns := slices.ContainsFunc(textsOf(report.Warnings), func(w string) bool { return strings.HasPrefix(w, counted) })
			if warns != (len(all) > len(published)) {
				rt.Errorf("%d drafts: got the warnings %q", len(all)-len(published), report.Warnings)
			}
			if compared, err := pipeline.Check(t.Context(), cfg); err != nil || !compared.IsUpToDate() {
				rt.Errorf("check: got %+v and %v", compared, err)
			}
		}
	})
	if left == 0 {
		t.Errorf("%d runs left out no page", runs)
	}
}

// drawDrafts adds front matter to some texts. It returns all of them, and separately the
// published ones.
func drawDrafts(t *rapid.T, texts map[string]string) (all, published map[string]string) {
	all, published = map[string]string{}, map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		front := rapid.SampledFrom([]string{
			"", "draft: true", "published: false", "draft: false", "draft: [", "published: true\ndraft: true", "a: {draft: true}",
		}).Draw(t, "front matter")
		isDraft := slices.Contains([]string{"draft: true", "published: false", "published: true\ndraft: true"}, front)
		all[path] = "---\ntitle: a\n" + front + "\n---\n" + texts[path]
		if !isDraft {
			published[path] = all[path]
		}
	}
	return all, published
}

// buildTree returns the cache of sources, which it writes to a temporary directory.
func buildTree(t *testing.T, dir string, sources map[string]string) map[string]string {
	t.Helper()
	defer os.RemoveAll(dir)
	docs := filepath.Join(dir, "docs")
	trees.WriteTree(t, docs, sources)
	if err := os.MkdirAll(docs, 0o777); err != nil {
		t.Fatal(err)
	}
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: filepath.Join(dir, "cache")}
	if _, err := pipeline.Build(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	return trees.ReadTree(t, cfg.Cache)
}
