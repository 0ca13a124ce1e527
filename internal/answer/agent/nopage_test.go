package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/selection"
)

var filteredPages = map[string]map[string]string{
	"one": {
		"ref/5.1/a.md": "---\ntopic: guide\nlevel: 1\n---\n# Alpha\n\nThe timeout is 30 seconds.\n",
		"ref/7.4/b.md": "---\ntopic: api\nlevel: 1\n---\n# Beta\n\nA timeout of 20.\n",
	},
	"two": {
		"ref/5.1/a.md": "---\ntopic: other\nlevel: 1\ntags: [new, old]\n---\n# Gamma\n\nNo timeout.\n",
		"hid/keys.md":  "---\ntopic: other\nlevel: 1\n---\n# Keys\n\nPress keys until the timeout of the keyboard.\n",
	},
}

// pagesOfSearch returns the pages of an answer.
func pagesOfSearch(t *testing.T, set *answers.Set, request SearchRequest) (pages []string, answer string) {
	t.Helper()
	request.Limit = MostHits
	a, err := Search(t.Context(), set, request)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range a.Parts {
		if p.Kind == PagePart {
			pages = append(pages, p.Reference)
		}
	}
	return pages, string(a.Markdown())
}

func TestFiltersTakeWhatAnswersPrintAndPeopleWrite(t *testing.T) {
	set := setOf(t, t.TempDir(), filteredPages)
	const all = "one:ref/5.1/a.md one:ref/7.4/b.md two:hid/keys.md two:ref/5.1/a.md"
	for path, want := range map[string]string{
		"5.1/a.md": "one:ref/5.1/a.md two:ref/5.1/a.md", "one:ref/5.1/a.md": "one:ref/5.1/a.md", "two:ref/5.1/a.md#gamma": "two:ref/5.1/a.md",
		"one:5.1/": "one:ref/5.1/a.md", "ref/7.4/b.md:5-7": "one:ref/7.4/b.md", "./ref/7.4/": "one:ref/7.4/b.md",
		"ref/7.4/…": "one:ref/7.4/b.md", "ref/7.4/:": "one:ref/7.4/b.md", `ref\7.4\b.md`: "one:ref/7.4/b.md", "`hid/`": "two:hid/keys.md",
		"*.{md,mdx}": all, "{hid,ref/{7.4,9}}/**": "one:ref/7.4/b.md two:hid/keys.md", "hid/ 7.4/": "one:ref/7.4/b.md two:hid/keys.md",
		"hid/,./ref/7.4/": "one:ref/7.4/b.md two:hid/keys.md",
		"hid/keys":        "two:hid/keys.md", "7.4/b": "one:ref/7.4/b.md", "!./hid/": "one:ref/5.1/a.md one:ref/7.4/b.md two:ref/5.1/a.md",
		".": all, "/": all, "./": all, "two:/": "two:hid/keys.md two:ref/5.1/a.md", `["hid/"]`: "two:hid/keys.md",
		`["hid/", 'ref/7.4/']`: "one:ref/7.4/b.md two:hid/keys.md", "[hid/]": "two:hid/keys.md", "[gh]id/": "two:hid/keys.md",
		"!{hid,ref}/**": "", "HID/Keys.md": "two:hid/keys.md", "three:hid/keys.md": "",
	} {
		pages, answer := pagesOfSearch(t, set, SearchRequest{Query: "timeout", Filter: selection.Filter{Paths: []string{path}}})
		if got := sorted(pages); got != want {
			t.Errorf("path %s: got %s, want %s:\n%s", path, got, want, answer)
		}
	}
	for where, want := range map[string]string{
		"topic = guide": "one:ref/5.1/a.md", `topic="guide"`: "one:ref/5.1/a.md", "topic == 'API'": "one:ref/7.4/b.md",
		"topic!=other": "one:ref/5.1/a.md one:ref/7.4/b.md", "topic != guide": "one:ref/7.4/b.md two:hid/keys.md two:ref/5.1/a.md", "nope!=1": all,
	} {
		filter := selection.Filter{Where: []string{where}}
		pages, answer := pagesOfSearch(t, set, SearchRequest{Query: "timeout", Filter: filter})
		if got := sorted(pages); got != want {
			t.Errorf("where %s: got %s, want %s:\n%s", where, got, want, answer)
		}
		found, err := grep(t.Context(), set.Members(), GrepRequest{Pattern: "timeout", Filter: filter})
		if err != nil || len(found.pages) != len(strings.Fields(want)) {
			t.Errorf("grep where %s: got %+v, %v, want %s", where, found, err, want)
		}
	}
}

