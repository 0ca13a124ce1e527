package console

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/base/words"
)

// texts draws texts of lines with control characters and parts of control sequences.
func texts() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOf(rapid.OneOf(
		rapid.SampledFrom([]string{"\x1b", "\x1b[31m", "[", "31m", "m", "\u009b", "\u0085", "\x9b", "\r\n", "\n", "\t", "\x07", "a b", "é", "日本"}),
		rapid.StringN(0, 4, -1),
	)), func(pieces []string) string { return strings.Join(pieces, "") })
}

// Whatever a text and its matches are, colours are the only control sequences, and nothing else
// changes.
func TestPaintOnlyAddsColours(t *testing.T) {
	added := regexp.MustCompile(`\x1b\[(1|1;31|3[12356]|0)m`)
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(texts().Draw(t, "text"))
		p := painter{fit: withoutSequences, find: func(line []byte) (all [][]int) {
			ends := rapid.SliceOfN(rapid.IntRange(0, len(line)), 0, 4).Draw(t, "ends")
			slices.Sort(ends)
			for pair := range slices.Chunk(ends, 2) {
				if len(pair) == 2 {
					all = append(all, pair)
				}
			}
			return all
		}}
		shown := agent.PageText{Content: text, Change: "changed"}
		for range rapid.IntRange(0, 4).Draw(t, "lines of a diff") {
			shown.Diff = append(shown.Diff, agent.DiffLine{Kind: rapid.SampledFrom([]byte("+-@ ")).Draw(t, "kind")})
		}
		p.text(&shown)
		painted := p.out.Bytes()
		text = shown.Printed()
		plain := added.ReplaceAll(painted, nil)
		want := strings.ReplaceAll(string(text), "\x1b", `\x1b`)
		for r := rune(0x80); r < 0xa0; r++ {
			want = strings.ReplaceAll(want, string(r), `\u00`+string("89"[(r-0x80)/16])+string("0123456789abcdef"[r%16]))
		}
		if string(plain) != want {
			t.Fatalf("got %q, want %q", plain, want)
		}
		for line := range bytes.Lines(painted) {
			if bytes.Count(line, []byte("\x1b[0m"))*2 != bytes.Count(line, []byte("\x1b")) {
				t.Fatalf("%q does not end its colours", line)
			}
		}
	})
}

// Each piece of a line has the style of its role, and each line of a diff that of its kind.
func TestPiecesHaveTheStylesOfTheirRoles(t *testing.T) {
	a := agent.Answer{Parts: []agent.AnswerPart{
		{Level: 1, Line: agent.AnswerLine{{Text: "more: "}, {Text: "docs:12bcdfg.3", Role: agent.Handle}, {Text: " Setup"}}},
		{Line: agent.AnswerLine{{Text: "a.md", Role: agent.Place}}, Text: &agent.PageText{
			Content: []byte("+a\n-b\r\n c\x1b\n"), Change: "changed", Diff: []agent.DiffLine{{Kind: '+'}, {Kind: '-'}, {Kind: ' '}},
		}},
	}}
	const want = "  more: \x1b[36mdocs:12bcdfg.3\x1b[0m Setup\n\x1b[35ma.md\x1b[0m\n\x1b[32m+a\x1b[0m\n\x1b[31m-b\x1b[0m\r\n c\\x1b\n"
	if got := string(PaintAnswer(&a, false)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := string(PaintAnswer(&a, true)); got != strings.Replace(want, "\r\n", "\n", 1) {
		t.Errorf("on a terminal: got %q", got)
	}
}

// On a terminal, no text drives it.
func TestFitLeavesLineEndsAndTabs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		fit := Fit([]byte(text))
		if at := bytes.IndexFunc(fit, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 }); at >= 0 {
			t.Fatalf("%q has a control character at %d", fit, at)
		}
		for _, c := range "\n\t" {
			if got, want := strings.Count(string(fit), string(c)), strings.Count(text, string(c)); got != want {
				t.Fatalf("%q: got %d of %q, want %d", fit, got, c, want)
			}
		}
	})
}

// The columns are those of text/tabwriter, which would count colours as characters.
func TestColoursMoveNoColumn(t *testing.T) {
	cell := rapid.OneOf(rapid.SampledFrom([]string{"yes", "no", "", "日本"}), rapid.StringMatching(`[a-z ]{0,9}`))
	rapid.Check(t, func(t *rapid.T) {
		s := Sheet{Heading: []string{"Target", "Valid", "Cache"}}
		var want strings.Builder
		out := tabwriter.NewWriter(&want, 0, 0, 2, ' ', 0)
		fmt.Fprintln(out, "TARGET\tVALID\tCACHE")
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			row := []string{cell.Draw(t, "left"), cell.Draw(t, "middle"), cell.Draw(t, "right")}
			s.Add(row...)
			fmt.Fprintln(out, strings.Join(eachCell(row, words.Printable), "\t"))
		}
		out.Flush()
		if got := s.Text(nil); got != want.String() {
			t.Fatalf("got\n%s\nwant\n%s", got, &want)
		}
		painted := s.Text(CellStyles{"Valid": {"no": Bad}})
		if got := sequence().ReplaceAllString(painted, ""); got != want.String() {
			t.Fatalf("with colours: got\n%s\nwant\n%s", got, &want)
		}
		isBad := slices.ContainsFunc(s.Rows, func(row []string) bool { return row[1] == "no" })
		if isBad != strings.Contains(painted, Bad.Paint("no")) || !strings.Contains(painted, Bold.Paint("VALID")) {
			t.Fatalf("got\n%q", painted)
		}
	})
}

func TestColoursAreForTerminals(t *testing.T) {
	var w bytes.Buffer
	t.Setenv("NO_COLOR", "1")
	for when, want := range map[When]bool{"": false, Auto: false, Always: true, Never: false} {
		if got := when.On(&w); got != want {
			t.Errorf("%s: got %t, want %t", when, got, want)
		}
	}
}
