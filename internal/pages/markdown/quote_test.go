package markdown

import (
	"slices"
	"testing"
)

func TestQuotableSentences(t *testing.T) {
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
		{"a fence next to a bullet", "- ```sh\n  run it.\n  ```\n- Text.\n", []string{"Text."}},
		{"a fence in a fence", "````md\n```sh\nrun it.\n```\nIn the fence.\n````\nBehind it.\n", []string{"Behind it."}},
		{"a fence that looks closed", "```sh\nrun it.\n```sh\nrun more.\n~~~\n```\nText.\n", []string{"Text."}},
		{"a fence in a tab", "=== \"Bash\"\n\n    Text of the tab.\n\n    ```sh\n    run it.\n    ```\n", []string{"Text of the tab."}},
		{"code in backticks", "```run it``` is text.\n", []string{"```run it``` is text."}},
		{"indented code", "Text.\n\n    run it.\n\n    run more.\n\nBehind it.\n\tRun as a line of text.\n", []string{"Text.", "Behind it.", "Run as a line of text."}},
		{"indented code in items", "- One.\n\n      run it.\n\n  - Two.\n\n    Of two.\n\n  Of one.\n\n        run it.\n", []string{"One.", "Two.", "Of two.", "Of one."}},
		{"indented code after a list", "- One.\n\nText.\n\n    run it.\n", []string{"One.", "Text."}},
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
		if got := Quotable([]byte(tc.text)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}
