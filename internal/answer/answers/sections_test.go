package answers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// drawPage draws a page of sections. Some of them are cut into parts.
func drawPage() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var page strings.Builder
		if rapid.Bool().Draw(t, "front matter") {
			page.WriteString("---\ntitle: " + rapid.SampledFrom(names).Draw(t, "name") + "\ntags: [" + rapid.SampledFrom([]string{"a", "b", "a, b"}).Draw(t, "tags") + "]\n---\n")
		}
		for range rapid.IntRange(0, 5).Draw(t, "sections") {
			level := rapid.IntRange(0, 4).Draw(t, "level")
			page.WriteString(strings.Repeat("#", level) + " " + rapid.SampledFrom(slices.Concat(names, pageWords)).Draw(t, "title") + "\n\n")
			if rapid.Bool().Draw(t, "definition") {
				page.WriteString("The " + rapid.SampledFrom(names).Draw(t, "subject") + " is " + rapid.SampledFrom(pageWords).Draw(t, "definition") + ".\n\n")
			}
			for range rapid.IntRange(0, 3).Draw(t, "blocks") {
				words := rapid.SliceOfN(rapid.SampledFrom(pageWords), 1, 6).Draw(t, "block")
				repeated := strings.Repeat(strings.Join(words, " ")+"\n", rapid.SampledFrom([]int{1, 5, 30, 200}).Draw(t, "times"))
				kind := rapid.SampledFrom([]string{"%s", "- %s", "> %s", "```sh\n%s```\n", "~~~\n%s", "| cache | be |\n|-|-|\n%s"}).Draw(t, "kind")
				page.WriteString(fmt.Sprintf(kind, repeated) + "\n")
			}
		}
		return page.String()
	})
}

var pageWords = []string{
	"install", "the", "max_tokens", "maxTokens", "cache", "caches", "v1.2", "検索", "Größe", "привет", "`code`", "HTTPServer", "[the guide](install.md)", "<b>", "to be", "\u200b", "don't",
}

// names are titles, headings and subjects of definitions, and queries ask for them.
var names = []string{"x", "cache", "Install the cache", "maxTokens", "検索", "Größe of caches"}

// Most misspelt words are similar to words of pages, so these replace them.
var misspelt = []string{"instell", "maxtokenz", "приветт", "serverr", "zebra"}

func drawPages(t *rapid.T) map[string]string {
	pages := rapid.SliceOfN(drawPage(), 1, 5).Draw(t, "pages")
	sources := map[string]string{}
	for i := range rapid.IntRange(0, 12).Draw(t, "files") {
		sources[fmt.Sprintf("%s/%d.md", rapid.SampledFrom(pageWords[:4]).Draw(t, "directory"), i)] = rapid.SampledFrom(pages).Draw(t, "page")
	}
	return sources
}

func drawRequest(t *rapid.T) selection.Request {
	text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(slices.Concat(misspelt, pageWords)), 0, 5).Draw(t, "query"), " ")
	if rapid.Bool().Draw(t, "asks for a name") {
		text = rapid.SampledFrom([]string{"", "what is ", "the "}).Draw(t, "question") + rapid.SampledFrom(names).Draw(t, "asked for")
	}
	return selection.Request{
		Query:     parseQueries(t, []string{text})[0],
		Budget:    rapid.OneOf(rapid.Uint64Range(0, 3000), rapid.Just(uint64(math.MaxUint64))).Draw(t, "budget"),
		Selection: selection.Spec1,
		Unit:      rapid.SampledFrom([]selection.Unit{selection.AnyUnit, selection.Documents, selection.Sections}).Draw(t, "unit"),
		Filter: selection.Filter{
			Paths: rapid.SliceOfN(rapid.SampledFrom(somePatterns), 0, 2).Draw(t, "paths"),
			Where: rapid.SliceOfN(rapid.SampledFrom(someFields), 0, 2).Draw(t, "where"),
		},
		MinScore: rapid.SampledFrom([]uint32{0, 0, 1, selection.One / 2, selection.One}).Draw(t, "least score"),
		Pretty:   rapid.Bool().Draw(t, "pretty"),
		Jobs:     rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "jobs"),
	}
}

