package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
	"pgregory.net/rapid"
)

func TestFramesAreTheLinesAroundRowsAndCode(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string // of each frame: lead, body, tail
	}{
		"a fence":               {"```go x\na\n\nb\n```\nc\n", []string{"```go x\n", "a\n\nb\n", "```\n"}},
		"tildes":                {"~~~\n```\n~~~~ \n", []string{"~~~\n", "```\n", "~~~~ \n"}},
		"line ends of Windows":  {"```\r\na\r\n```\r\n", []string{"```\r\n", "a\r\n", "```\r\n"}},
		"an open fence":         {"a\n```\na\n", []string{"```\n", "a\n", ""}},
		"without an end":        {"```\na\n```", []string{"```\n", "a\n", "```"}},
		"nothing in it":         {"```\n```\n", []string{"```\n", "", "```\n"}},
		"nothing after it":      {"```", []string{"```", "", ""}},
		"a fence in a list":     {"1.  a\n\n    ```\n    b\n      ```\n\n    c\n", []string{"    ```\n", "    b\n", "      ```\n"}},
		"a fence as an item":    {"- ```sh\n  b\n  ```\n- c\n", []string{"- ```sh\n", "  b\n", "  ```\n"}},
		"the end of an item":    {"- ```\n  b\n\n- c\n", []string{"- ```\n", "  b\n\n", ""}},
		"a fence in quotations": {"> > ```\n> > a\n> > ```\n> b\n", []string{"> > ```\n", "> > a\n", "> > ```\n"}},
		"the end of quotation":  {"> ```\n> a\nb\n", []string{"> ```\n", "> a\n", ""}},
		"indented code":         {"    ```\n    a\n    ```\n", nil},
		"HTML":                  {"<pre>\n```\n\na\n</pre>\n", nil},
		"a code span":           {"a\n``` b ```\nc\n", nil},
		"a table":               {"| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |\n\nb\n", []string{"| a | b |\n|---|:-:|\n", "| 1 | 2 |\n| 3 |\n", ""}},
		"without outer bars":    {"a | b\n--|--\n1 | 2", []string{"a | b\n--|--\n", "1 | 2", ""}},
		"below text":            {"text\na | b\r\n--|--\r\n1 | 2\r\n> c\n", []string{"a | b\r\n--|--\r\n", "1 | 2\r\n", ""}},
		"below a definition":    {"[a]: b\n| a |\n|-|\n| 1 |\n", []string{"| a |\n|-|\n", "| 1 |\n", ""}},
		"a table in a list":     {"- a\n\n  | a |\n  |---|\n  | 1 |\n  - b\n", []string{"  | a |\n  |---|\n", "  | 1 |\n", ""}},
		"a table as an item":    {"* | a |\n  |---|\n  | 1 |\n* b\n", []string{"* | a |\n  |---|\n", "  | 1 |\n", ""}},
		"a table in quotation":  {"> | a |\n> |---|\n> | 1 |\n| 2 |\n\nb\n", []string{"> | a |\n> |---|\n", "> | 1 |\n| 2 |\n", ""}},
		"no rows":               {"| a |\n|---|\n", []string{"| a |\n|---|\n", "", ""}},
		"too few columns":       {"| a | b |\n|---|\n| 1 |\n", nil},
		"bars without a table":  {"a | b\nc | d\n", nil},
		"a heading":             {"a\n---\nb\n", nil},
		"two": {
			"```\na\n```\n\n| a |\n|-|\n| 1 |\n```b\nc\n```\n",
			[]string{"```\n", "a\n", "```\n", "| a |\n|-|\n", "| 1 |\n", "", "```b\n", "c\n", "```\n"},
		},
	} {
		var got []string
		for _, f := range framesOf([]byte(tc.text)) {
			got = append(got, tc.text[f.Lead.Start:f.Lead.End], tc.text[f.Body.Start:f.Body.End], tc.text[f.Tail.Start:f.Tail.End])
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCodeIsFencedOrIndented(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		isMDX bool
		want  []string // of each block: the info string, lead, body, tail
	}{
		"a fence":            {text: "```go title=x\na\n```\n", want: []string{"go title=x", "```go title=x\n", "a\n", "```\n"}},
		"tildes":             {text: "~~~ c++ \na\n", want: []string{"c++", "~~~ c++ \n", "a\n", ""}},
		"indented":           {text: "    a\n\n      b\n\n\n", want: []string{"", "", "    a\n\n      b\n", ""}},
		"by a tab":           {text: "\ta\r\n", want: []string{"", "", "\ta\r\n", ""}},
		"without an end":     {text: "    a", want: []string{"", "", "    a", ""}},
		"below a paragraph":  {text: "a\n\n    b\nc\n", want: []string{"", "", "    b\n", ""}},
		"a lazy line":        {text: "a\n    b\n", want: nil},
		"in a list":          {text: "- a\n\n      b\n- c\n", want: []string{"", "", "      b\n", ""}},
		"as an item":         {text: "-     a\n", want: []string{"", "", "-     a\n", ""}},
		"in a quotation":     {text: "> a\n>\n>     b\nc\n", want: []string{"", "", ">     b\n", ""}},
		"text of an item":    {text: "1.  a\n\n    b\n", want: nil},
		"a table":            {text: "| a |\n|---|\n| 1 |\n", want: nil},
		"a table below code": {text: "    a\n\n| a |\n|---|\n| 1 |\n", want: []string{"", "", "    a\n", ""}},
		"MDX":                {text: "    a\n\n    ```go\n    b\n    ```\n", isMDX: true, want: []string{"go", "    ```go\n", "    b\n", "    ```\n"}},
	} {
		var got []string
		for _, f := range (Body{Text: []byte(tc.text), IsMDX: tc.isMDX}).Code(Block{End: len(tc.text)}) {
			got = append(got, f.Info, tc.text[f.Lead.Start:f.Lead.End], tc.text[f.Body.Start:f.Body.End], tc.text[f.Tail.Start:f.Tail.End])
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestALongTableIsAFrame(t *testing.T) {
	text := "| a |\n|---|\n" + strings.Repeat("| 1 |\n", 2*keptLines) + "\nb\n"
	want := []Frame{frameOf(Table, 0, 12, len(text)-3, len(text)-3)}
	if diff := cmp.Diff(want, framesOf([]byte(text))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// withTables is goldmark's own parser with our parsers of blocks, and with tables.
var withTables = func() parser.Parser {
	var prioritized []util.PrioritizedValue
	for i, p := range blockParsers {
		prioritized = append(prioritized, util.Prioritized(p, i))
	}
	return parser.NewParser(
		parser.WithBlockParsers(prioritized...),
		parser.WithParagraphTransformers(
			util.Prioritized(ofParagraphs{}, 1), util.Prioritized(extension.NewTableParagraphTransformer(), 2),
		),
	)
}()

// unlike matches lines that trees treat differently: the underlines of headings, because goldmark
// turns the text above them into a table, and header rows without a cell, because trees don't
// include the position of such rows.
var unlike = regexp.MustCompile(`(?m)^[ \t>*+0-9.)-]*(-+|=+|\|\|?)\s*$`)

// framesOfTree finds the frames with rows or code in goldmark's tree of a text, without their
// tails.
func framesOfTree(text []byte) (frames []Frame) {
	c := newCutter(text)
	root := withTables.Parse(c.reader, parser.WithContext(c))
	ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case !entering:
		case node.Kind() == ast.KindFencedCodeBlock && node.Lines().Len() > 0:
			lines := node.Lines()
			first, last := lineStart(text, lines.At(0).Start), lineStart(text, lines.At(lines.Len()-1).Start)
			end := lineEnd(text, last)
			frames = append(frames, frameOf(0, lineStart(text, node.Pos()), first, end, end))
		case node.Kind() == tables.KindTable && node.ChildCount() > 1:
			header := lineStart(text, node.FirstChild().FirstChild().Pos())
			end := lineEnd(text, node.LastChild().Pos())
			frames = append(frames, frameOf(0, header, lineEnd(text, lineEnd(text, header)), end, end))
		}
		return ast.WalkContinue, nil
	})
	return frames
}

// checkFrame fails the test unless the ranges of a frame follow each other, and returns
// where the last ends.
func checkFrame(t rapid.TB, text []byte, f Frame) int {
	t.Helper()
	if f.Lead.Size() < 0 || f.Lead.End != f.Body.Start || f.Body.Size() < 0 || f.Body.End != f.Tail.Start || f.Tail.Size() < 0 {
		t.Fatalf("%q: the frame %+v has gaps", text, f)
	}
	return f.Tail.End
}

func checkFrames(t rapid.TB, text []byte) {
	t.Helper()
	var got []Frame
	at := 0
	for _, f := range framesOf(text) {
		if f.Lead.Start < at {
			t.Fatalf("%q: %+v does not follow %d", text, f, at)
		}
		if at = checkFrame(t, text, f); at > len(text) {
			t.Fatalf("%q: %+v ends after the text", text, f)
		}
		if tail := bytes.Trim(text[f.Tail.Start:f.Tail.End], " \t\r\n>"); len(tail) > 0 && len(bytes.Trim(tail, string(tail[:1]))) > 0 {
			t.Fatalf("%q: the frame ends with %q", text, tail)
		}
		if f.Body.Size() > 0 {
			got = append(got, frameOf(0, f.Lead.Start, f.Body.Start, f.Body.End, f.Body.End))
		}
	}
	if unlike.Match(text) {
		return
	}
	if diff := cmp.Diff(framesOfTree(text), got); diff != "" {
		t.Fatalf("%q: the frames are not those of the whole tree (-its +ours):\n%s", text, diff)
	}
}

func TestFramesAreThoseOfTheWholeTree(t *testing.T) {
	rows := []string{"| a | b |\n", "|-|-|\n", "a|b\n", "-|-\n", "|1|2|\n", "```go\n"}
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom(slices.Concat(rows, rows, beginnings)), 2, 10).Draw(t, "texts")
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(some)).Draw(t, "text"), "")
		checkFrames(t, []byte(text))
	})
}

func FuzzFramesAreThoseOfTheWholeTree(f *testing.F) {
	for _, text := range []string{
		"- ```go\n  a\n  ```\n", "> | a |\n> |---|\n> | 1 |\n| 2 |\n", "[a]: b\n| a |\n|-|\n| 1 |\n", "1.  a\n\n    ~~~\n    b\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkFrames(t, text) })
}

func framesOf(text []byte) []Frame { return Body{Text: text}.Frames(Block{End: len(text)}) }

// A block of many headings is as large as a page can be, and only its frames matter.
func TestFramesCollectNothingElse(t *testing.T) {
	text := strings.Repeat("# a\n- # b\n> # c\n", 1000) + "~~~\ncode\n~~~\n"
	c := newCutter([]byte(text))
	c.isFraming = true
	c.readBlocks()
	if len(c.frames) != 1 || len(c.blocks)+len(c.headings) > 0 {
		t.Errorf("got %d frames, %d blocks and %d headings, want a frame alone", len(c.frames), len(c.blocks), len(c.headings))
	}
}
