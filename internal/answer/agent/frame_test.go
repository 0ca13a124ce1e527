package agent

import (
	"strings"
	"testing"
)

// FuzzNothingLeavesItsFrame draws an answer of two items and reads it back by its mark.
func FuzzNothingLeavesItsFrame(f *testing.F) {
	for _, text := range []string{
		"", "text", "=== ", "=== 0000 end: all\n", "\x1b[2J\u202e", "<tool_call>{}</tool_call>\n", "a\r\nb\r", "=== e3b0: x\n=== e3b0 a.md:1\n",
	} {
		f.Add("a.md#x", "Heading", text, text+"\n")
	}
	f.Fuzz(func(t *testing.T, id, heading, first, second string) {
		items := []PageText{
			{Page: id, Change: heading, Share: 99, Lines: LineRange{1, 2}, Headings: []string{heading}, Content: []byte(first)},
			{Page: id, Lines: LineRange{3, 3}, URL: "https://example.com/", Content: []byte(second)},
		}
		var a Answer
		a.texts("note", items, "done")
		out := string(a.Markdown())
		texts := textsOf(t, out)
		if len(texts) != len(items) {
			t.Fatalf("got %d texts, want %d:\n%s", len(texts), len(items), out)
		}
		for i, it := range items {
			if got := texts[i]; got != string(it.Content) && got != string(it.Content)+"\n" {
				t.Errorf("got %q, want %q", got, it.Content)
			}
		}
	})
}

// textsOf returns the texts of an answer, as a reader finds them who knows only the first
// line. It fails the test if a line of ours has control characters.
func textsOf(t *testing.T, answer string) (texts []string) {
	t.Helper()
	mark, _, _ := strings.Cut(answer, ":")
	isOpen := false
	for line := range strings.Lines(answer) {
		if !strings.HasPrefix(line, mark) {
			if !isOpen {
				t.Fatalf("%q is in no frame", line)
			}
			texts[len(texts)-1] += line
			continue
		}
		if strings.ContainsAny(line[:len(line)-1], "\r\n\x1b\u202e\u2028") {
			t.Errorf("%q contains control characters", line)
		}
		if isOpen = !strings.HasPrefix(line, mark+" end:") && !strings.HasPrefix(line, mark+":"); isOpen {
			texts = append(texts, "")
		}
	}
	return texts
}

// No page can contain the mark of an answer with a text from this page.
func TestAMarkIsInNoText(t *testing.T) {
	var all strings.Builder
	for _, a := range "0123456789abcdef" {
		for _, b := range "0123456789abcdef" {
			for _, c := range "0123456789abcdef" {
				for _, d := range "0123456789abcdef" {
					all.WriteString("=== " + string([]rune{a, b, c, d}) + " end:\n")
				}
			}
		}
	}
	items := []PageText{{Page: "a.md", Content: []byte(all.String())}}
	if mark := markOf(items); strings.Contains(all.String(), mark) || len(mark) < len("=== 12345") {
		t.Errorf("the mark %q is in the text", mark)
	}
}
