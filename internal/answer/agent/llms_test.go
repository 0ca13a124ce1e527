package agent

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/selection"
)

func TestAnLLMsTextHasALinkForEachPage(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": {
		"docs/README.md":          "# The guide [beta]\n\nIt guides you. And more.\n",
		"docs/a (b).md":           "\ufeff# A `b\n\n| a | table |\n| --- | --- |\n\nSee [the table](a.md) first. Then go on.\n",
		"docs/x-y.md":             "text without a heading\n",
		"docs/setup/z.md":         "---\ntitle: Z\ndescription: What\n  Z is.\n---\n\nText.\n",
		"docs/setup/only.md":      "---\ntitle: Only\nweight: 3\n---\n",
		"docs/setup/index.md":     "# Set up {#setup}\n",
		"docs/optional/a.md":      "# a < b\n\n" + strings.Repeat("long ", 100) + "\n",
		"docs/.hidden/a.md":       "# H\n\n```\ncode\n```\n",
		"docs/zoo/deep/er/pag.md": "# Pag\n",
	}})
	const want = `# The guide [beta]

## Pages

- [The guide (beta)](docs/README.md): It guides you.
- [A 'b](docs/a%20%28b%29.md): See the table first.
- [x-y.md](docs/x-y.md): text without a heading

## optional/

- [a \< b](docs/optional/a.md): LONG…

## setup

- [Set up](docs/setup/index.md)
- [Only](docs/setup/only.md)
- [Z](docs/setup/z.md): What Z is.

## zoo

- [Pag](docs/zoo/deep/er/pag.md)

## .hidden

- [H](docs/.hidden/a.md)
`
	got, err := LLMsText(t.Context(), set, selection.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.TrimSpace(strings.Repeat("long ", 100)[:longestSentence])
	if diff := cmp.Diff(strings.Replace(want, "LONG", long, 1), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := LLMsText(t.Context(), set, selection.Filter{Paths: []string{"none/"}}); err == nil {
		t.Error("a filter that leaves no page is no error")
	}
}

// linkItem is how the parser of the proposal takes an item apart (llms_txt, parse_link).
var linkItem = regexp.MustCompile(`^-\s*\[([^\]]+)\]\(([^\)]+)\)(?::\s*(.*))?$`)

// Readers find each page once, even with hostile names and titles.
func TestAnLLMsTextCanBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		sources := corpusOf().Draw(t, "corpus")
		sources["odd (x) [y].md"] = "# " + rapid.SampledFrom([]string{"[a](b)", "a `b", "\\", "]", "<!--", "a\tb", "\x1b[2J"}).Draw(t, "title") + "\n"
		set := setOf(t, dir, map[string]map[string]string{"one": sources, "two": corpusOf().Draw(t, "two")})
		out, err := LLMsText(context.Background(), set, selection.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, p := range pagesOf(t, set) {
			want = append(want, p.name())
		}
		name := ""
		for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
			heading, isHeading := strings.CutPrefix(line, "## ")
			found := linkItem.FindStringSubmatch(line)
			switch {
			case i == 0 && strings.HasPrefix(line, "# "), line == "":
			case isHeading:
				name, _, _ = strings.Cut(heading, ": ")
			case found == nil:
				t.Fatalf("line %d is no item: %q", i+1, line)
			default:
				link, err := url.Parse(found[2])
				if err != nil || link.Scheme != "" {
					t.Fatalf("%q: %v", found[2], err)
				}
				got = append(got, name+":"+link.Path)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, out)
		}
	})
}
