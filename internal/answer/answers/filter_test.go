package answers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// scoresOf returns the score of each page of an answer, in its order of IDs.
func scoresOf(t rapid.TB, answer string) map[string]json.Number {
	t.Helper()
	var result struct {
		Documents []struct {
			ID    string
			Score json.Number
		}
		Selection struct {
			Considered int `json:"documents_considered"`
			Selected   int `json:"documents_selected"`
		}
	}
	if err := json.Unmarshal([]byte(answer), &result); err != nil {
		t.Fatal(err)
	}
	scores := map[string]json.Number{}
	for _, d := range result.Documents {
		scores[d.ID] = d.Score
	}
	if result.Selection.Selected != len(scores) || result.Selection.Considered < len(scores) {
		t.Errorf("got %+v for %d documents", result.Selection, len(scores))
	}
	return scores
}

func TestPathsChooseByTheLastPatternThatMatches(t *testing.T) {
	dir := t.TempDir()
	sources := map[string]string{}
	for _, name := range []string{"Guide/Install.md", "guide/old/install.md", "guide/old/keep.md", "api/install.md", "install.md", "#odd.md"} {
		sources[name] = "# Install\n\ninstall it by " + name + "\n"
	}
	trees.WriteTree(t, filepath.Join(dir, "docs"), sources)
	for number := range 2 {
		path := filepath.Join(dir, "cache"+string(rune('0'+number)))
		if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: path, Selection: selection.SpecOf(number)}); err != nil {
			t.Fatal(err)
		}
		for patterns, want := range map[string]string{
			"":                               "#odd.md api/install.md guide/install.md guide/old/install.md guide/old/keep.md install.md",
			"guide/":                         "guide/install.md guide/old/install.md guide/old/keep.md",
			"Guide/*.MD":                     "guide/install.md",
			"guide/ !guide/old/":             "guide/install.md",
			"guide/ !guide/old/ guide/**/k*": "guide/install.md guide/old/keep.md",
			"!guide/":                        "#odd.md api/install.md install.md",
			"/install.md":                    "install.md",
			"#odd.md":                        "#odd.md",
			"nothing/":                       "",
			"!*":                             "",
		} {
			request := selection.Request{Query: parseQueries(t, []string{"install"})[0], Budget: 1000}
			request.Filter.Paths = strings.Fields(patterns)
			got := strings.Join(slices.Sorted(maps.Keys(scoresOf(t, ask(t, path, request)))), " ")
			if got != want {
				t.Errorf("selection %d, %q: got %q, want %q", number, patterns, got, want)
			}
		}
	}
}

// explainedScores returns the scores of all pages that have terms of a query.
func explainedScores(t rapid.TB, path string, request selection.Request) map[string]json.Number {
	t.Helper()
	c, err := answers.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	explained, err := c.Explain(context.Background(), request, 1000)
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string]json.Number{}
	for _, item := range explained.Items {
		scores[string(item.ID)] = json.Number(item.Score)
	}
	return scores
}

// Filters and a minimum score restrict the items, but must not change any score.
func TestFiltersChangeNoScore(t *testing.T) {
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		docs, path := filepath.Join(dir, fmt.Sprint("docs", runs)), filepath.Join(dir, fmt.Sprint("cache", runs))
		trees.WriteTree(rt, docs, drawPages(rt))
		if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path, Selection: selection.SpecOf(rapid.IntRange(0, 1).Draw(rt, "selection"))}); err != nil {
			rt.Fatal(err)
		}
		request := drawRequest(rt)
		request.Budget, request.Unit = 1<<40, selection.Documents
		request.Selection = rapid.SampledFrom([]selection.Spec{selection.Spec0, selection.Spec1}).Draw(rt, "by")
		some := scoresOf(rt, ask(rt, path, request))
		request.Filter, request.MinScore = selection.Filter{}, 0
		all := explainedScores(rt, path, request)
		for id, score := range some {
			if all[id] != score {
				rt.Errorf("%s scores %s, and %q without the filter", id, score, all[id])
			}
		}
	})
}
