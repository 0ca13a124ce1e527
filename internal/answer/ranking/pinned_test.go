package ranking

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// Every constant of selection 1 that decides a score decides a score here. The file was written by
// this package, so it says nothing about whether the scores are right.
func TestScoresOfASmallCorpusArePinned(t *testing.T) {
	data, err := os.ReadFile("testdata/pinned.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var c corpus
	var want string
	for _, file := range txtar.Parse(data).Files {
		name, isPage := strings.CutPrefix(file.Name, "pages/")
		if !isPage {
			want = string(file.Data)
			continue
		}
		for _, section := range sections.Cut(markdown.Parse(file.Data).Body) {
			c.sections, c.pages = append(c.sections, section), append(c.pages, document.ID(name))
		}
	}
	if got := c.pinned(t, want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// pinned returns the queries of a text, which are the lines that aren't indented, each with the
// scores of its hits.
func (c corpus) pinned(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for query := range strings.Lines(text) {
		if query = strings.TrimSuffix(query, "\n"); query == "" || strings.HasPrefix(query, " ") {
			continue
		}
		fmt.Fprintln(&b, query)
		_, scores := c.ranked(t, query)
		for ordinal, score := range scores {
			if score > 0 {
				fmt.Fprintf(&b, "  %s %s\n", score, sections.ID(c.pages[ordinal], c.sections[ordinal].Slug))
			}
		}
	}
	return b.String()
}
