// Package bench holds the benchmarks: build, resolve and the selection hot
// path, on corpora that are generated and the same every time.
//
//	go test ./bench -run '^$' -bench . -count 10 | tee bench.txt
//	go tool -modfile=tools/go.mod benchstat -col /jobs bench.txt
//
// They tell ratios within one run; absolute times are those of a machine.
package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/pipeline"
)

// vocabulary is words of 2 to 10 letters, the first ones the most frequent.
var vocabulary = func() []string {
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
}()

// markdown returns a page of about 5 KB: front matter, headings, prose, lists
// and code.
func markdown(random *rand.Rand, title int) string {
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

// writeCorpus writes docs pages and returns their directory and their size.
func writeCorpus(b *testing.B, docs int) (dir string, size int64) {
	b.Helper()
	random := rand.New(rand.NewPCG(2, uint64(docs)))
	dir = b.TempDir()
	for i := range docs {
		path := filepath.Join(dir, fmt.Sprintf("part%d", i%20), fmt.Sprintf("page%d.md", i))
		page := markdown(random, i)
		size += int64(len(page))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	return dir, size
}

// buildCache compiles a corpus of docs pages and opens the cache.
func buildCache(b *testing.B, docs int) (path string, size int64) {
	b.Helper()
	dir, size := writeCorpus(b, docs)
	path = filepath.Join(b.TempDir(), "cache")
	if _, err := pipeline.Build(b.Context(), pipeline.Config{Sources: dir, Cache: path}); err != nil {
		b.Fatal(err)
	}
	return path, size
}

// openBy opens the cache at path by open: as those do who select, or as those
// who read all.
func openBy(b *testing.B, open func(string) (*cache.Cache, error), path string) *cache.Cache {
	b.Helper()
	c, err := open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	return c
}
