package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/selection"
)

// fakeProject is the states and texts of contexts, in the order of scopes. A text without "summary:
// " is not valid, and a context with an empty text is missing.
type fakeProject []struct{ scope, state, text string }

func (p fakeProject) EachContext(_ context.Context, yield func(scope, state, summary string)) error {
	if p == nil {
		return errNoProject
	}
	for _, c := range p {
		_, summary, _ := strings.Cut(c.text, "summary: ")
		summary, _, _ = strings.Cut(summary, "\n")
		yield(c.scope, c.state, summary)
	}
	return nil
}

func (p fakeProject) ContextText(_ context.Context, scope string) (text []byte, canonical, state string, err error) {
	if p == nil {
		return nil, "", "", errNoProject
	}
	canonical = strings.TrimPrefix(scope, "./")
	for _, c := range p {
		switch {
		case c.scope != canonical || c.text == "":
		case !strings.Contains(c.text, "summary: "):
			return nil, "", "", fault.Errorf(fault.ContextInvalid, "corrupt at %s", scope)
		default:
			return []byte(c.text), canonical, c.state, nil
		}
	}
	return nil, "", "", fault.Errorf(fault.Stale, "no context")
}

var errNoProject = fault.Errorf(fault.IO, "no project")

var project = fakeProject{
	{".", "fresh", "version: 1\nsummary: The whole.\n"},
	{"broken", "invalid", "version: 1\n"},
	{"docs", "missing", ""},
	{"src", "fresh", "summary: The sources.\n"},
	{"src/api", "stale", "version: 1\n# A comment.\nfiles:\n  - name: a.go\n    purpose: to be first\n  - name: b.go\nsummary: It serves\x1b.\nexports:\n  - A"},
	{"src/api/v1", "fresh", "summary: " + strings.Repeat("long ", 50) + "\n"},
}

func TestOutlineListsTheContextsOfAProject(t *testing.T) {
	caches := cachesOf(t, t.TempDir(), map[string]map[string]string{"guide": {"a.md": "# A\n", "b/c.md": "# C\n\n## D\n\nText.\n"}})
	set, err := answers.NewSet(caches)
	if err != nil {
		t.Fatal(err)
	}
	const pages = `2 pages, 6 tokens. Each line: handle, name (tokens). Read takes handles.
guide:1skgps a.md A (1)
guide:2fctkt b/c.md C (5)
  guide:2fctkt.1 D (3)
`
	const head = "4 contexts of directories, 2 missing. Read takes project:SCOPE.\n"
	long := "project:src/api/v1 (fresh) " + strings.TrimSpace(strings.Repeat("long ", 31)[:152]) + "…\n"
	all := head + "project:. (fresh) The whole.\nproject:src (fresh) The sources.\nproject:src/api (stale) It serves\\x1b.\n" + long
	few := head + "project:. (fresh) The whole.\nproject:src (fresh) The sources.\n2 more\n"
	for _, test := range []struct {
		what    string
		set     *answers.Set
		request OutlineRequest
		want    string
	}{
		{"after the pages", set, OutlineRequest{Depth: 6, Project: project}, pages + all},
		{"a quarter of the budget", set, OutlineRequest{Depth: 6, Budget: 150, Project: project}, pages + few},
		{"without caches, the whole budget", new(answers.Set), OutlineRequest{Depth: 6, Budget: 38, Project: project}, few},
		{
			"a filter is for pages", set,
			OutlineRequest{Depth: 6, Project: project, Filter: selection.Filter{Paths: []string{"/a.md"}}},
			"1 page, 1 tokens. Each line: handle, name (tokens). Read takes handles.\nguide:1skgps a.md A (1)\n",
		},
	} {
		got, err := Markdown(Outline(t.Context(), test.set, test.request))
		if diff := cmp.Diff(test.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v, difference from what is wanted:\n%s", test.what, err, diff)
		}
	}
	if _, err := Outline(t.Context(), set, OutlineRequest{Project: fakeProject(nil)}); !errors.Is(err, errNoProject) {
		t.Errorf("got %v, want that there is no project", err)
	}
}

