package agent

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A quote is not cut within a code span or between a number and its unit.
func TestAQuoteIsCutBetweenPieces(t *testing.T) {
	piece := rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return rapid.StringMatching("`[a-z]{1,9}( [a-z=.]{1,9}){0,5}`[.,]?|``[a-z]{1,9} ` [a-z]{1,9}``").Draw(t, "code")
		case 1:
			return rapid.StringMatching(`[0-9]{1,3}(,000| 000|\.5)? (levels|seconds|MiB|%)`).Draw(t, "quantity")
		case 2:
			return "(`" + rapid.StringMatching(`[0-9]{1,5}`).Draw(t, "number") + "` bytes)"
		}
		return rapid.StringMatching(`[a-z]{1,12}`).Draw(t, "word")
	})
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(piece, 1, 80).Draw(t, "pieces")
		sentence := strings.Join(pieces, " ")
		query := rapid.SampledFrom([]string{"how many levels", "levels seconds", "bytes", "nothing"}).Draw(t, "query")
		got := questionOf(query, coverage(query)).cut(sentence)
		bare := strings.TrimSuffix(strings.TrimPrefix(got, "… "), " …")
		isWhole := false // it ends and begins with pieces
		for first := range pieces {
			text := ""
			for _, p := range pieces[first:] {
				if text = strings.TrimPrefix(text+" "+p, " "); len(text) >= len(bare) {
					break
				}
			}
			isWhole = isWhole || text == bare
		}
		if !isWhole || len(bare) > longestSentence {
			t.Errorf("%q is cut in a piece of %q", got, sentence)
		}
	})
}

func TestAPieceThatIsTooLongIsCut(t *testing.T) {
	for _, text := range []string{
		"Code: `" + strings.Repeat("many words ", 60) + "` ends.",
		strings.Repeat("12 ", 400),
		strings.Repeat("`", 400) + strings.Repeat(" x", 200),
		strings.Repeat("x", 400),
	} {
		if got := questionOf("words", coverage("words")).cut(text); len(got) > longestSentence+len("… … …") {
			t.Errorf("got %d bytes: %q", len(got), got)
		}
	}
}
