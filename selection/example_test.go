package selection_test

import (
	"fmt"
	"log"

	"github.com/contextcompiler/context/selection"
)

func ExampleSelect() {
	pages := []struct{ id, content string }{ // sorted by ID
		{"install.md", "Download the archive, then run the installer."},
		{"license.md", "Free for everybody."},
		{"upgrade.md", "Run the installer again."},
	}
	query, err := selection.ParseQuery("run installer again.")
	if err != nil {
		log.Fatal(err)
	}
	var documents selection.Documents
	var hits []selection.WordHit
	for i, page := range pages {
		match := query.Match([]byte(page.content))
		documents.Words = append(documents.Words, uint32(match.TotalWords))
		documents.Sizes = append(documents.Sizes, uint32(len(page.content)))
		if match.TermMatches > 0 {
			hits = append(hits, selection.WordHit{Position: uint32(i), Matches: uint32(match.TermMatches)})
		}
	}

	picks, totals := selection.Select(documents, hits, 12)
	for _, p := range picks {
		fmt.Println(pages[p.Position].id, p.Match.Score(), p.Tokens)
	}
	fmt.Println(totals.Excluded, "excluded")
	// Output:
	// upgrade.md 0.75 6
	// license.md 0.0 5
	// 1 excluded
}
