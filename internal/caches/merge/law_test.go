package merge

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// difficult are sources that a partition of them could make another cache of: equal
// contents whose names need a suffix, even one of all digits, contents whose names begin
// alike, warnings, front matter, and converted pages.
var difficult = map[string]string{
	"n50785.md": "same\n", "n132544.md": "same\n", "z.md": "same\n",
	"one.md": "# 30572769\n", "two.md": "# 5352758\n",
	"broken.md": "---\na: [\n---\n# Broken\n",
	"meta.md":   "---\ntitle: Only\n---\n", "rule.md": "***\n",
	"Tagged.md":      "---\ntitle: Guide to the API\nlang: de\ntags: [api, v2]\n---\n# Tagged\n\nWords.\n\n## More\n\nWords `--flag`.\n",
	"guide/api.md":   "# API\n\n" + strings.Repeat("| a | b |\n| - | - |\n", 300),
	"page.html":      "<title>Page</title><h1>Page</h1><p>Converted text.",
	"notebook.ipynb": `{"cells":[{"cell_type":"markdown","metadata":{},"source":["# Notes\n"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`,
	"ΟΔΟΣ.Σ.md":      "# ΟΔΟΣ\n",
}

// prefixes have terms in common with pages, and with each other.
var prefixes = []string{"", "", "guide", "API/v2", "guide/API", "日本", "n", "Σ"}

// A part is a set of sources in a directory of their own. Its prefix comes from the build
// of its shards, from the merge, or from both.
type part struct {
	mount           pipeline.Mount
	inside, outside string // the prefix for the build and for the merge
	shards          int
}

// drawParts writes sources to the directories of several parts.
func drawParts(t *testing.T, rt *rapid.T, dir string) (parts []part) {
	all := trees.DrawSources(rt)
	for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(difficult))), rapid.ID).Draw(rt, "difficult") {
		delete(all, strings.ToLower(name))
		if all[name] == "" {
			all[name] = difficult[name]
		}
	}
	n := rapid.IntRange(1, 3).Draw(rt, "parts")
	files := make([]map[string]string, n)
	for i := range files {
		files[i] = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		files[rapid.IntRange(0, n-1).Draw(rt, "part")][name] = all[name]
	}
	for i := range files {
		mount := pipeline.Mount{
			Dir: filepath.Join(dir, fmt.Sprint("part", i)), Extensions: []string{"md", "html", "ipynb"},
			Prefix: rapid.SampledFrom(prefixes).Draw(rt, "prefix"),
		}
		trees.WriteTree(t, mount.Dir, files[i])
		p := part{mount: mount, outside: mount.Prefix, shards: rapid.IntRange(1, 3).Draw(rt, "shards")}
		switch first, rest, isLong := strings.Cut(mount.Prefix, "/"); {
		case rapid.Bool().Draw(rt, "prefix in the build"):
			p.inside, p.outside = mount.Prefix, ""
		case isLong && rapid.Bool().Draw(rt, "prefix in both"):
			p.inside, p.outside = rest, first
		}
		parts = append(parts, p)
	}
	return parts
}

// A lawTest makes caches in a directory, all with the same configuration.
type lawTest struct {
	t      *testing.T
	rt     *rapid.T
	dir    string
	config pipeline.Config // common to all builds
	made   int
}

func (l *lawTest) path() string {
	l.made++
	return filepath.Join(l.dir, fmt.Sprint("cache", l.made))
}

func (l *lawTest) build(shard pipeline.Shard, mounts ...pipeline.Mount) (string, error) {
	cfg := l.config
	cfg.Cache, cfg.Sources, cfg.Shard = l.path(), mounts, shard
	_, err := pipeline.Build(l.t.Context(), cfg)
	return cfg.Cache, err
}

func (l *lawTest) merge(inputs ...Input) (string, error) {
	path := l.path()
	noVerify := rapid.Bool().Draw(l.rt, "no verify")
	plan := Plan{Inputs: inputs, Cache: path, NoVerify: noVerify, Jobs: 2}
	if about := l.config.About; about.BaseURL != "" { // doesn't fit below a prefix unless it is chosen
		plan.BaseURL = &about.BaseURL
	}
	_, err := Caches(l.t.Context(), plan)
	return path, err
}

