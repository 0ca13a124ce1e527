package console

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/words"
)

// Whatever a name is, a table in Markdown shows it, and nothing else.
func TestMarkdownShowsEachCellAsItIs(t *testing.T) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))
	cell := regexp.MustCompile(`<td>(.*)</td>`)
	pieces := append(strings.Split("ab1 .-_*`~|\\<>[](){}#!&;:/=+$@\"'\t\n\x1bé\u202e", ""), "&lt;", "&#35;", "<b>", "[x](y)", "**", "~~", "``")
	text := rapid.Map(rapid.SliceOf(rapid.SampledFrom(pieces)), func(drawn []string) string { return strings.Join(drawn, "") })
	rapid.Check(t, func(t *rapid.T) {
		want := strings.TrimSpace(words.Printable(text.Draw(t, "text")))
		s := Sheet{Heading: []string{"Left", "Right"}}
		s.Add(want, "end")
		var page bytes.Buffer
		if err := markdown.Convert([]byte(s.Markdown()), &page); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = "-"
		}
		cells := cell.FindAllStringSubmatch(page.String(), -1)
		if len(cells) != 2 || html.UnescapeString(cells[0][1]) != want || cells[1][1] != "end" {
			t.Fatalf("got %q, want %q and end, by %s", cells, want, s.Markdown())
		}
	})
}
