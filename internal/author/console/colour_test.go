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

	"github.com/contextcompiler/context/internal/base/words"
)

// texts draws texts of lines with control characters and parts of control sequences.
func texts() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOf(rapid.OneOf(
		rapid.SampledFrom([]string{"\x1b", "\x1b[31m", "[", "31m", "m", "\u009b", "\u0085", "\x9b", "\r\n", "\n", "\t", "\x07", "a b", "é", "日本"}),
		rapid.StringN(0, 4, -1),
	)), func(pieces []string) string { return strings.Join(pieces, "") })
}

// Whatever a text and its highlighter are, colours are the only control sequences, and nothing
// else changes.
func TestPaintOnlyAddsColours(t *testing.T) {
	styles := []Style{"", Bold, Match, Bad, Warning, Good, Place, Handle}
	added := regexp.MustCompile(`\x1b\[(1|1;31|3[12356]|0)m`)
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(texts().Draw(t, "text"))
		painted := Paint(text, func(line, _ []byte) (all []Stretch) {
			ends := rapid.SliceOfN(rapid.IntRange(0, len(line)), 0, 4).Draw(t, "ends")
			slices.Sort(ends)
			for pair := range slices.Chunk(ends, 2) {
				if len(pair) == 2 {
					all = append(all, Stretch{pair[0], pair[1], rapid.SampledFrom(styles).Draw(t, "style")})
				}
			}
			return all
		})
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
