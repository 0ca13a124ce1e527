package markdown_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/contextcompiler/context/internal/pages/markdown"
)

// check fails the test unless the blocks of a page cover the rest of it from some offset on, in
// order, and begin where lines do.
func check(t *testing.T, content []byte, page markdown.Page) {
	t.Helper()
	if len(page.Blocks) == 0 {
		t.Fatalf("%q: got no blocks", content)
	}
	start := page.Blocks[0].Start
	at := start
	for i, b := range page.Blocks {
		switch {
		case b.Start != at || b.End < b.Start:
			t.Fatalf("block %d is %+v, the previous block ends at %d", i, b, at)
		case i > 0 && (b.End == b.Start || content[b.Start-1] != '\n'):
			t.Fatalf("block %d is %+v, which is not whole lines", i, b)
		case b.Level < 0 || b.Level > 6 || b.Level == 0 && b.Title != "":
			t.Fatalf("block %d is %+v", i, b)
		}
		at = b.End
	}
	if at != len(content) {
		t.Fatalf("the blocks end at %d of %d", at, len(content))
	}
	if before := bytes.TrimPrefix(content[:start], []byte("\ufeff")); !bytes.HasPrefix(before, page.FrontMatter) {
		t.Fatalf("the front matter is %q, and before the blocks is %q", page.FrontMatter, before)
	}
}

// blocks returns the text of each block of a content.
func blocks(t *testing.T, content string) (texts []string) {
	t.Helper()
	page := markdown.Parse([]byte(content))
	check(t, []byte(content), page)
	for _, b := range page.Blocks {
		texts = append(texts, content[b.Start:b.End])
	}
	return texts
}

