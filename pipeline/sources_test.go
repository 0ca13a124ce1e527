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

	"github.com/contextcompiler/context/internal/modeltest"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/stages"
)

// A tree that is cut into directories with prefixes makes the cache of the whole tree,
// with any order of the directories and with patterns that leave out pages.
func TestATreeInPiecesMakesTheSameCache(t *testing.T) {
	work := t.TempDir()
	runs, cut := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		sources := modeltest.DrawSources(rt)
		modeltest.WriteTree(t, filepath.Join(dir, "whole"), sources)
		mounts := drawPieces(rt, dir, sources)
		cut += len(mounts) - 1
		filter := stages.SourceFilter{Exclude: rapid.SliceOfN(rapid.SampledFrom(somePatterns), 0, 2).Draw(rt, "exclude")}
		build := func(name string, sources []stages.Mount) (map[string]string, pipeline.Report) {
			cfg := pipeline.Config{Sources: sources, Cache: filepath.Join(dir, name), Filter: filter}
			report, err := pipeline.Build(t.Context(), cfg)
			if err != nil {
				rt.Fatal(err)
			}
			return modeltest.ReadTree(t, cfg.Cache), report
		}
		got, report := build("cache", mounts)
		want, wantReport := build("wanted", []stages.Mount{{Dir: filepath.Join(dir, "whole")}})
		if !maps.Equal(got, want) || !slices.Equal(report.Warnings, wantReport.Warnings) {
			rt.Errorf("%d mounts make another cache: got %d files and %q, want %d and %q", len(mounts), len(got), report.Warnings, len(want), wantReport.Warnings)
		}
		os.RemoveAll(dir)
	})
	if cut < runs {
		t.Errorf("%d runs cut %d pieces off: want one a run", runs, cut)
	}
}

// A list of the files of a tree makes the cache of the tree, wherever the files lie.
func TestAListMakesTheSameCacheAsItsTree(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		sources := modeltest.DrawSources(rt)
		modeltest.WriteTree(t, filepath.Join(dir, "docs"), sources)
		flat := map[string]string{}
		var list strings.Builder
		for i, path := range rapid.Permutation(slices.Sorted(maps.Keys(sources))).Draw(rt, "order") {
			flat[fmt.Sprint(i)] = sources[path]
			fmt.Fprintf(&list, "%s\t%s\n", path, filepath.Join(dir, "flat", fmt.Sprint(i)))
		}
		flat["list"] = list.String()
		modeltest.WriteTree(t, filepath.Join(dir, "flat"), flat)
		filter := stages.SourceFilter{Exclude: rapid.SliceOfN(rapid.SampledFrom(somePatterns), 0, 2).Draw(rt, "exclude")}
		build := func(cfg pipeline.Config) map[string]string {
			cfg.Filter = filter
			if _, err := pipeline.Build(t.Context(), cfg); err != nil {
				rt.Fatal(err)
			}
			return modeltest.ReadTree(t, cfg.Cache)
		}
		got := build(pipeline.Config{List: filepath.Join(dir, "flat", "list"), Cache: filepath.Join(dir, "cache")})
		want := build(pipeline.Config{Sources: []stages.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "wanted")})
		if !maps.Equal(got, want) {
			rt.Errorf("the list makes another cache: got %d files, want %d", len(got), len(want))
		}
		os.RemoveAll(dir)
	})
}

// somePatterns leave out some of the sources that modeltest draws.
var somePatterns = []string{"a/", "/B/", "c d/é*", "/a/**/_.md", "-", "!a/*"}

// drawPieces writes sources below dir in pieces: some of their directories are alone,
// without those that are also alone. It returns the mounts that put them together.
func drawPieces(t *rapid.T, dir string, sources map[string]string) []stages.Mount {
	prefixes := map[string]bool{}
	for path := range sources {
		for at, b := range path {
			if b == '/' {
				prefixes[path[:at]] = true
			}
		}
	}
	mounts := []stages.Mount{{Dir: filepath.Join(dir, "0")}}
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		if rapid.Bool().Draw(t, "cut") {
			mounts = append(mounts, stages.Mount{Dir: filepath.Join(dir, fmt.Sprint(len(mounts))), Prefix: prefix})
		}
	}
	pieces := make([]map[string]string, len(mounts))
	for i := range pieces {
		pieces[i] = map[string]string{}
	}
	for path, content := range sources {
		for i, m := range slices.Backward(mounts) { // the innermost prefix is the last one
			if below, ok := strings.CutPrefix(path, m.Prefix+"/"); ok || m.Prefix == "" {
				pieces[i][below] = content
				break
			}
		}
	}
	for i, m := range mounts {
		modeltest.WriteTree(t, m.Dir, pieces[i])
	}
	return rapid.Permutation(mounts).Draw(t, "order")
}

// Patterns of a mount are for paths below its directory.
func TestAMountIncludesAndExcludesByPattern(t *testing.T) {
	dir := t.TempDir()
	modeltest.WriteTree(t, filepath.Join(dir, "one"), map[string]string{
		"a.md": "1", "a.mdx": "2", "a.txt": "3", "drafts/b.md": "4", "guide/drafts/c.md": "5", "guide/d.txt": "6",
	})
	modeltest.WriteTree(t, filepath.Join(dir, "two"), map[string]string{"a.md": "7", "drafts/b.md": "8"})
	cfg := pipeline.Config{
		Sources: []stages.Mount{
			{Dir: filepath.Join(dir, "one"), Prefix: "X", Include: []string{"*.md", "/*.mdx", "none"}, Exclude: []string{"/drafts/"}},
			{Dir: filepath.Join(dir, "two"), Exclude: []string{"/guide/"}},
		},
		Cache: filepath.Join(dir, "cache"),
	}
	report, err := pipeline.Build(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(report.Changes.Added), "[a.md drafts/b.md x/a.md x/a.mdx x/guide/drafts/c.md]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for i, pattern := range []string{"/guide/", "none"} {
		if len(report.Warnings) != 2 || !strings.Contains(report.Warnings[i], fmt.Sprintf("the pattern %q matches nothing", pattern)) {
			t.Errorf("got the warnings %q, want one of %q", report.Warnings, pattern)
		}
	}
}

func TestABuildRefusesMountsThatHaveNoPlace(t *testing.T) {
	dir := t.TempDir()
	for _, sources := range [][]stages.Mount{
		nil,
		{{Dir: dir, Prefix: "/a"}},
		{{Dir: dir, Prefix: "a/"}},
		{{Dir: dir, Prefix: "."}},
		{{Dir: dir, Prefix: "a/../b"}},
		{{Dir: dir, Prefix: `a\..\b`}},
		{{Dir: dir, Prefix: "a\xff"}},
		{{Dir: dir}, {Dir: dir, Extensions: []string{".md"}}},
	} {
		if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: sources, Cache: filepath.Join(dir, "cache")}); err == nil {
			t.Errorf("%+v: built", sources)
		}
	}
}
