package main

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// FTS5 answers with sections or pages within the budget, the best first.
func TestFTS5AnswersWithWhatThePagesWereCutInto(t *testing.T) {
	const installs, removes = "# Tool\n\nRun the installer.\n", "## Remove\n\nDelete the directory.\n"
	docs := fstest.MapFS{
		"tool.md":  {Data: []byte(installs + removes)},
		"large.md": {Data: []byte("# Installers\n" + strings.Repeat("All that is not asked for.\n", 300))},
	}
	for _, c := range []struct {
		name string
		cut  func(string) []section
		want page
	}{
		{"sections", sectionsOf, page{Path: "tool", Content: installs}},
		{"pages", wholePage, page{Path: "tool", Content: installs + removes}},
	} {
		texts, err := newTable(docs, c.cut)
		if err != nil {
			t.Fatal(err)
		}
		defer texts.db.Close()
		got, err := texts.answer("how does an installer run")
		if err != nil {
			t.Fatal(err)
		}
		if want := []page{c.want}; !slices.Equal(got.bundles[0], want) || len(got.ranked) != 2 {
			t.Errorf("%s: got %v of %d texts, want %v of 2", c.name, got.bundles[0], len(got.ranked), want)
		}
	}
}
