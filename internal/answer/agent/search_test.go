package agent

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// If a hit is not far from the best, a quote follows its first line.
func TestTheBestHitIsQuoted(t *testing.T) {
	dir := t.TempDir()
	hit := regexp.MustCompile(`(?m)^  [0-9]+[b-z]{5}\.[0-9]+ .*\n(.*)`)
	rapid.Check(t, func(t *rapid.T) {
		pages := corpusOf().Draw(t, "pages")
		var all []string
		for _, text := range pages {
			all = append(all, strings.Fields(text)...)
		}
		if len(all) == 0 {
			t.Skip("the pages contain no word that a query could ask for")
		}
		query := rapid.SampledFrom(all).Draw(t, "query")
		out, err := Markdown(Search(t.Context(), setOf(t, dir, map[string]map[string]string{"": pages}), SearchRequest{Query: query}))
		if err != nil {
			t.Fatal(err)
		}
		if found := hit.FindSubmatch(out); found != nil && !strings.HasPrefix(string(found[1]), "    > ") {
			t.Errorf("%q: missing quote for the best hit:\n%s", query, out)
		}
	})
}

// Read accepts or refuses paths printed by search, but never takes another page.
func TestReadTakesThePathsThatSearchPrints(t *testing.T) {
	dir := t.TempDir()
	line := regexp.MustCompile(`^([^ ].*\.md)( |$)`)
	check := func(rt cleaner, pages map[string]string) (directory string) {
		set := setOf(rt, dir, map[string]map[string]string{"": pages})
		out, err := Markdown(Search(t.Context(), set, SearchRequest{Query: "word"}))
		if err != nil {
			rt.Fatal(err)
		}
		rest := string(out)
		if after, hasOne := strings.CutPrefix(rest, "in "); hasOne {
			directory, rest, _ = strings.Cut(after, ":\n")
		}
		for text := range strings.Lines(rest) {
			found := line.FindStringSubmatch(text)
			if found == nil {
				continue
			}
			whole := directory + found[1]
			if _, isPage := pages[whole]; !isPage {
				rt.Fatalf("%s is no page:\n%s", whole, out)
			}
			got, err := find(t.Context(), set.Members(), found[1])
			if _, isArgument := errors.AsType[ArgumentError](err); err != nil && !isArgument || err == nil && got.name() != whole {
				rt.Errorf("%s: read takes %s, %v, want %s", found[1], got.name(), err, whole)
			}
		}
		return directory
	}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom([]string{"guide/b.md", "guide/c.md", "guide/d/b.md", "guide/d/c.md", "guide/d/e.md", "b.md", "c.md", "d/b.md", "other/guide/b.md", "other/e.md"})
		pages := map[string]string{}
		for _, p := range rapid.SliceOfNDistinct(path, 1, 6, rapid.ID).Draw(t, "pages") {
			pages[p] = "# The page " + p + "\n\n" + rapid.SampledFrom([]string{"word\n", "word and text\n", "text\n"}).Draw(t, "text")
		}
		check(t, pages)
	})
	inOneDirectory := map[string]string{"guide/b.md": "# B\n\nword\n", "guide/c.md": "# C\n\nword\n", "guide/d/e.md": "# E\n\nword\n"}
	if got := check(t, inOneDirectory); got != "guide/" {
		t.Errorf("got the directory %q, want guide/", got)
	}
}

func TestAPageIsReadByTheEndOfItsPath(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{
		"docs":  {"guide/a.md": "# A\n\n## Part\n\nText.\n", "guide/b.md": "# B\n", "other/b.md": "# B\n"},
		"other": {"x/guide/c.md": "# C\n"},
	})
	for reference, want := range map[string]string{
		"a.md":            "docs:guide/a.md",
		"A.md#part":       "docs:guide/a.md",
		"a.md:1-3":        "docs:guide/a.md",
		"a.md#part..":     "docs:guide/a.md",
		"docs:a.md":       "docs:guide/a.md",
		"guide/c.md":      "other:x/guide/c.md",
		"guide/b.md":      "docs:guide/b.md",
		"b.md":            "", // of two pages
		"a":               "docs:guide/a.md",
		"guide/b#L1":      "docs:guide/b.md",
		"oth":             "docs:other/b.md", // begins so
		"uid":             "",                // of three pages
		"ide/a.md":        "docs:guide/a.md", // contains it
		"X/Guide:1..":     "other:x/guide/c.md",
		"other:":          "",
		"docs:guide/c.md": "",
		"a.md#none":       "",
	} {
		got, err := find(t.Context(), set.Members(), reference)
		if name := ""; err == nil {
			if name = got.name(); name != want {
				t.Errorf("%s: got %s, want %s", reference, name, want)
			}
		} else if want != "" {
			t.Errorf("%s: %v", reference, err)
		}
	}
}

