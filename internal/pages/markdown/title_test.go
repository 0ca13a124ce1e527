package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/internal/pages/markdown"
)

// sections returns the blocks of a content. It joins a block without a heading to
// the block before.
func sections(content string) (sections []markdown.Block) {
	for i, b := range markdown.Parse([]byte(content)).Blocks {
		if i == 0 || b.Level > 0 {
			sections = append(sections, b)
		}
		sections[len(sections)-1].End = b.End
	}
	return sections
}

// outline returns the level, the title and the text of each section.
func outline(content string) (outline [][3]string) {
	for _, s := range sections(content) {
		outline = append(outline, [3]string{strings.Repeat("#", s.Level), s.Title, content[s.Start:s.End]})
	}
	return outline
}

func TestParseCutsSectionsAtHeadings(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		want          [][3]string
	}{
		{"empty", "", [][3]string{{"", "", ""}}},
		{"no heading", "text\n", [][3]string{{"", "", "text\n"}}},
		{"heading first", "# A\nx\n## B\n", [][3]string{{"#", "A", "# A\nx\n"}, {"##", "B", "## B\n"}}},
		{"text first", "x\n\n# A", [][3]string{{"", "", "x\n\n"}, {"#", "A", "# A"}}},
		{"setext", "A\n=\nx\n\nB\nC\n-\n", [][3]string{{"#", "A", "A\n=\nx\n\n"}, {"##", "B C", "B\nC\n-\n"}}},
		{"indented", "x\n\n   # A\n", [][3]string{{"", "", "x\n\n"}, {"#", "A", "   # A\n"}}},
		{"empty heading", "#\n##   ##\nx", [][3]string{{"#", "", "#\n"}, {"##", "", "##   ##\nx"}}},
		{"code is no heading", "```\n# A\n```\n", [][3]string{{"", "", "```\n# A\n```\n"}}},
		{"list and quote begin none", "- # A\n\n> # B\n", [][3]string{{"", "", "- # A\n\n> # B\n"}}},
		{"byte order mark", "\ufeff# A\n", [][3]string{{"#", "A", "# A\n"}}},
		{"CRLF", "# A\r\nx\r\n# B\r\n", [][3]string{{"#", "A", "# A\r\nx\r\n"}, {"#", "B", "# B\r\n"}}},
		{"lone CR ends no line", "# A\r# B", [][3]string{{"#", "A # B", "# A\r# B"}}},
		{"front matter", "---\na: 1\n---\n# A\n", [][3]string{{"#", "A", "# A\n"}}},
		{"front matter after a byte order mark", "\ufeff---\na: 1\n---\n# A\n", [][3]string{{"#", "A", "# A\n"}}},
		{"non-ASCII", "é\n\n# 日本\n", [][3]string{{"", "", "é\n\n"}, {"#", "日本", "# 日本\n"}}},
		{"table", "| a |\n|---|\n| b |\n\n# A\n", [][3]string{{"", "", "| a |\n|---|\n| b |\n\n"}, {"#", "A", "# A\n"}}},
	} {
		if diff := cmp.Diff(tc.want, outline(tc.content)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// titleOf returns the title of the first block.
func titleOf(content string) string { return markdown.Parse([]byte(content)).Blocks[0].Title }

func TestTitlesArePlainText(t *testing.T) {
	for heading, want := range map[string]string{
		"# Plain":                               "Plain",
		"# *Emphasis*, **strong** and `co  de`": "Emphasis, strong and co de",
		"# [link](https://example.com \"t\") x": "link x",
		"# ![alt *text*](a.png)":                "alt text",
		"# <https://example.com>":               "https://example.com",
		"# a <b>tag</b>":                        "a tag",
		`# \*not emphasis\* \&amp;`:             "*not emphasis* &amp;",
		"# A &amp; B &lt;c&gt; &#x41; &copy;":   "A & B <c> A ©",
		"# `&amp; <b>`":                         "&amp; <b>",
		"# trailing ##":                         "trailing",
		"#   much    space  ":                   "much space",
		"# [ref]\n\n[ref]: https://example.com": "ref",
		"# nul\x00 \x01":                        "nul\ufffd \x01",
		"two\nlines\n===":                       "two lines",
	} {
		if got := titleOf(heading); got != want {
			t.Errorf("%q: got %q, want %q", heading, got, want)
		}
	}
}

func TestTitlesKnowTheLinkReferencesOfTheWholeDocument(t *testing.T) {
	content := "# [The guide][g] and [other][h]\n\ntext\n\n> [g]: /guide\n"
	if got, want := titleOf(content), "The guide and [other][h]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAHeadingThatIsTooLongHasNoTitle(t *testing.T) {
	for size, want := range map[int]int{4 << 10: 4 << 10, 4<<10 + 1: 0} {
		if got := len(titleOf("# " + strings.Repeat("x", size))); got != want {
			t.Errorf("%d bytes: got a title of %d, want %d", size, got, want)
		}
	}
}

// The parser alone takes hours for a megabyte of some of these. The test only makes sure that each
// of them ends; the figures are in bench.
func TestParseEndsOnHostileMarkdown(t *testing.T) {
	for _, part := range []string{">", "> ", "- ", "1. ", "[", "![", "[a](", "*a ", "**a", "<a ", "<", "&", "`a", "\\", "# a\n", "[a]: b\n", "[a]:\n"} {
		content := strings.Repeat(part, 1<<20/len(part)) + "\n\n# End\n"
		blocks := markdown.Parse([]byte(content)).Blocks
		if last := blocks[len(blocks)-1]; last.Title != "End" {
			t.Errorf("%q: the last block is %.20q", part, last.Title)
		}
	}
}