func TestBlocksAreAllOfThePageBehindTheFrontMatter(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		want          []string
	}{
		{"nothing", "", []string{""}},
		{"blank lines", "\n \n\n", []string{"\n \n\n"}},
		{"blank lines first", "\n\na\n", []string{"\n\n", "a\n"}},
		{"paragraphs", "a\nb\n\nc", []string{"a\nb\n\n", "c"}},
		{"headings", "# a\n## b\nc\n", []string{"# a\n", "## b\n", "c\n"}},
		{"a heading that is underlined", "a\nb\n===\nc\n---\nd\n", []string{"a\nb\n===\n", "c\n---\n", "d\n"}},
		{"an item is a block", "- a\n  b\n\n  c\n- d\n  - e\n- f\n", []string{"- a\n  b\n\n  c\n", "- d\n  - e\n", "- f\n"}},
		{"numbered items", "1. a\n2. b\n\n3. c\n", []string{"1. a\n", "2. b\n\n", "3. c\n"}},
		{"a heading in an item begins no block", "- # a\n- b\n", []string{"- # a\n", "- b\n"}},
		{"a quotation", "> # a\n> b\nc\n\nd\n", []string{"> # a\n> b\nc\n\n", "d\n"}},
		{"fenced code", "```\n# a\n\n- b\n```\nc\n", []string{"```\n# a\n\n- b\n```\n", "c\n"}},
		{"fenced code without an end", "```\n# a\n", []string{"```\n# a\n"}},
		{"indented code", "a\n\n    # b\n\n    c\n", []string{"a\n\n", "    # b\n\n    c\n"}},
		{"HTML", "<div>\n# a\n</div>\n\nb\n", []string{"<div>\n# a\n</div>\n\n", "b\n"}},
		{"a line between", "a\n\n***\nb\n", []string{"a\n\n", "***\n", "b\n"}},
		{"a definition of a link", "[a]: /b\n\nc\n", []string{"[a]: /b\n\n", "c\n"}},
		{"byte order mark", "\ufeff# a\nb\n", []string{"# a\n", "b\n"}},
		{"CRLF", "# a\r\n\r\n- b\r\n- c\r\n\r\nd\r\ne\r\n===\r\n", []string{"# a\r\n\r\n", "- b\r\n", "- c\r\n\r\n", "d\r\ne\r\n===\r\n"}},
		{"front matter", "---\na: 1\n---\n# b\n", []string{"# b\n"}},
		{"front matter alone", "---\na: 1\n---\n", []string{""}},
		{"front matter without an end", "---\na: 1\n\nb\n", []string{"\n", "b\n"}},
		{"byte order mark, front matter and CRLF", "\ufeff---\r\na: 1\r\n...\r\n\r\nb\r\n", []string{"\r\n", "b\r\n"}},
		{"bytes of no text", "\xff\x00\n\n# \xfe\n", []string{"\xff\x00\n\n", "# \xfe\n"}},
	} {
		if diff := cmp.Diff(tc.want, blocks(t, tc.content)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestFrontMatterBeginsWithItsFence(t *testing.T) {
	for content, want := range map[string]string{
		"---\na: 1\n---\nb":             "---\na: 1\n",
		"\ufeff--- \r\na: 1\r\n...\r\n": "--- \r\na: 1\r\n",
		"---\n---":                      "---\n",
		"":                              "",
		"a\n---\nb: 1\n---\n":           "",
		"----\na: 1\n----\n":            "",
	} {
		page := markdown.Parse([]byte(content))
		if got := string(page.FrontMatter); got != want || page.Err != nil {
			t.Errorf("%q: got %q, %v, want %q", content, got, page.Err, want)
		}
		if hasNone := page.FrontMatter == nil; hasNone != (want == "") {
			t.Errorf("%q: got nil is %v", content, hasNone)
		}
	}
	if page := markdown.Parse([]byte("---\na: 1\n")); page.Err == nil || page.FrontMatter != nil {
		t.Errorf("without an end: got %q, %v", page.FrontMatter, page.Err)
	}
}

func TestAHeadingHasTheLevelOfItsMarks(t *testing.T) {
	content := "a\n=\nb\n-\n# c\n###### d\n####### e\n"
	var got []string
	for _, b := range markdown.Parse([]byte(content)).Blocks {
		got = append(got, strings.Repeat("#", b.Level)+b.Title)
	}
	if diff := cmp.Diff([]string{"#a", "##b", "#c", "######d", ""}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// headingsOf returns the headings found by goldmark alone: their levels and their offsets in body.
func headingsOf(body []byte) (headings [][2]int) {
	plain := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
	root := plain.Parse(text.NewReader(body))
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		if heading, ok := node.(*ast.Heading); ok {
			headings = append(headings, [2]int{heading.Level, bytes.LastIndexByte(body[:heading.Pos()], '\n') + 1})
		}
	}
	return headings
}

// checkHeadings fails the test unless the blocks with a level begin where goldmark
// sees headings.
func checkHeadings(t *testing.T, content []byte, blocks []markdown.Block) {
	t.Helper()
	nested := 0
	for _, mark := range ">-*+.)" {
		nested += strings.Count(string(content), string(mark))
	}
	if nested >= 90 { // Parse does not look into deep lists and quotations
		return
	}
	var headings [][2]int
	start := blocks[0].Start
	for _, b := range blocks {
		if b.Level > 0 {
			headings = append(headings, [2]int{b.Level, b.Start - start})
		}
	}
	if want := headingsOf(content[start:]); !slices.Equal(headings, want) {
		t.Errorf("got headings %v, want %v", headings, want)
	}
}

// All bytes of a page but its front matter are in its blocks, which are whole
// lines. The same bytes have the same blocks.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "# A\n", "\ufeff---\r\na: 1\r\n---\r\n\r\nA\n=\n", "- a\n  - b\n\n> c\n1. d\n", "```\n~~~\n", "[a]: <b>\n[a]: c\nd\n=\n",
		"> # q\n- # l\n\n# h #\n", "[a]: <b>\n# [a]\n", "| a |\n|-|\n# x", "---\n? a\n? b\n---\n\x00# \x00\n", "<!--\n\n# a", "\xff\xfe\n\t# \xc3\n", "a\rb\r# c", "---\n---\n---\n", "* * *\n- - -\n", "[a]\n=\n\n[a]: /b 'c\n\nd'",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		before := bytes.Clone(content)
		page := markdown.Parse(content)
		check(t, content, page)
		if utf8.Valid(content) {
			checkHeadings(t, content, page.Blocks)
		}
		if !bytes.Equal(content, before) {
			t.Errorf("the content became %q", content)
		}
		if again := markdown.Parse(content); !cmp.Equal(page.Blocks, again.Blocks) {
			t.Errorf("the second time: got %+v, want %+v", again.Blocks, page.Blocks)
		}
	})
}
