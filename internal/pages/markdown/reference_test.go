package markdown

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	reference = flag.String("reference", "", "the script of tools/manual/mdx, with its packages next to it")
	pagesIn   = flag.String("pages", "", "directories of pages of MDX to compare, as in PATH")
)

// A found is the result of the reference for a page.
type found struct{ Headings, Texts []string }

// Pages have the same headings and words as in the reference implementation of MDX.
func TestMDXIsThatOfTheReference(t *testing.T) {
	if *reference == "" {
		t.Skip("there is no -reference: run tools/manual/mdx/run, which needs Node.js and npm")
	}
	pages := slices.Concat(generatedPages(5000), pagesBelow(t, filepath.SplitList(*pagesIn)))
	valid := 0
	for i, want := range askReference(t, pages) {
		if want == nil {
			continue
		}
		valid++
		page := ParseMDX([]byte(pages[i])).Body
		var headings []string
		for _, b := range page.Blocks {
			if b.Level > 0 {
				headings = append(headings, fold(fmt.Sprint(b.Level, " ", b.Title)))
			}
		}
		for i, h := range want.Headings {
			want.Headings[i] = fold(h)
		}
		if !slices.Equal(headings, want.Headings) {
			t.Errorf("%.3000q: got the headings %q, want %q", pages[i], headings, want.Headings)
		}
		got, want := wordsOf(string(page.Text[page.Blocks[0].Start:])), wordsOf(strings.Join(want.Texts, "\n"))
		if !maps.Equal(got, want) {
			t.Errorf("%.3000q: got the words %v, want %v", pages[i], got, want)
		}
	}
	t.Logf("compared %d of %d pages: the others are not MDX", valid, len(pages))
	if valid < len(pages)/4 {
		t.Errorf("%d of %d pages are MDX: want more", valid, len(pages))
	}
}

func askReference(t *testing.T, pages []string) (all []*found) {
	t.Helper()
	input, err := json.Marshal(pages)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", *reference)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	output, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(output, &all)
	}
	if err != nil || len(all) != len(pages) {
		t.Fatalf("got %d answers for %d pages: %v", len(all), len(pages), err)
	}
	return all
}

// wordsOf counts the words of a text, except for words with entities of HTML.
func wordsOf(text string) map[string]int {
	words := map[string]int{}
	for _, word := range word.FindAllString(entity.ReplaceAllString(text, " "), -1) {
		words[word]++
	}
	return words
}

var (
	word   = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]+`)
	entity = regexp.MustCompile(`&[a-z]+;`)
)

// generatedPages returns pages of lines which are valid MDX in most orders. They don't include
// tables, because these are paragraphs in CommonMark.
func generatedPages(n int) (pages []string) {
	random := rand.New(rand.NewPCG(3, 1))
	for range n {
		var page strings.Builder
		page.WriteString("\n") // or a break would begin front matter
		for range 2 + random.IntN(9) {
			page.WriteString(linesOfMDX[random.IntN(len(linesOfMDX))] + "\n")
		}
		pages = append(pages, page.String())
	}
	return pages
}

var linesOfMDX = []string{
	"# Head {i}", "## Sub `x{y}` {/* note */}", "    ### Deep <b>bold</b>", "Under\n===", "---",
	"words of a text", "  indented words", "      more of them", "words\n    of two lines",
	"- item", "  - nested", "    - deep", "1. one", "\t- tabbed", "> quoted", "> # heading",
	"```js\nconst a = {b: '<c>'}\n```", "    ```\n    inner {code}\n    ```", "~~~\n{a}\n<b>\n~~~", "span ``a ` b`` here", "two `line\nspan {x}` ends",
	"<Tab title=\"Label\">", "</Tab>", "<Tabs items={['a', `b${c}`]}>", "</Tabs>", "<Br />", "  <Card href='/x' title={'T'}>inline text</Card>", "<>", "</>",
	"<Foo\n  a={{\n    b: 1,\n\n    c: '}'\n  }}\n/>", "<A.B_c x />", "with <b>bold</b> and {expression} done", "{/* comment\n\n# no heading\n*/}",
	"{list.map((x) => <li key={x}>it's {x}</li>)}", "{a} text behind it", "{a // }\n}", "- {item}", "<i/># text",
	"\nimport A from 'a'\n", "\nexport const m = {\n  a: 1,\n\n  b: `x\n\n# no heading`,\n}\n",
	"an escaped \\{ brace and \\< less", "[link](destination) ![image](source \"title\")", "*emphasis*", "", "", "", "", "", "",
}

// pagesBelow returns the pages of MDX below directories.
func pagesBelow(t *testing.T, dirs []string) (pages []string) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".mdx" {
				return err
			}
			page, err := os.ReadFile(path)
			_, end, _ := SplitFrontMatter(page)
			pages = append(pages, string(page[end:]))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return pages
}
