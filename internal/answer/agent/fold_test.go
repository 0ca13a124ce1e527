package agent

import (
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAFoldedTextIsFoundWhereRegexpFindsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]rune("aaAbkKsS\u017f\u212aéÉßẞσςΣ.\ufffd"))
		text := rapid.StringOfN(letters, 1, 8, -1).Draw(t, "text")
		content := []byte(rapid.StringOfN(letters, 0, 60, -1).Draw(t, "content"))
		want := regexp.MustCompile("(?i)" + regexp.QuoteMeta(text)).FindIndex(content)
		if want == nil {
			want = []int{-1, -1}
		}
		start, end := foldText([]rune(text)).find(content)
		if got := []int{start, end}; !slices.Equal(got, want) {
			t.Errorf("%q in %q: got %d, want %d", text, content, got, want)
		}
	})
}
