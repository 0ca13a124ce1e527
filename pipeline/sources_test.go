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

// If a tree is split into directories with prefixes, the cache is the same as for the
// whole tree, with any order of the directories and any patterns.
func TestATreeInPiecesMakesTheSameCache(t *testing.T) {
	work := t.TempDir()
	runs, cut := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		sources := trees.DrawSources(rt)
		trees.WriteTree(t, filepath.Join(dir, "whole"), sources)
		mounts := drawPieces(rt, dir, sources)
		cut += len(mounts) - 1
		filter := pipeline.SourceFilter{Exclude: rapid.SliceOfN(rapid.SampledFrom(somePatterns), 0, 2).Draw(rt, "exclude")}
		build := func(name string, sources []pipeline.Mount) (files map[string]string, warnings []string) {
			cfg := pipeline.Config{Sources: sources, Cache: filepath.Join(dir, name), Filter: filter}
			report, err := pipeline.Build(t.Context(), cfg)
			if err != nil {
				rt.Fatal(err)
			}
			for _, w := range report.Warnings {
				if _, err := os.Lstat(w.File); w.File != "" && err != nil {
					rt.Errorf("%s: %v", w.Text, err)
				}
			}
			return trees.ReadTree(t, cfg.Cache), textsOf(report.Warnings)
		}
		got, warnings := build("cache", mounts)
		want, wantWarnings := build("wanted", []pipeline.Mount{{Dir: filepath.Join(dir, "whole")}})
		if !maps.Equal(got, want) || !slices.Equal(warnings, wantWarnings) {
			rt.Errorf("%d mounts make another cache: got %d files and %q, want %d and %q", len(mounts), len(got), warnings, len(want), wantWarnings)
		}
		os.RemoveAll(dir)
	})
	if cut == 0 {
		t.Errorf("%d runs cut no piece off", runs)
	}
}

func textsOf(warnings []pipeline.Warning) (texts []string) {
	for _, w := range warnings {
		texts = append(texts, w.Text)
	}
	return texts
}

// A list of the files of a tree produces the same cache as the tree, wherever the files
// are.
func TestAListMakesTheSameCacheAsItsTree(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		sources := trees.DrawSources(rt)
		trees.WriteTree(t, filepath.Join(dir, "docs"), sources)
		flat := map[string]string{}
		var list strings.Builder
		for i, path := range rapid.Permutation(slices.Sorted(maps.Keys(sources))).Draw(rt, "order") {
			flat[fmt.Sprint(i)] = sources[path]
			fmt.Fprintf(&list, "%s\t%s\n", path, filepath.Join(dir, "flat", fmt.Sprint(i)))
		}
		flat["list"] = list.String()
		trees.WriteTree(t, filepath.Join(dir, "flat"), flat)
		filter := pipeline.SourceFilter{Exclude: rapid.SliceOfN(rapid.SampledFrom(somePatterns), 0, 2).Draw(rt, "exclude")}
		build := func(cfg pipeline.Config) map[string]string {
			cfg.Filter = filter
			if _, err := pipeline.Build(t.Context(), cfg); err != nil {
				rt.Fatal(err)
			}
			return trees.ReadTree(t, cfg.Cache)
		}
		got := build(pipeline.Config{List: filepath.Join(dir, "flat", "list"), Cache: filepath.Join(dir, "cache")})
		want := build(pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "wanted")})
		if !maps.Equal(got, want) {
			rt.Errorf("the list makes another cache: got %d files, want %d", len(got), len(want))
		}
		os.RemoveAll(dir)
	})
}

// somePatterns exclude some of the sources drawn by trees.
var somePatterns = []string{"a/", "/B/", "c d/é*", "/a/**/_.md", "-", "!a/*"}

// drawPieces writes sources below dir in pieces: some directories are separated from the
// rest, and their own subdirectories may be separated as well. It returns the mounts
// that put them back together.
func drawPieces(t *rapid.T, dir string, sources map[string]string) []pipeline.Mount {
	prefixes := map[string]bool{}
	for path := range sources {
		for at, b := range path {
			if b == '/' {
				prefixes[path[:at]] = true
			}
		}
	}
	mounts := []pipeline.Mount{{Dir: filepath.Join(dir, "0")}}
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		if rapid.Bool().Draw(t, "cut") {
			mounts = append(mounts, pipeline.Mount{Dir: filepath.Join(dir, fmt.Sprint(len(mounts))), Prefix: prefix})
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
		trees.WriteTree(t, m.Dir, pieces[i])
	}
	return rapid.Permutation(mounts).Draw(t, "order")
}

