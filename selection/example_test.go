package selection_test

import (
	"fmt"
	"log"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/selection"
)

func ExampleSelect() {
	pages := []struct {
		id      document.ID
		content string
	}{
		{"install.md", "Download the archive, then run the installer."},
		{"upgrade.md", "Run the installer again."},
		{"license.md", "Free for everybody."},
	}
	query, err := selection.ParseQuery("run installer again.")
	if err != nil {
		log.Fatal(err)
	}
	var candidates []selection.Candidate
	for _, page := range pages {
		candidates = append(candidates, selection.Candidate{
			ID:     page.id,
			Tokens: selection.TokensOf(len(page.content)),
			Match:  query.Match([]byte(page.content)),
		})
	}

	selected := selection.Select(candidates, 12)
	for _, position := range selected.Chosen {
		c := candidates[position]
		fmt.Println(c.ID, c.Match.Score(), c.Tokens)
	}
	fmt.Println(selected.Excluded, "excluded")
	// Output:
	// upgrade.md 0.75 6
	// license.md 0.0 5
	// 1 excluded
}
