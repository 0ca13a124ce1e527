package agent

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/selection"
)

// A page of many headings is listed as far as they fit, and no line is made of the others
// but a few.
func TestOnlyHeadingsThatMayFitAreLookedAt(t *testing.T) {
	const headings, budget = 20_000, 500
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": {"a.md": "# Page\n" + strings.Repeat("# One\n## Two\n", headings/2)}})
	all, err := Markdown(Outline(t.Context(), set, OutlineRequest{Depth: DeepestHeadings, Budget: headings * 20}))
	if err != nil || bytes.Count(all, []byte("\n")) < headings {
		t.Fatalf("got %d lines and error %v, want %d headings", bytes.Count(all, []byte("\n")), err, headings)
	}
	some, err := Markdown(Outline(t.Context(), set, OutlineRequest{Depth: DeepestHeadings, Budget: budget}))
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(string(all), "\n"), func(line string) bool { return strings.HasPrefix(line, "    ") })
	if want := strings.Join(lines, "\n"); len(some) < budget || !strings.HasPrefix(want, string(some)) {
		t.Errorf("got %s, want as many headings of the first level as fit %d tokens", some, budget)
	}
	pages, err := set.Pages(t.Context(), OutlineRequest{}.Filter, 0)
	if err != nil {
		t.Fatal(err)
	}
	found, err := (&outline{budget: 4 * budget}).headingsOf(t.Context(), pages[0])
	if most := 2 * (4*budget/shortestLine + 1); err != nil || len(found) > most {
		t.Errorf("got %d headings and error %v, want at most %d", len(found), err, most)
	}
}

// All answers call a page by the same title.
func TestEveryAnswerUsesTheSameTitle(t *testing.T) {
	titles := map[string]string{ // by page
		"# First\n\nwalrus\n":                                  "First",
		"## Second level\n\nwalrus\n\n## Other\n\nwalrus\n":    "Second level",
		"## Preface\n\nwalrus\n\n# Main\n\nwalrus\n":           "Main",
		"#\n\nwalrus\n\n### After an empty one\n\nwalrus\n":    "After an empty one",
		"Setext\n---\n\nwalrus\n":                              "Setext",
		"---\ntitle: In front\n---\nwalrus\n":                  "In front",
		"---\ntitle: In  front\n---\n# Other\n\nwalrus\n":      "In front",
		"---\ntitle: \" \"\n---\n## Below a blank\n\nwalrus\n": "Below a blank",
		"## A [link](x.md) {#anchor}\n\nwalrus\n":              "A link",
		"<h1>Markup</h1>\n\nwalrus\n":                          "",
		"walrus\n":                                             "",
	}
	for text, title := range titles {
		set := setOf(t, t.TempDir(), map[string]map[string]string{"": {"page.md": text, "b.md": "another walrus\n"}})
		name := strings.TrimSpace("page.md " + title)
		index, err1 := PassiveIndex(t.Context(), set, OutlineRequest{}, "")
		outline, err2 := Markdown(Outline(t.Context(), set, OutlineRequest{Depth: DeepestHeadings}))
		search, err3 := Markdown(Search(t.Context(), set, SearchRequest{Query: "walrus", Filter: selection.Filter{Paths: []string{"page.md"}}}))
		llms, err4 := LLMsText(t.Context(), set, selection.Filter{})
		skill, err5 := Skill(t.Context(), set, SkillRequest{Name: "walrus"})
		shown, err6 := Outline(t.Context(), set, OutlineRequest{})
		read, err7 := Read(t.Context(), set, ReadRequest{References: []string{"page.md"}})
		if err := errors.Join(err1, err2, err3, err4, err5, err6, err7); err != nil {
			t.Fatal(err)
		}
		for answer, want := range map[string]string{
			string(index): "\n" + name + "\n", string(outline): " " + name + " (", string(search): name + "\n",
			string(llms): "[" + cmp.Or(title, "page.md") + "](page.md)", string(skill): "\n" + name + "\n",
		} {
			if !strings.Contains(answer, want) {
				t.Errorf("%q: got %q, want %q", text, answer, want)
			}
		}
		if topics := "Topics: " + title + "."; title != "" && !strings.Contains(string(skill), topics) {
			t.Errorf("%q: got skill %q, want %q", text, skill, topics)
		}
		at := slices.IndexFunc(shown.Parts, func(p AnswerPart) bool { return p.Reference == "page.md" })
		for _, got := range []string{shown.Parts[at].Label, read.Parts[1].Text.Title} {
			if got != title {
				t.Errorf("%q: got title %q in parts, want %q", text, got, title)
			}
		}
		if got := fmt.Sprintf("%q", outline); title != "Main" && title != "" && strings.Count(got, title) != 1 {
			t.Errorf("%q: the title is also a heading in %s", text, got)
		}
	}
}

func TestAnOutlineGroupsPagesByCache(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{
		"one": {"a.md": "# A\n\n## Part\n", "c.md": "# C\n", "guide/d.md": "# D\n", "guide/e.md": "# E\n"},
		"two": {"a.md": "# A\n", "b.md": "# B\n"},
	})
	const (
		all = `6 pages, 9 tokens. Each line: handle, name (tokens). Read takes handles.
one: 4 pages, 7 tokens
one:1dxrbm a.md A (4)
  one:1dxrbm.1 Part (2)
one:2drhpk c.md C (1)
one:3dwzdz guide/d.md D (1)
one:4mvzck guide/e.md E (1)
two: 2 pages, 2 tokens
two:1skgps a.md A (1)
two:2pghjw b.md B (1)
`
		some = `6 pages, 9 tokens. Each line: handle, name (tokens). Read takes handles.
one: 4 pages, 7 tokens
one:1dxrbm a.md A (4)
one:2drhpk c.md C (1)
two: 2 pages, 2 tokens
two:1skgps a.md A (1)
/ 3 more pages, 3 tokens
`
		small = `6 pages, 9 tokens. Each line: handle, name (tokens). Read takes handles.
one: 4 pages, 7 tokens
one:1dxrbm a.md A (4)
/ 5 more pages, 5 tokens
`
	)
	for budget, want := range map[int]string{0: all, 40: some, 20: small} {
		got, err := Markdown(Outline(t.Context(), set, OutlineRequest{Depth: DeepestHeadings, Budget: budget}))
		if err != nil || string(got) != want {
			t.Errorf("budget %d: got %s, error %v, want %s", budget, got, err, want)
		}
	}
	index, err := PassiveIndex(t.Context(), set, OutlineRequest{}, "")
	const pages = "\none:a.md A\none:c.md C\none:guide/d.md D\none:guide/e.md E\ntwo:a.md A\ntwo:b.md B\n"
	if err != nil || !strings.Contains(string(index), pages) {
		t.Errorf("got %s, error %v, want %s", index, err, pages)
	}
}
