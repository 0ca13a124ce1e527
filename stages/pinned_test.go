package stages_test

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/stages"
)

// The output of the stages for pinnedPages, and their versions.
const (
	pinnedVersions = "convert 1, parse 8 (goldmark v1.8.7, yaml v3.0.6, toml v1.6.0), normalize 2, hash 1, index 13, write 1"
	pinnedOutput   = "9fc57cac2698d69938b2cf2f07b4beebc335701cef55db692a4868269f0eabbc"
)

// A build takes over documents and sections that the same versions made. So a
// constant that changes and leaves the version would mix two rules in one cache.
func TestWhatTheStagesMakeIsPinnedWithTheirVersions(t *testing.T) {
	sum := sha256.New()
	for _, page := range pinnedPages(t) {
		addPage(t, sum, "guide/Max-Tokens.md", page)
	}
	mdx, err := os.ReadFile("../internal/pages/markdown/testdata/page.mdx")
	if err != nil {
		t.Fatal(err)
	}
	addPage(t, sum, "guide/Install.MDX", string(mdx))
	addPage(t, sum, "guide/long.mdx", strings.Repeat(string(mdx), 5)) // large enough to be cut
	for _, name := range []string{"sphinx.html", "notebook.ipynb", "openapi.yaml"} {
		page, err := os.ReadFile("../internal/pages/convert/testdata/golden/" + name)
		if err != nil {
			t.Fatal(err)
		}
		addPage(t, sum, "guide/"+name, string(page))
	}
	got := fmt.Sprintf("%x", sum.Sum(nil))
	switch {
	case got == pinnedOutput && stages.Versions == pinnedVersions:
	case stages.Versions == pinnedVersions:
		t.Errorf("the stages make something else of the same pages: raise the version of the stage that changed in versions.go, then pin %q here", got)
	default:
		t.Errorf("the versions are new: pin %q and %q here", stages.Versions, got)
	}
}

// addPage adds the output of the stages for the page at a path to a sum.
func addPage(t *testing.T, sum hash.Hash, path, content string) {
	t.Helper()
	text, err := stages.Convert(t.Context(), stages.Text{Source: sources.Source{ID: document.IDOf(path), Path: path}, Content: []byte(content)})
	if err != nil {
		t.Fatal(err)
	}
	tree := stages.Parse(text)
	doc := stages.Hash(stages.Normalize(tree))
	fmt.Fprintf(sum, "%s %q\n", doc.Version, fmt.Sprint(doc.Metadata))
	fmt.Fprintf(sum, "%q\n", index.FieldTerms(doc.Metadata))
	weigher := sections.NewWeigher()
	for _, s := range sections.Cut(tree.Body) {
		fmt.Fprintf(sum, "%d %d %v %v %q %q %d\n", s.Start, s.End, s.Lead, s.Tail, s.Slug, s.Headings, s.Traits)
		terms := map[string]uint32{}
		weight := weigher.Weigh(doc.ID, s, func(t words.TermWeight) { terms[string(t.Text)] += t.Weight })
		fmt.Fprintf(sum, "%q\n", fmt.Sprint(terms)) // in order
		fmt.Fprintf(sum, "%d %d %x\n", weight.Length, weight.Digest, weight.Sketch)
	}
}

// pinnedPages returns pages with all kinds of blocks, and pages on both sides of each
// size that decides anything.
func pinnedPages(t *testing.T) (pages []string) {
	t.Helper()
	for _, path := range []string{
		"../internal/pages/sections/testdata/page.md", "../testdata/corpus/README.md", "../testdata/corpus/broken.md",
		"../testdata/corpus/guide/Install.md", "../testdata/corpus/guide/windows.md", "../testdata/corpus/日本/ガイド.md",
	} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, string(content))
	}
	long := strings.Repeat("# Long\n\nwords of a page\n\n", 120)
	const front = "---\ntitle: A title\n---\n"
	for _, size := range []int{50, 60, 100, 250, 600, 1600, 2000, 2400, 4000, 6000} {
		for _, near := range []int{-14, -7, 0, 7, 14} {
			lines := strings.Repeat("words\n", (size+near)/6)
			pages = append(
				pages,
				lines, front+lines, long+"# A\n\n"+lines+"\n"+lines+"\n"+long,
				long+"# "+strings.Repeat("x", size+near)+"\n\n"+long, strings.Repeat("y", size+near)+" "+strings.Repeat("a-", size/10)+"b",
				"# A\n\n"+long+"# Links\n\n["+strings.Repeat("a", (size+near)/2)+"](b) "+strings.Repeat("c", 30)+"\n",
				"```\n"+lines+"```\n"+long, "> ```go\n"+strings.Repeat("> code\n", 600+near)+"> ```\n", "| "+strings.Repeat("h", size+near)+" |\n|---|\n"+strings.Repeat("| row |\n", 800),
				"<b "+strings.Repeat("c", size+near)+"> [d]("+strings.Repeat("e", size+near)+")",
			)
		}
	}
	for share := range 40 {
		share += 40
		pages = append(pages, "# A\n\n"+long+"# Links\n\n["+strings.Repeat("a", share)+"](b) "+strings.Repeat("c", 95-share)+"\n")
	}
	pages = append(pages, "# Parts\n\n"+strings.Repeat("words\n\n", 1000), "# Parts\n\n"+strings.Repeat("words:\n\n", 1000), "# Parts\n\n"+strings.Repeat(strings.Repeat("w", 198)+":\n\n", 60), "# "+strings.Repeat("x ", 127)+"\n")
	pages = append(
		pages,
		"alfa <!-- bravo\n\n<!-- charlie\n\n-->\n\n```\ndelta --> echo\n```\n", "> ```\n> <alfa>\n\n<b>bravo\n", "# A\n\n"+long+"# Links\n\n[alfa][1]\n\n<!-- bravo -->\n[1]: charlie\n",
		"export default sierra\n\nexport default tango;\n", "<a {{{{{{{{bravo}}}}}}}}> <c {{{{{{{{{delta}}}}}}}}}> [e](((((((((foxtrot)))))))))\n",
	)
	for _, front := range []string{
		"+++\ntitle = \"A title\"\ndate = 2026-01-31\n[a]\nb = [1.5, 2]\n+++\n", "{\"title\": \"A title\", \"a\": {\"b\": [1, true]}}\n", "---\nNote: this is text.\n---\n",
		"---\n\nText between rules.\n\n---\n", "\n<!-- a -->\n---\ntitle: A title\n---\n", "---\ntitle: A title\n", "---\n\n# A title\n---\n", "---\n# A comment\n---\n", "+++\nText.\n+++\n",
		"<style>\n.a { b: c }\n</style>\n\n<script>d()</script> text\n",
		"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
	} {
		pages = append(pages, front+"\nwords of a page\n")
	}
	return append(pages, "import", "import A from 'a'\n\n<A b=\"c\">text</A> maxTokens HTTPServer max_tokens 検索 installing one_two_three_four one_two_three_four_five\n")
}