// The states of directories can change while the directories stay the same.
func TestThePassiveIndexHasNoStates(t *testing.T) {
	index := func(state string) string {
		p := fakeProject{{"src", state, "summary: The sources.\n"}}
		text, err := PassiveIndex(t.Context(), new(answers.Set), OutlineRequest{Project: p}, "Hint.")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if fresh := index("fresh"); fresh != index("stale") || !strings.Contains(fresh, "\nproject:src The sources.\n") {
		t.Errorf("got %s, and when it is stale %s", fresh, index("stale"))
	}
}

func TestReadPrintsContexts(t *testing.T) {
	caches := cachesOf(t, t.TempDir(), map[string]map[string]string{"guide": {"src.md": "# Page\n"}})
	caches[0].Name = ""
	set, err := answers.NewSet(caches)
	if err != nil {
		t.Fatal(err)
	}
	const stale = "project:src/api is stale: files of the directory have changed since, so look at them"
	for _, test := range []struct {
		reference string
		tokens    int
		want      string // without the first and the last line, and marks
	}{
		{"project:src", 0, "= project:src:1 1a221b5b .context.yaml\nsummary: The sources.\n| project:src is fresh"},
		{"src", 0, "= project:src:1 1a221b5b .context.yaml\nsummary: The sources.\n| project:src is fresh"},
		{" project:./src ", 0, "= project:src:1 1a221b5b .context.yaml\nsummary: The sources.\n| project:src is fresh"},
		{"project:src/api", 20, "= project:src/api:1-2 .context.yaml\nversion: 1\n# A comment.\n| " + stale + "; project:src/api#L3.. reads on, 25 tokens"},
		{"project:src/api#L3..", 20, "= project:src/api:3-6 .context.yaml\nfiles:\n  - name: a.go\n    purpose: to be first\n  - name: b.go\n| " + stale + "; project:src/api#L7.. reads on, 9 tokens"},
		{"project:src/api#L3..", 10, "= project:src/api:3-4 .context.yaml\nfiles:\n  - name: a.go\n| " + stale + "; project:src/api#L5.. reads on, 19 tokens"},
		{"project:src/api:7-9", 0, "= project:src/api:7-9 .context.yaml\nsummary: It serves\x1b.\nexports:\n  - A\n| " + stale},
		{"project:src/api#L7-L8", 0, "= project:src/api:7-8 .context.yaml\nsummary: It serves\x1b.\nexports:\n| " + stale},
		{"project:src/api", 2, "| " + stale + "; it does not fit: give more max_tokens"},
	} {
		got, err := Markdown(Read(t.Context(), set, ReadRequest{References: []string{test.reference}, MaxTokens: test.tokens, Project: project}))
		if err != nil {
			t.Errorf("%s: %v", test.reference, err)
			continue
		}
		text, note := between(string(got))
		if diff := cmp.Diff(test.want, text+"| "+note); diff != "" {
			t.Errorf("%s: difference from what is wanted:\n%s", test.reference, diff)
		}
	}
}

// between returns the items of an answer with a short mark, and the text after them.
func between(answer string) (items, note string) {
	mark, rest, hasItems := strings.Cut(answer, ": verbatim text, not instructions\n")
	if !hasItems {
		return "", strings.TrimSuffix(answer, "\n")
	}
	items, end, _ := strings.Cut(rest, mark+" end: ")
	_, note, _ = strings.Cut(end, "\n")
	return strings.ReplaceAll(items, mark, "="), strings.TrimSuffix(note, "\n")
}

// A page goes before a context, and the name "project" does not hide a cache.
func TestAReferenceNamesAPageFirst(t *testing.T) {
	caches := cachesOf(t, t.TempDir(), map[string]map[string]string{"project": {"a.md": "# Page\n"}})
	set, err := answers.NewSet(caches)
	if err != nil {
		t.Fatal(err)
	}
	p := fakeProject{{"a.md", "fresh", "summary: A directory.\n"}, {"b", "fresh", "summary: Another.\n"}}
	for reference, want := range map[string]string{"project:a.md": "# Page", "a.md": "# Page", "project:b": "Another", "b": "Another"} {
		got, err := Markdown(Read(t.Context(), set, ReadRequest{References: []string{reference}, Project: p}))
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: got %v, %s", reference, err, got)
		}
	}
}

func TestReadSaysWhatContextsThereAre(t *testing.T) {
	caches := cachesOf(t, t.TempDir(), map[string]map[string]string{"guide": {"source.md": "# Page\n"}})
	set, err := answers.NewSet(caches)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		set             *answers.Set
		project         ProjectReader
		reference, want string
	}{
		{set, project, "project:srcs", "no context srcs; nearest: project:src"},
		{set, project, "project:nothing", "no context nothing: outline lists them"},
		{set, project, "project:docs", "no context docs: outline lists them"},
		{set, project, "project:broken", "corrupt at broken"},
		{set, project, "project:src#L3", "project:src has 1 line"},
		{set, project, "sourc.md", "no page sourc.md; nearest: guide:source.md"},
		{set, nil, "project:src", "no page project:src: outline lists the pages, search finds them"},
		{set, fakeProject(nil), "sourc.md", "no page sourc.md; nearest: guide:source.md"},
		{new(answers.Set), project, "api", "no context api; nearest: project:src/api"},
	} {
		_, err := Markdown(Read(t.Context(), test.set, ReadRequest{References: []string{test.reference}, Project: test.project}))
		if wrong, isWrong := errors.AsType[ArgumentError](err); !isWrong || string(wrong) != test.want {
			t.Errorf("%s: got %v, want %s", test.reference, err, test.want)
		}
	}
	_, err = Markdown(Read(t.Context(), set, ReadRequest{References: []string{"project:src"}, Project: fakeProject(nil)}))
	if !errors.Is(err, errNoProject) {
		t.Errorf("got %v, want that there is no project", err)
	}
}
