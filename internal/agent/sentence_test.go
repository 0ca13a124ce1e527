package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answers"
)

func TestSentencesOfASection(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"a paragraph", "One line\ngoes on. Two! Is it three? yes, e.g. this one.\n", []string{"One line goes on.", "Two!", "Is it three? yes, e.g. this one."}},
		{"no headings and no code", "## Setup\n\nText.\n\n```sh\nrun it. Now.\n```\n\nMore.\n", []string{"Text.", "More."}},
		{"items", "- one. Two\n  goes on\n* three\n1. four\n", []string{"one.", "Two goes on", "three", "four"}},
		{"rows", "| Flag | Default |\n| --- | --- |\n| `--n` | 5. Or 6 |\n", []string{"| `--n` | 5. Or 6 |"}},
		{"a quotation", "> Said. So.\n> Again\n", []string{"Said.", "So.", "Again"}},
		{"abbreviations", "Use it, e.g. Bash or Zsh. See Fig. 2 of it.\n", []string{"Use it, e.g. Bash or Zsh.", "See Fig.", "2 of it."}},
		{"a setext heading", "Title\n=====\nText.\n", []string{"Title", "Text."}},
		{"a fence in an item", "1. Run\n\n   ```sh\n   run it.\n   ```\n\n   Then go on.\n", []string{"Run", "Then go on."}},
		{"a fence beside a bullet", "- ```sh\n  run it.\n  ```\n- Text.\n", []string{"Text."}},
		{"a fence in a fence", "````md\n```sh\nrun it.\n```\nIn the fence.\n````\nBehind it.\n", []string{"Behind it."}},
		{"a fence that looks closed", "```sh\nrun it.\n```sh\nrun more.\n~~~\n```\nText.\n", []string{"Text."}},
		{"a fence in a tab", "=== \"Bash\"\n\n    Text of the tab.\n\n    ```sh\n    run it.\n    ```\n", []string{"Text of the tab."}},
		{"code in backticks", "```run it``` is text.\n", []string{"```run it``` is text."}},
		{"indented code", "Text.\n\n    run it.\n\n    run more.\n\nBehind it.\n\tRun as a line of text.\n", []string{"Text.", "Behind it.", "Run as a line of text."}},
		{"indented code in items", "- One.\n\n      run it.\n\n  - Two.\n\n    Of two.\n\n  Of one.\n\n        run it.\n", []string{"One.", "Two.", "Of two.", "Of one."}},
		{"indented code behind a list", "- One.\n\nText.\n\n    run it.\n", []string{"One.", "Text."}},
		{"a note", "> [!NOTE]\n> Mind this.\n\n!!! note \"Title\"\n\n    And this.\n\n::: tip\nThird.\n:::\n", []string{"Mind this.", "And this.", "Third."}},
		{"shortcodes", "{{< tabpane text=true >}} {{% tab Docker %}}\n\nReplace `{{% vers %}}`.\n\n{{% /tab %}}\n", []string{"Replace `{{% vers %}}`."}},
		{"shortcodes on many lines", "{{< figure\n  src=\"a.png\" caption=\"A picture.\"\n>}}\n\n{{<youtube x}y>}}\nText.\n", []string{"Text."}},
		{"templates", "{{ $x := .Get 0 -}}\n{% raw %}\n- {{ partial \"a\" }}\n\nText.\n", []string{"Text."}},
		{"templates in sentences", "{{< term >}} is a tool.\nSee {{ .Name }}\n", []string{"{{< term >}} is a tool.", "See {{ .Name }}"}},
		{"comments", "{/* TODO: Remove it. */}\n\n{/*\nOne.\n\nTwo.\n*/}\n\nText.\n", []string{"Text."}},
		{"templates without an end", "{{< is a mark.\n\n{/* is a comment.\n", []string{"{{< is a mark.", "{/* is a comment."}},
		{"templates in code", "```\n{/* run it.\n```\n\n    {{< run it.\n\nWrite `{/* x */}`.\n", []string{"Write `{/* x */}`."}},
		{"sentences in code", "Call `a. B` and ``c! `D``. An open ` is. No code.\n", []string{"Call `a. B` and ``c! `D``.", "An open ` is.", "No code."}},
		{"wide marks", "一。二。 三！四", []string{"一。", "二。", "三！", "四"}},
		{"a number sign", "#1 is text. # So\n", []string{"#1 is text.", "# So"}},
		{"nothing", "\n \n", nil},
	} {
		if got := sentencesOf([]byte(tc.text)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

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

// Code, a heading or a table may be all that matches.
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

// coverage returns a function for the share of the words of a query that a text has.
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

// A part of a code block that is cut begins in the block.
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
		if got := sentencesOf(p.readable(part)); !slices.Equal(got, want) {
			t.Errorf("part %d: got %q, want %q", i, got, want)
		}
	}
}
