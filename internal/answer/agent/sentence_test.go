package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

func TestTheBestSentenceHasTheMostOfTheQuestion(t *testing.T) {
	text := []byte("Retries are useful. The client makes some retries for each request.\n\nThe client makes 3 retries by default.\n\n" +
		"Set `maxRetries` for the retries of a client request.\n\n- Timeouts\n- See the page on Timeouts\n")
	for _, tc := range []struct{ query, want string }{
		{"client makes retries", "The client makes some retries for each request."},
		{"how many retries does the client make", "The client makes 3 retries by default."},
		{"which option sets the retries of a client request", "Set `maxRetries` for the retries of a client request."},
		{"Timeouts", "See the page on Timeouts"},
		{"nothing like it", "Retries are useful."},
	} {
		if got := questionOf(tc.query, coverage(tc.query)).best(text, 1); strings.Join(got, " ") != tc.want {
			t.Errorf("%q: got %q, want %q", tc.query, got, tc.want)
		}
	}
}

// A question for a quantity is answered by the sentence with the number, with the unit.
func TestTheBestSentenceOfAQuantityHasTheNumber(t *testing.T) {
	for _, tc := range []struct{ query, text, want string }{
		{
			"how many levels of objects does it convert", "Depth says how many levels of objects it does convert. The value can be any number from `0` to `100`. The default value is `2`.",
			"The value can be any number from `0` to `100`.",
		},
		{
			"how many levels at most", "It takes any number from zero to 100 at most. It was changed in version 7 to a maximum of 117 levels.",
			"It was changed in version 7 to a maximum of 117 levels.",
		},
		{"how long does the client wait", "The client can wait for 3 servers. It waits 30 seconds until the client ends.", "It waits 30 seconds until the client ends."},
		{"how large is a page", "A page has 12 parts. A page of theirs is 4096 bytes.", "A page of theirs is 4096 bytes."},
		{"max size of a message", "The max size of a message is set in RFC2822. Messages take 5MB.", "Messages take 5MB."},
		{"default size of a message", "The message size is for the server to choose. The size is 5MB by default.", "The size is 5MB by default."},
		{"which client waits", "Which client waits is known. A client waits 30 seconds.", "Which client waits is known."},
	} {
		if got := questionOf(tc.query, coverage(tc.query)).best([]byte(tc.text), 1); strings.Join(got, " ") != tc.want {
			t.Errorf("%q: got %q, want %q", tc.query, got, tc.want)
		}
	}
}

// Sometimes only code, a heading or a table matches.
func TestEveryTextHasAQuote(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"Text.\n\n```sh\nls\nrun retries 3\n```\n", "run retries 3"},
		{"## The retries\n\nText. More.\n", "The retries"},
		{"| a | retries |\n| --- | --- |\n| 1 | 2 |\n", "| a | retries |"},
		{"## Title\n\n```sh\nls\n```\n\nText. More.\n", "Text."},
		{"```sh\nls\n```\n", "ls"},
		{"# Title\n", "Title"},
		{"\n", ""},
	} {
		if got := questionOf("retries", coverage("retries")).best([]byte(tc.text), 2); strings.Join(got, " ") != tc.want {
			t.Errorf("%q: got %q, want %q", tc.text, got, tc.want)
		}
	}
}

// coverage returns a function for the share of a query's words in a text.
func coverage(query string) func([]byte) uint64 {
	words := strings.Fields(query)
	return func(text []byte) (n uint64) {
		for _, w := range words {
			if slices.Contains(strings.Fields(string(text)), w) {
				n += one / uint64(len(words))
			}
		}
		return n
	}
}

func TestALongSentenceIsCutAroundTheAnswer(t *testing.T) {
	text := strings.Repeat("many words stand here ", 40) + "before the retries of the client " + strings.Repeat("and many follow ", 40)
	got := questionOf("retries client", coverage("retries client")).best([]byte(text), 1)[0]
	if !strings.Contains(got, "retries of the client") || len(got) > longestSentence+len("…  …") {
		t.Errorf("got %q", got)
	}
}

func TestTheTextOfASectionIsReadable(t *testing.T) {
	for _, tc := range []struct{ content, want string }{
		{"See [Read-Host](x.md \"a (b)\"), or [the\nguide][1]. [New]\n\n[1]: guide.md\n", "See Read-Host, or the guide. [New]"},
		{"![A picture](a.png) of `a[0]` and [`b[1]`](b.md).\n", "A picture of `a[0]` and `b[1]`."},
		{"[![Badge](b.svg)](ci.md): [^1] [x]( y\n", "Badge: [^1] [x]( y"},
		{"a] [b](c(d).md)[e](f.md) \\[g](h)\n", "a] be \\[g](h)"},
	} {
		p, err := pageOf(t.Context(), answers.Member{Cache: new(answers.Cache)}, 0, document.Document{Content: []byte(tc.content)})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(string(p.readable(p.parts[0]))), " "); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.content, got, tc.want)
		}
	}
}

// When a code block is cut, its parts begin inside it.
func TestThePartOfACodeBlockHasNoSentences(t *testing.T) {
	content := "# Code\n\n```sh\n" + strings.Repeat("run it. Run more.\n", 800) + "```\n\nText behind it.\n"
	p, err := pageOf(t.Context(), answers.Member{Cache: new(answers.Cache)}, 0, document.Document{Content: []byte(content)})
	if err != nil || len(p.parts) < 3 {
		t.Fatalf("got %d parts, %v", len(p.parts), err)
	}
	for i, part := range p.parts {
		want := []string(nil)
		if i == len(p.parts)-1 {
			want = []string{"Text behind it."}
		}
		if got := markdown.Quotable(p.readable(part)); !slices.Equal(got, want) {
			t.Errorf("part %d: got %q, want %q", i, got, want)
		}
	}
}