func TestATitleOfMostPagesIsNotPrinted(t *testing.T) {
	dir := t.TempDir()
	texts := []string{"stands in a house of stone and glass.", "was sold to some men for gold.", "grows on trees near rivers, where birds sing."}
	for _, tc := range []struct {
		pages []string // their titles
		want  string
	}{
		{[]string{"Summary", "Summary", "Summary"}, "text/0.md|text/1.md|text/2.md"},
		{[]string{"Summary", "Summary", "Other"}, "text/0.md|text/1.md|text/2.md Other"},
		{[]string{"Summary", "More", "Other"}, "text/0.md Summary|text/1.md More|text/2.md Other"},
		{[]string{"Summary"}, "text/0.md Summary"},
	} {
		pages := map[string]string{"text/a.md": "# A\n"}
		for i, title := range tc.pages {
			pages[fmt.Sprintf("text/%d.md", i)] = "# " + title + "\n\nThe word " + texts[i] + "\n"
		}
		out, err := Markdown(Search(t.Context(), setOf(t, dir, map[string]map[string]string{"": pages}), SearchRequest{Query: "word"}))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		directory := ""
		for line := range strings.Lines(string(out)) {
			line = strings.TrimSuffix(line, "\n")
			switch after, hasOne := strings.CutPrefix(line, "in "); {
			case hasOne:
				directory = strings.TrimSuffix(after, ":")
			case line[0] != ' ':
				got = append(got, directory+line)
			}
		}
		if slices.Sort(got); strings.Join(got, "|") != tc.want {
			t.Errorf("%q: got %q, want %q", tc.pages, got, tc.want)
		}
	}
}

func TestPathsAreNamedByWhatDiffers(t *testing.T) {
	for _, tc := range []struct{ path, other, want string }{
		{"a/1/b.md", "a/2/b.md", "a/1/…"},
		{"5.1/b/c.md", "7.1/b/c.md", "5.1/…"},
		{"x:a/c.md", "y:a/c.md", "x:a/…"},
		{"a/b.md", "a/c.md", "a/b.md"},
		{"b.md", "c/b.md", "b.md"},
		{"a/b/b/c.md", "a/b/c.md", "a/b/…"},
		{"a/b.md", "a/b.md", "a/b.md"},
	} {
		if got := withoutEnd(tc.path, tc.other); got != tc.want {
			t.Errorf("%s next to %s: got %s, want %s", tc.path, tc.other, got, tc.want)
		}
	}
}

func TestAQuoteStandsBelowItsOwnHeading(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": {
		"a.md": "# Options\n\n## -Duration\n\nHow long the beep lasts.\n\n## -Tone\n\nThe pitch of the beep in Hertz.\n",
	}})
	for query, want := range map[string]string{
		"how long does a sound last": " -Duration (24 tokens, score 0.10)\n    > How long the beep lasts.\n",
		"Hertz":                      " -Tone (24 tokens, score 0.10)\n    > The pitch of the beep in Hertz.\n",
		"beep":                       " -Duration (24 tokens, score 0.10)\n    > How long the beep lasts.\n    -Tone:\n    > The pitch of the beep in Hertz.\n",
	} {
		out, err := Markdown(Search(t.Context(), set, SearchRequest{Query: query}))
		if got := regexp.MustCompile(`score 0\.[0-9]+`).ReplaceAllString(string(out), "score 0.10"); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: got %v, want %s in:\n%s", query, err, want, got)
		}
	}
}