func sorted(texts []string) string {
	return strings.Join(slices.Sorted(slices.Values(texts)), " ")
}

func TestAFilterWithoutPagesIsNoAbsence(t *testing.T) {
	set := setOf(t, t.TempDir(), filteredPages)
	for _, tc := range []struct {
		filter selection.Filter
		want   string
	}{
		{selection.Filter{Paths: []string{"hidd/"}}, `no page has the path "hidd/": nearest: hid/; a path looks like guide/, guide/install.md or *.md`},
		{selection.Filter{Paths: []string{"zebra/**"}}, `no page has the path "zebra/**": there are hid/, ref/; a path looks like guide/, guide/install.md or *.md`},
		{selection.Filter{Where: []string{"nope=1"}}, `no page has the key "nope": there are level, tags, title, topic`},
		{selection.Filter{Where: []string{"topc=api"}}, `no page has the key "topc": there are topic, level, tags, title`},
		{selection.Filter{Where: []string{"topic=gide"}}, `no page has "topic=gide": values of "topic" are guide, api, other`},
		{selection.Filter{Where: []string{"tags=none"}}, `no page has "tags=none": values of "tags" are new, "new, old", old`},
		{selection.Filter{Where: []string{"topic=api", "topic=guide"}}, `no page matches this where: leave it out, or change it`},
		{selection.Filter{Paths: []string{"hid/", "!hid/"}}, `no page matches this path: leave it out, or change it`},
		{selection.Filter{Paths: []string{"!*.md"}}, `no page matches this path: leave it out, or change it`},
		{selection.Filter{Paths: []string{"hid/"}, Where: []string{"topic=api"}}, `no page matches this path and where: leave them out, or change them`},
		{selection.Filter{Where: []string{"level!=1"}}, `every page has "level=1"`},
	} {
		for name, call := range map[string]func() (string, error){
			"search": func() (string, error) {
				a, err := Markdown(Search(t.Context(), set, SearchRequest{Query: "timeout", Filter: tc.filter}))
				return string(a), err
			},
			"ask": func() (string, error) {
				a, err := Markdown(Ask(t.Context(), set, AskRequest{Query: "timeout", Filter: tc.filter}))
				return string(a), err
			},
			"grep": func() (string, error) {
				r, err := Grep(t.Context(), set.Members(), GrepRequest{Pattern: "timeout", Filter: tc.filter})
				return string(r.Markdown()), err
			},
			"outline": func() (string, error) {
				_, err := Markdown(Outline(t.Context(), set, OutlineRequest{Filter: tc.filter}))
				return err.Error() + "\n", nil
			},
			"llms": func() (string, error) {
				_, err := LLMsText(t.Context(), set, tc.filter)
				return err.Error() + "\n", nil
			},
		} {
			answer, err := call()
			if first, _, _ := strings.Cut(answer, "\n"); err != nil || first != tc.want {
				t.Errorf("%s %+v: got %v and %q, want %q", name, tc.filter, err, first, tc.want)
			}
			if isRanked := name == "search" || name == "ask"; isRanked != strings.Contains(answer, "\nthe best match is outside of this ") {
				t.Errorf("%s %+v: got\n%s", name, tc.filter, answer)
			}
		}
	}
}

func TestABetterMatchOutsideOfTheFilterIsNamed(t *testing.T) {
	set := setOf(t, t.TempDir(), filteredPages)
	for path, want := range map[string]bool{"7.4/": true, "hid/": false, "5.1/": true} {
		_, answer := pagesOfSearch(t, set, SearchRequest{Query: "keyboard keys timeout", Filter: selection.Filter{Paths: []string{path}}})
		if got := strings.Contains(answer, "the best match is outside of this path: two:1"); got != want {
			t.Errorf("%s: got %t, want %t:\n%s", path, got, want, answer)
		}
	}
	_, answer := pagesOfSearch(t, set, SearchRequest{Query: "timeout keys"})
	if strings.Contains(answer, "outside of") {
		t.Errorf("without a filter: got\n%s", answer)
	}
}
