package agent

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// A page of many headings is listed as far as they fit, and no line is made of the others
// but a few.
func TestOnlyHeadingsThatMayFitAreLookedAt(t *testing.T) {
	const headings, budget = 20_000, 500
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": {"a.md": "# Page\n" + strings.Repeat("# One\n## Two\n", headings/2)}})
	all, err := Outline(t.Context(), set, OutlineRequest{Depth: DeepestHeadings, Budget: headings * 20})
	if err != nil || bytes.Count(all, []byte("\n")) < headings {
		t.Fatalf("got %d lines and error %v, want %d headings", bytes.Count(all, []byte("\n")), err, headings)
	}
	some, err := Outline(t.Context(), set, OutlineRequest{Depth: DeepestHeadings, Budget: budget})
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
	found, err := headingsOf(t.Context(), new(outline).lineOf(pages[0]), 4*budget)
	if most := 2 * (4*budget/shortestLine + 1); err != nil || len(found) > most {
		t.Errorf("got %d headings and error %v, want at most %d", len(found), err, most)
	}
}