// inputs builds the shards of a part, and may merge them below the end of their prefix.
func (l *lawTest) inputs(p part) (inputs []Input) {
	mount := p.mount
	mount.Prefix = p.inside
	for number := range p.shards {
		path, err := l.build(pipeline.Shard{Number: number + 1, Of: p.shards}, mount)
		if err != nil {
			l.rt.Fatal(err)
		}
		inputs = append(inputs, Input{Path: path, Prefix: p.outside})
	}
	if !rapid.Bool().Draw(l.rt, "merge the part first") {
		return inputs
	}
	outer, inner := "", p.outside
	if rapid.Bool().Draw(l.rt, "prefix in steps") {
		if outer, inner, _ = strings.Cut(p.outside, "/"); inner == "" {
			outer, inner = inner, outer
		}
	}
	for i := range inputs {
		inputs[i].Prefix = inner
	}
	path, err := l.merge(inputs...)
	if err != nil {
		l.rt.Fatal(err)
	}
	return []Input{{Path: path, Prefix: outer}}
}

// mergeAll merges inputs as a tree of any form.
func (l *lawTest) mergeAll(inputs []Input) (string, error) {
	for {
		inputs = rapid.Permutation(inputs).Draw(l.rt, "order")
		some := rapid.IntRange(1, len(inputs)).Draw(l.rt, "merged")
		path, err := l.merge(inputs[:some]...)
		if err != nil || some == len(inputs) {
			return path, err
		}
		inputs = append([]Input{{Path: path}}, inputs[some:]...)
	}
}

// Any partition of sources into caches, merged in any order or tree and with any prefixes,
// is byte for byte the cache of a single build.
func TestAMergeIsASingleBuild(t *testing.T) {
	work := t.TempDir()
	runs, clashes := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		l := &lawTest{t: t, rt: rt, dir: filepath.Join(work, fmt.Sprint(runs)), config: pipeline.Config{
			Selection: rapid.SampledFrom([]selection.Spec{selection.Spec0, selection.Spec1}).Draw(rt, "selection"),
			About: document.About{
				Description: rapid.SampledFrom([]string{"", "All of it"}).Draw(rt, "description"),
				BaseURL:     rapid.SampledFrom([]string{"", "https://example.org/docs/"}).Draw(rt, "base URL"),
				Product:     rapid.SampledFrom([]document.Product{{}, {Name: "next"}, {Name: "next", Version: "16.4.6"}}).Draw(rt, "product"),
			},
			CreatedAt: rapid.SampledFrom([]string{"", "2026-01-02T03:04:05Z"}).Draw(rt, "time"),
		}}
		parts := drawParts(t, rt, l.dir)
		var mounts []pipeline.Mount
		var inputs []Input
		for _, p := range parts {
			mounts = append(mounts, p.mount)
			inputs = append(inputs, l.inputs(p)...)
		}
		whole, buildErr := l.build(pipeline.Shard{}, mounts...)
		merged, mergeErr := l.mergeAll(inputs)
		if errors.Is(buildErr, sources.ErrSharedID) && errors.Is(mergeErr, cache.ErrClash) {
			clashes++
			return
		}
		if buildErr != nil || mergeErr != nil {
			rt.Fatalf("build: %v; merge: %v", buildErr, mergeErr)
		}
		want, got := trees.ReadTree(t, whole), trees.ReadTree(t, merged)
		if !maps.Equal(got, want) {
			for name := range want {
				if got[name] != want[name] {
					rt.Errorf("%s: got %.3000q, want %.3000q", name, got[name], want[name])
				}
			}
			rt.Errorf("got %q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	})
	if clashes == runs {
		t.Error("nothing was compared, because IDs clash in all runs")
	}
	t.Logf("%d runs, %d with IDs that clash", runs, clashes)
}