var someFields = []string{"tags=A", "Tags=b", "title=x", "title=install"}

var somePatterns = []string{"install/", "!install/", "the/*", "!*1.md", "*.MD", "#x", "max_*/**"}

// ask returns the answer of a cache.
func ask(t rapid.TB, path string, request selection.Request) string {
	t.Helper()
	c, err := answers.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var out bytes.Buffer
	if err := c.Resolve(context.Background(), request, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Selection 1 must return the same answer with an index of sections, with an index of
// documents and without an index, for any number of jobs. The answer must keep its
// promises.
func TestSelection1IsTheSameWithAndWithoutIndexes(t *testing.T) {
	work := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		sources := drawPages(rt)
		trees.WriteTree(t, filepath.Join(dir, "docs"), sources)
		for number := range 2 {
			cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, fmt.Sprint(number)), Selection: selection.SpecOf(number)}
			if _, err := pipeline.Build(t.Context(), cfg); err != nil {
				rt.Fatal(err)
			}
		}
		bare := trees.CopyWithoutIndex(rt, filepath.Join(dir, "1"))
		for range 4 {
			request := drawRequest(rt)
			want := ask(rt, filepath.Join(dir, "1"), request)
			for _, other := range []string{
				ask(rt, bare, request),
				ask(rt, filepath.Join(dir, "0"), request),
			} {
				if other != want {
					rt.Errorf("%q within %d: got\n%s\nwant\n%s", request.Query.Text(), request.Budget, other, want)
				}
			}
			checkResult(rt, want, sources, request)
		}
	})
}

// checkResult fails the test unless a result keeps the promises of selection 1.
func checkResult(t *rapid.T, text string, sources map[string]string, request selection.Request) {
	t.Helper()
	var result struct {
		Documents []struct {
			ID, Version, Content string
			Score                float64
			Tokens               uint64
		}
		Selection struct {
			TokensUsed uint64 `json:"tokens_used"`
		}
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		t.Fatal(err)
	}
	byID := map[string]string{}
	for path, content := range sources {
		byID[string(document.IDOf(path))] = content
	}
	used, seen := uint64(0), map[string]bool{}
	for _, d := range result.Documents {
		page, slug, isPart := strings.Cut(d.ID, "#")
		used += d.Tokens
		switch {
		case seen[d.ID]:
			t.Errorf("duplicate item %s", d.ID)
		case isPart && printedOf(t, byID[page], slug) != d.Content || !isPart && byID[page] != d.Content:
			t.Errorf("%s is not in its page", d.ID)
		case uint64(len(d.Content)+3)/4 != d.Tokens:
			t.Errorf("%s: got %d bytes and %d tokens", d.ID, len(d.Content), d.Tokens)
		case isPart && strings.HasPrefix(d.Content, "---\ntitle: "):
			t.Errorf("%s contains the front matter of its page", d.ID)
		case isPart && request.Unit == selection.Documents:
			t.Errorf("%s is a part", d.ID)
		case document.VersionOf([]byte(d.Content)).String() != d.Version:
			t.Errorf("%s: wrong version", d.ID)
		case d.Score <= 0 || d.Score > 1:
			t.Errorf("%s: got a score of %v", d.ID, d.Score)
		}
		seen[d.ID] = true
	}
	if used > request.Budget || used != result.Selection.TokensUsed {
		t.Errorf("got %d tokens within %d, but TokensUsed says %d", used, request.Budget, result.Selection.TokensUsed)
	}
}

