package sections_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/sections"
)

// printed returns a section as answers print it: the lead, the section and the tail.
func printed(content []byte, s sections.Section) string {
	return string(slices.Concat(content[s.Lead.Start:s.Lead.End], content[s.Start:s.End], content[s.Tail.Start:s.Tail.End]))
}

// frameOf returns the lead and the tail of a section, with bars around the rest.
func frameOf(content string, s sections.Section) string {
	return content[s.Lead.Start:s.Lead.End] + "|…|" + content[s.Tail.Start:s.Tail.End]
}

func TestPartsRepeatTheFrameThatTheyAreCutFrom(t *testing.T) {
	code, rows := strings.Repeat("do it\n", 1000), strings.Repeat("| 1 | 2 |\n", 600)
	quoted := func(mark, lines string) string {
		return mark + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n"+mark) + "\n"
	}
	const table = "| a | b |\n|---|---|\n"
	for name, tc := range map[string]struct {
		content string
		want    []string // lead|…|tail of each section, equal neighbours once
	}{
		"a fence":       {"# A\n\n```go\n" + code + "```\n", []string{"|…|```\n", "```go\n|…|"}},
		"more parts":    {"# A\n\n```go\n" + code + code + "```\n", []string{"|…|```\n", "```go\n|…|```\n", "```go\n|…|"}},
		"tildes":        {"# A\n\n~~~~\n" + code + "~~~~~ \n", []string{"|…|~~~~~ \n", "~~~~\n|…|"}},
		"an open fence": {"# A\n\n```go\n" + code, []string{"|…|", "```go\n|…|"}},
		"without a line feed at its end": {
			"# A\n\n```go\n" + code + "```", []string{"|…|```", "```go\n|…|"},
		},
		"a table":               {"# A\n\n" + table + rows + "\ntext\n", []string{"|…|", table + "|…|"}},
		"a table below text":    {"# A\n\ntext\n" + table + rows, []string{"|…|", table + "|…|"}},
		"a fence in a list":     {"# A\n\n1.  a:\n\n    ```go\n" + quoted("    ", code) + "    ```\n", []string{"|…|    ```\n", "    ```go\n|…|    ```\n", "    ```go\n|…|"}},
		"a fence as an item":    {"# A\n\n- ```go\n" + quoted("  ", code) + "  ```\n", []string{"|…|  ```\n", "- ```go\n|…|  ```\n", "- ```go\n|…|"}},
		"a fence in quotations": {"# A\n\n> ```go\n" + quoted("> ", code) + "> ```\n", []string{"|…|> ```\n", "> ```go\n|…|> ```\n", "> ```go\n|…|"}},
		"a table in quotations": {"# A\n\n" + quoted("> ", table+rows), []string{"|…|", quoted("> ", table) + "|…|"}},
		"a table in a list":     {"# A\n\n- a\n\n" + quoted("  ", table+rows), []string{"|…|", quoted("  ", table) + "|…|"}},
		"text":                  {"# A\n\n" + code, []string{"|…|"}},
		"indented code":         {"# A\n\n" + quoted("    ", code), []string{"|…|"}},
		"a frame that is large": {
			"# A\n\n| " + strings.Repeat("a", 1200) + " | b |\n|---|---|\n" + rows, []string{"|…|"},
		},
		"parts between frames": {
			"# A\n\n" + strings.Repeat("```go\n"+code[:600]+"```\n\n", 10), []string{"|…|"},
		},
	} {
		var got []string
		for _, s := range cut([]byte(tc.content)) {
			got = append(got, frameOf(tc.content, s))
		}
		if diff := cmp.Diff(tc.want, slices.Compact(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A cut is neither in a header nor between a fence and its code.
func TestFramesAreNotCut(t *testing.T) {
	var pages []string
	for n := range 120 {
		rest := strings.Repeat("  text\n", 1000)
		text := "# A\n\n- " + strings.Repeat("t", 2300+n) + "\n\n"
		pages = append(pages, text+"  ```go\n"+strings.Repeat("  code\n", 600)+"  ```\n"+rest)
		pages = append(pages, text+"  | a |\n  |---|\n"+strings.Repeat("  | 1 |\n", 600)+rest)
		pages = append(pages, "# A\n\n- ```go\n"+strings.Repeat("  code\n", 270+n)+"  ```\n"+rest)
	}
	for _, page := range pages {
		for _, s := range cut([]byte(page)) {
			part := page[s.Start:s.End]
			last := part[strings.LastIndexByte(part[:len(part)-1], '\n')+1:]
			if strings.HasPrefix(part, "  ```\n") || slices.Contains([]string{"  ```go\n", "  | a |\n", "  |---|\n"}, last) {
				t.Errorf("a part from %d to %d of %d bytes begins with %.20q and ends with %q", s.Start, s.End, len(page), part, last)
			}
		}
	}
}

// A container is what lines of a page stand in: the marks of its first line, and those
// of all others.
type container struct{ first, rest string }

var containers = []container{
	{"", ""}, {"  ", "  "}, {"- ", "  "}, {"1.  ", "    "}, {"> ", "> "}, {">", ">"}, {"> - ", ">   "}, {"- > ", "  > "}, {"10. a\n\n    - ", "      "},
}

// in puts lines in a container.
func (c container) in(lines string) string {
	return c.first + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n"+c.rest) + "\n"
}

// drawFramed draws a table or a code block large enough to be cut.
func drawFramed(t *rapid.T) string {
	lines := rapid.IntRange(1, 250).Draw(t, "lines")
	width := rapid.SampledFrom([]int{1, 10, 100, 900}).Draw(t, "width")
	var b strings.Builder
	if rapid.Bool().Draw(t, "table") {
		b.WriteString("| " + strings.Repeat("h", rapid.IntRange(1, 200).Draw(t, "header")) + " | b | c |\n|---|:-:|---|\n")
		for i := range lines {
			fmt.Fprintf(&b, "| row%d | %s | |\n", i, strings.Repeat("x", i%7*width))
		}
		return b.String()
	}
	fence := rapid.SampledFrom([]string{"```", "~~~", "`````"}).Draw(t, "fence")
	b.WriteString(fence + "go title\n")
	for i := range lines {
		fmt.Fprintf(&b, "%scode%d %s\n", strings.Repeat("\n", i%5/4), i, strings.Repeat("x", i%7*width))
	}
	return b.String() + fence + "\n"
}

// The printed parts of a page read like the page: a row is in a table with the same columns, a line
// of code is in a code block of the same language, and no code block continues after the part.
func TestPartsOfTablesAndCodeReadAsThePageDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		page := "# A\n\n"
		for range rapid.IntRange(1, 3).Draw(t, "blocks") {
			c := rapid.SampledFrom(containers).Draw(t, "container")
			before := rapid.SampledFrom([]string{"", "text\n\n", "text:\n"}).Draw(t, "before")
			page += c.in(before+drawFramed(t)+rapid.SampledFrom([]string{"", "\ntext\n"}).Draw(t, "after")) + "\n"
		}
		content := []byte(page)
		parts := cut(content)
		check(t, content, parts)
		for _, s := range parts {
			checkReads(t, printed(content, s), string(content[s.Start:s.End]))
		}
	})
}

// checkFrame fails the test unless the lead and the tail of a section are lines of the page outside
// of the section.
func checkFrame(t rapid.TB, content []byte, s sections.Section) {
	t.Helper()
	for _, r := range []document.Range{s.Lead, s.Tail} {
		isLines := len(bytes.TrimPrefix(content[:r.Start], []byte("\ufeff"))) == 0 || content[r.Start-1] == '\n'
		isLines = isLines && (r.End == 0 || r.End == len(content) || content[r.End-1] == '\n')
		if r.Start > r.End || !isLines || r.Size() == 0 && r.End != 0 || r.Size() > 1200 {
			t.Fatalf("section from %d to %d: %v is not a frame", s.Start, s.End, r)
		}
	}
	if s.Lead.End > s.Start || s.Tail.End > 0 && s.Tail.Start < s.End {
		t.Fatalf("section from %d to %d repeats itself: %v %v", s.Start, s.End, s.Lead, s.Tail)
	}
}

// checkReads fails the test unless a printed part reads like the page.
func checkReads(t rapid.TB, printed, part string) {
	t.Helper()
	const mark = "END"
	lines := strings.TrimLeft(printed, "\n")
	if indent := len(lines) - len(strings.TrimLeft(lines, " ")); indent > 3 { // the list item begins in another part
		printed = fmt.Sprintf("%-*sitem\n\n%s", indent, "1"+strings.Repeat("0", max(0, indent-5))+".", printed)
	}
	source := []byte(printed + "\n" + mark + "\n")
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	isMarked := false
	found := map[string]bool{}
	ast.Walk(parser.Parse(text.NewReader(source)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.FencedCodeBlock:
			if string(node.Language(source)) == "go" {
				note(found, node.Lines().Value(source))
			}
		case *tables.Table:
			if len(node.Alignments) == 3 {
				for row := node.FirstChild().NextSibling(); row != nil; row = row.NextSibling() {
					note(found, row.FirstChild().Lines().Value(source))
				}
			}
		case *ast.Paragraph:
			isMarked = isMarked || string(node.Lines().Value(source)) == mark && node.Parent().Kind() == ast.KindDocument
		}
		return ast.WalkContinue, nil
	})
	if !isMarked {
		t.Fatalf("a block continues after %q", printed)
	}
	for _, word := range strings.Fields(part) {
		if isNumbered(word) && !found[word] {
			t.Fatalf("%s is in no table and no code of %q", word, printed)
		}
	}
}

func isNumbered(word string) bool {
	return strings.HasPrefix(word, "row") || strings.HasPrefix(word, "code")
}

// note notes the numbered words of lines.
func note(found map[string]bool, lines []byte) {
	for _, word := range bytes.Fields(lines) {
		if isNumbered(string(word)) {
			found[string(word)] = true
		}
	}
}

// A lead of more than 1,200 bytes would be most of every part.
func TestLargeFramesAreNotRepeated(t *testing.T) {
	for size, want := range map[int]int{1200: 1200, 1201: 0} {
		header := "|" + strings.Repeat("x", size-7) + "|\n|-|\n"
		page := "# A\n\n" + header + strings.Repeat("|a row of the table|\n", 200)
		if got := cut([]byte(page))[1].Lead.Size(); got != want {
			t.Errorf("a header of %d bytes: got a lead of %d bytes, want %d", len(header), got, want)
		}
	}
}
