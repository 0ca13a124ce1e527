package markdown

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"pgregory.net/rapid"
)

// ofParagraphs takes the link definitions out of paragraphs, for goldmark.
type ofParagraphs struct{}

func (ofParagraphs) Transform(paragraph *ast.Paragraph, _ text.Reader, pc parser.Context) {
	pc.(*cutter).define(paragraph)
}

// goldmarks is goldmark's own parser with our parsers of blocks.
var goldmarks = func() parser.Parser {
	var prioritized []util.PrioritizedValue
	for i, p := range blockParsers {
		prioritized = append(prioritized, util.Prioritized(p, i))
	}
	return parser.NewParser(
		parser.WithBlockParsers(prioritized...),
		parser.WithParagraphTransformers(util.Prioritized(ofParagraphs{}, 1)),
	)
}()

// blocksOfTree cuts goldmark's tree of a whole content.
func blocksOfTree(content []byte) []Block {
	c := newCutter(content)
	c.document = goldmarks.Parse(c.reader, parser.WithContext(c))
	return c.finish(0)
}

// Our loop over the lines finds what goldmark's finds, though it keeps little.
func checkAgainstTree(t rapid.TB, content []byte) {
	t.Helper()
	if diff := cmp.Diff(blocksOfTree(content), blocksOf(newCutter(content), 0)); diff != "" {
		t.Fatalf("%.3000q: the blocks are not those of the whole tree (-its +ours):\n%s", content, diff)
	}
}

// beginnings are texts which begin, continue or end blocks.
var beginnings = []string{
	"- ", "* ", "+ ", "-\n", "1. ", "2) ", "> ", "# ", "## b", "===\n", "---\n", "=", "***\n", "    ", "  ", " ", "\t",
	"```\n", "~~~\n", "<div>\n", "<pre>\n", "</pre>\n", "<!--", "-->", "[a]: b\n", "[a]: ", "'t'", "[b]: c \"d\"\n",
	"[A b]\n:\n", "[a]", "| a |\n", "|-|\n", "a", "é", "\\", "\r\n", "\n", "\n\n",
}

func TestBlocksAreThoseOfTheWholeTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom(beginnings), 2, 10).Draw(t, "texts")
		content := strings.Join(rapid.SliceOf(rapid.SampledFrom(some)).Draw(t, "content"), "")
		checkAgainstTree(t, []byte(content))
	})
	for _, content := range []string{
		strings.Repeat("a\n", keptLines-1) + "===\n",
		strings.Repeat("a\n", keptLines+1) + "===\nb\n",
		strings.Repeat("a\n", maxTitle/2-1) + "===\nb\n",
		"<pre>\n" + strings.Repeat("a\n", keptLines+1) + "</pre>\nb\n",
		"```\n" + strings.Repeat("\n", keptLines+1) + "```\nb\n",
		strings.Repeat("    a\n", keptLines+1) + "\nb\n",
		strings.Repeat(strings.Repeat(">", 2*maxNesting)+" a\n", 3),
		strings.Repeat("- a\n", 1000) + strings.Repeat("\n# [x]\n", 1000) + "\n[x]: y\n",
	} {
		checkAgainstTree(t, []byte(content))
	}
}

func FuzzBlocksAreThoseOfTheWholeTree(f *testing.F) {
	for _, content := range []string{"- a\n- b\n\n# [c]\n\n[c]: d\n", "a\n===\n> b\n```\n", "[a]: b\n---\n"} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) { checkAgainstTree(t, content) })
}

// A block is forgotten once it is cut, however many come after it.
func TestOnlyOpenBlocksAreKept(t *testing.T) {
	const lines = 10_000
	for _, line := range []string{"- a\n", "-\n", "> a\n\n", "# a\n", "a\n\n", "a\n===\n", "***\n", "```\n```\n", "- a\n  - b\n", "> - a\n"} {
		c := newCutter(bytes.Repeat([]byte(line), lines))
		c.readBlocks()
		nodes := 0
		ast.Walk(c.document, func(ast.Node, bool) (ast.WalkStatus, error) {
			nodes++
			return ast.WalkContinue, nil
		})
		if nodes > 50 {
			t.Errorf("%q, %d times: got a tree of %d nodes", line, lines, nodes)
		}
	}
}

func TestAPageHasABoundedNumberOfBlocks(t *testing.T) {
	content := bytes.Repeat([]byte("-\n"), maxBlocks+1000)
	found := blocksOf(newCutter(content), 0)
	if last := found[len(found)-1]; len(found) != maxBlocks || last.End != len(content) || last.Start != 2*(maxBlocks-1) {
		t.Errorf("got %d blocks, the last %+v, want %d, the last up to the end", len(found), last, maxBlocks)
	}
}

func BenchmarkParse(b *testing.B) {
	for _, line := range []string{"- a\n", "A line of words that is long enough.\n\n"} {
		content := bytes.Repeat([]byte(line), (1<<20)/len(line))
		b.Run(fmt.Sprintf("line=%.3q", line), func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(content)
			}
		})
	}
}