// Patterns of a mount match paths below its directory.
func TestAMountIncludesAndExcludesByPattern(t *testing.T) {
	dir := t.TempDir()
	trees.WriteTree(t, filepath.Join(dir, "one"), map[string]string{
		"a.md": "1", "a.mdx": "2", "a.txt": "3", "drafts/b.md": "4", "guide/drafts/c.md": "5", "guide/d.txt": "6",
	})
	trees.WriteTree(t, filepath.Join(dir, "two"), map[string]string{"a.md": "7", "drafts/b.md": "8"})
	cfg := pipeline.Config{
		Sources: []pipeline.Mount{
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
		if len(report.Warnings) != 2 || !strings.Contains(report.Warnings[i].Text, fmt.Sprintf("the pattern %q matches nothing", pattern)) {
			t.Errorf("got the warnings %q, want one of %q", report.Warnings, pattern)
		}
	}
}

// A mount takes the files that readers of its patterns would expect.
func TestPatternsOfAMountSayWhichFilesArePages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".cache", "docs") // Dir itself may be hidden
	trees.WriteTree(t, dir, map[string]string{
		".contextignore": "old/\n!.hidden/\n",
		"a.md":           "", "b.mdx": "", "c.txt": "", "d.MD": "", ".e.md": "",
		"drafts/a.md": "", "guide/a.md": "", "guide/b.mdx": "", "guide/c.png": "\xff", "guide/drafts/a.md": "", "guide/old/a.md": "",
		".hidden/a.md": "", ".hidden/.more/a.md": "", "guide/.hidden/a.md": "", ".git/a.md": "",
		"node_modules/x/a.md": "", "node_modules/x/b.mdx": "", "guide/node_modules/a.md": "", "v1.2/a.md": "",
	})
	const hidden = ".hidden/.more/a.md .hidden/a.md guide/.hidden/a.md guide/node_modules/a.md node_modules/x/a.md"
	tests := []struct {
		name     string
		mount    pipeline.Mount
		want     string
		warnings string
	}{
		{"none", pipeline.Mount{}, ".e.md a.md drafts/a.md guide/a.md guide/drafts/a.md v1.2/a.md " + hidden, "1 *.MD, 3 *.mdx"},
		{"no hidden ones", pipeline.Mount{SkipHidden: true}, ".e.md a.md drafts/a.md guide/a.md guide/drafts/a.md v1.2/a.md", "1 *.MD, 2 *.mdx"},
		{
			"of the design",
			pipeline.Mount{Include: []string{"**/*.md", "**/*.mdx"}, Exclude: []string{"drafts/"}, SkipHidden: true},
			".e.md a.md b.mdx guide/a.md guide/b.mdx v1.2/a.md", "1 *.MD",
		},
		{"a name", pipeline.Mount{Include: []string{"*.mdx"}, SkipHidden: true}, "b.mdx guide/b.mdx", "1 *.MD, 6 *.md"},
		{"at the root", pipeline.Mount{Include: []string{"/*.md"}, SkipHidden: true}, ".e.md a.md", "1 *.MD, 1 *.mdx"},
		{"below a directory", pipeline.Mount{Include: []string{"guide/**"}, SkipHidden: true}, "guide/a.md guide/drafts/a.md", "1 *.mdx"},
		{"a directory", pipeline.Mount{Include: []string{"guide/"}, SkipHidden: true}, "guide/a.md guide/drafts/a.md", "1 *.mdx"},
		{"a directory without a slash", pipeline.Mount{Include: []string{"/guide"}, SkipHidden: true}, "guide/a.md guide/drafts/a.md", "1 *.mdx"},
		{"a directory with a dot", pipeline.Mount{Include: []string{"v1.2/"}, SkipHidden: true}, "v1.2/a.md", ""},
		{"directories anywhere", pipeline.Mount{Include: []string{"drafts/"}, SkipHidden: true}, "drafts/a.md guide/drafts/a.md", ""},
		{
			"with extensions",
			pipeline.Mount{Include: []string{"guide/"}, Extensions: []string{"md", "mdx"}, SkipHidden: true},
			"guide/a.md guide/b.mdx guide/drafts/a.md", "",
		},
		{"another extension", pipeline.Mount{Include: []string{"*.txt", "guide/*.md"}, SkipHidden: true}, "c.txt guide/a.md", "1 *.MD, 2 *.mdx"},
		{"not the drafts", pipeline.Mount{Include: []string{"**/*.md", "!drafts/**"}, SkipHidden: true}, ".e.md a.md guide/a.md guide/drafts/a.md v1.2/a.md", "1 *.MD, 2 *.mdx"},
		{"no drafts anywhere", pipeline.Mount{Include: []string{"guide/", "!drafts/"}, SkipHidden: true}, "guide/a.md", "1 *.mdx"},
		{"some drafts again", pipeline.Mount{Include: []string{"*.md", "!drafts/", "/drafts/a.md"}, SkipHidden: true}, ".e.md a.md drafts/a.md guide/a.md v1.2/a.md", "1 *.MD, 2 *.mdx"},
		{"excluded ones stay so", pipeline.Mount{Include: []string{"guide/old/*.md", "guide/drafts/"}, Exclude: []string{"drafts/"}, SkipHidden: true}, "", "no pages found: the cache is empty"},
		{"named hidden ones", pipeline.Mount{Include: []string{".hidden/**/*.md"}, SkipHidden: true}, ".hidden/a.md", ""},
		{"named as a directory", pipeline.Mount{Include: []string{".hidden/"}, SkipHidden: true}, ".hidden/a.md guide/.hidden/a.md", ""},
		{"named anywhere", pipeline.Mount{Include: []string{"**/.hidden/*.md"}, SkipHidden: true}, ".hidden/a.md guide/.hidden/a.md", ""},
		{"named in a named one", pipeline.Mount{Include: []string{"/.hidden/.more/*.md"}, SkipHidden: true}, ".hidden/.more/a.md", ""},
		{"named by a wildcard", pipeline.Mount{Include: []string{".*/*.md"}, SkipHidden: true}, ".hidden/a.md", ""},
		{"a package", pipeline.Mount{Include: []string{"node_modules/x/**/*.md", "*.mdx"}, SkipHidden: true}, "b.mdx guide/b.mdx node_modules/x/a.md node_modules/x/b.mdx", "1 *.MD"},
		{"a name does not take it back", pipeline.Mount{Include: []string{"*.md", "!.hidden/b.md"}, SkipHidden: true}, ".e.md a.md drafts/a.md guide/a.md guide/drafts/a.md v1.2/a.md", `the pattern "!.hidden/b.md" matches nothing`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, prefix := range []string{"", "api/.x"} {
				test.mount.Dir, test.mount.Prefix = dir, prefix
				cfg := pipeline.Config{Sources: []pipeline.Mount{test.mount}, Cache: filepath.Join(t.TempDir(), "cache")}
				report, err := pipeline.Build(t.Context(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, id := range report.Changes.Added {
					got = append(got, strings.TrimPrefix(string(id), prefix+"/"))
				}
				want := strings.Fields(test.want)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("with the prefix %q: got %q, want %q", prefix, got, want)
				}
				if got := strings.Join(textsOf(report.Warnings), "\n"); !strings.Contains(got, test.warnings) || test.warnings == "" && got != "" {
					t.Errorf("with the prefix %q: got the warnings %q, want %q", prefix, got, test.warnings)
				}
			}
		})
	}
}

func TestABuildRefusesMountsThatHaveNoPlace(t *testing.T) {
	dir := t.TempDir()
	for _, sources := range [][]pipeline.Mount{
		nil,
		{{Dir: dir, Prefix: "/a"}},
		{{Dir: dir, Prefix: "a/"}},
		{{Dir: dir, Prefix: "."}},
		{{Dir: dir, Prefix: "a/../b"}},
		{{Dir: dir, Prefix: `a\..\b`}},
		{{Dir: dir, Prefix: "a\xff"}},
		{{Dir: dir}, {Dir: dir, Extensions: []string{".md"}}},
		{{Dir: dir, Include: []string{"!drafts/", ""}}},
	} {
		if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: sources, Cache: filepath.Join(dir, "cache")}); err == nil {
			t.Errorf("%+v: built", sources)
		}
	}
}