// printedOf returns what is printed of a page's section: its lead, its bytes and its
// tail.
func printedOf(t rapid.TB, page, slug string) string {
	t.Helper()
	split, err := stages.SplitOf(context.Background(), document.Document{ID: "a.md", Content: []byte(page)})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range split.Sections {
		if s.Slug == slug {
			return page[s.Lead.Start:s.Lead.End] + page[s.Start:s.End] + page[s.Tail.Start:s.Tail.End]
		}
	}
	t.Fatalf("missing section with the slug %q", slug)
	return ""
}

// If a page consists of a single section, its evidence must add up to its score. A part
// of a section may score more, because its neighbour supports it. Each number is rounded
// down.
func TestEvidenceAddsUpToTheScore(t *testing.T) {
	work := t.TempDir()
	runs := 0
	kinds := map[string]int{}
	check := func(t cleaner, pages map[string]string, request selection.Request) {
		runs++
		dir := filepath.Join(work, fmt.Sprint(runs))
		trees.WriteTree(t, filepath.Join(dir, "docs"), pages)
		build(t, filepath.Join(dir, "docs"), filepath.Join(dir, "cache"), selection.Spec1)
		request.Unit = selection.Sections
		for _, item := range explanationOf(t, open(t, filepath.Join(dir, "cache")), request).Items {
			sum := 0.0
			for _, evidence := range item.Evidence {
				sum += float(t, evidence.Adds)
				kinds[evidence.Kind]++
			}
			score, rounded := float(t, item.Score), float64(1+len(item.Evidence))/selection.One
			isWhole := !strings.Contains(string(item.ID), "#")
			if sum > score+rounded || isWhole && sum < score-rounded {
				t.Errorf("%q: %s scores %v, but its evidence adds up to %v: %+v", request.Query.Text(), item.ID, score, sum, item.Evidence)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) { check(t, drawPages(t), drawRequest(t)) })
	spans := map[string]string{"a.md": "# Span\n\nA span is a unit of work.\n\n## Work\n\nThe span of work.\n", "b.md": "# Other\n\nOf a span.\n"}
	check(t, spans, selection.Request{Query: parseQueries(t, []string{"span"})[0], Budget: 1000})
	for _, kind := range []string{"", selection.SentenceEvidence, selection.AboutEvidence, selection.TitleEvidence, selection.HeadingEvidence, selection.DefinitionEvidence} {
		if kinds[kind] == 0 {
			t.Errorf("no evidence is of the kind %q, so the test doesn't cover it", kind)
		}
	}
}

// The table between the two sections contains no word of the query.
func TestASmallHoleIsPrinted(t *testing.T) {
	work := t.TempDir()
	page := "# Before\n\n" + strings.Repeat("Widgets are small things. ", 20) +
		"\n\n# Sizes\n\n| a | b |\n| - | - |\n" + strings.Repeat("| 1 | thousand |\n", 35) +
		"\n# After\n\n" + strings.Repeat("Widgets come and go here. ", 20) +
		"\n\n# Other\n\n" + strings.Repeat("Nothing is said of them. ", 40)
	trees.WriteTree(t, filepath.Join(work, "docs"), map[string]string{"a.md": page, "b.md": "# B\n\nNo word of it.\n"})
	build(t, filepath.Join(work, "docs"), filepath.Join(work, "cache"), selection.Spec1)
	request := selection.Request{Query: parseQueries(t, []string{"widgets"})[0], Budget: 1000}
	answer := ask(t, filepath.Join(work, "cache"), request)
	for id, want := range map[string]bool{"a.md#before": true, "a.md#sizes": true, "a.md#after": true, "a.md#other": false} {
		if got := strings.Contains(answer, `"id":"`+id+`"`); got != want {
			t.Errorf("%s: got %v, want %v: %s", id, got, want, answer)
		}
	}
	if !strings.Contains(answer, `"documents_selected":3,"documents_excluded_by_budget":0`) {
		t.Errorf("got totals other than 3 chosen and none left out: %s", answer)
	}
}

func float(t rapid.TB, number string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
