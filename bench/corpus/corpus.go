// Package corpus generates Markdown. The same number of pages always produces the same
// bytes, on every machine.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Vocabulary returns the words of all pages, most frequent first. They contain 2 to 10
// letters.
var Vocabulary = sync.OnceValue(func() []string {
	random := rand.New(rand.NewPCG(1, 1))
	words := make([]string, 20_000)
	for i := range words {
		var word strings.Builder
		for range 2 + random.IntN(9) {
			word.WriteByte("etaoinshrdlucmfwypvbgkqjxz"[min(random.IntN(26), random.IntN(26))])
		}
		words[i] = word.String()
	}
	return words
})

// Page returns a page of about 5 KB with front matter, headings, prose, lists and code.
func Page(random *rand.Rand, title int) string {
	vocabulary := Vocabulary()
	zipf := rand.NewZipf(random, 1.1, 4, uint64(len(vocabulary)-1))
	var page strings.Builder
	sentence := func(words int) {
		for range words {
			page.WriteString(vocabulary[zipf.Uint64()])
			page.WriteByte(' ')
		}
		page.WriteString("[link](../a.md).\n")
	}
	fmt.Fprintf(&page, "---\ntitle: Page %d\ntags: [a, b]\n---\n\n# Page %d\n\n", title, title)
	for section := range 6 {
		fmt.Fprintf(&page, "## Section %d\n\n", section)
		sentence(60)
		page.WriteString("\n- ")
		sentence(10)
		page.WriteString("- ")
		sentence(10)
		page.WriteString("\n```sh\nrun --now \"$HOME\"\n```\n\n")
		sentence(40)
		page.WriteByte('\n')
	}
	return page.String()
}

// Write writes docs pages into 20 directories below dir, and returns their total size in
// bytes.
func Write(dir string, docs int) (size int64, err error) {
	random := rand.New(rand.NewPCG(2, uint64(docs)))
	for i := range docs {
		page := Page(random, i)
		size += int64(len(page))
		path := filepath.Join(dir, fmt.Sprintf("part%d", i%20), fmt.Sprintf("page%d.md", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return 0, err
		}
		if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			return 0, err
		}
	}
	return size, nil
}
