package agent

import (
	"bytes"
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
		items := []framedText{
			{page: id, best: heading, share: 99, first: 1, last: 2, headings: []string{heading}, text: []byte(first)},
			{page: id, first: 3, last: 3, url: "https://example.com/", text: []byte(second)},
		}
		var out bytes.Buffer
		mark := frameOf(items)
		mark.begin(&out, "note")
		for _, it := range items {
			mark.framedText(&out, it)
		}
		mark.end(&out, "done")
		texts := textsOf(t, out.String())
		if len(texts) != len(items) {
			t.Fatalf("got %d texts, want %d:\n%s", len(texts), len(items), out.String())
		}
		for i, it := range items {
			if got := texts[i]; got != string(it.text) && got != string(it.text)+"\n" {
				t.Errorf("got %q, want %q", got, it.text)
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
	items := []framedText{{page: "a.md", text: []byte(all.String())}}
	if mark := frameOf(items); mark.isIn(items) || len(mark.mark) < len("=== 12345") {
		t.Errorf("the mark %q is in the text", mark.mark)
	}
}
