package markdown_test

import (
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/pages/markdown"
)

func TestFrontMatterIsYAMLOrTOMLOrJSON(t *testing.T) {
	for _, tc := range []struct{ fields, closing, body string }{
		{"---\na: b\n", "---\n", "text\n---\n"},
		{"--- \na: b\n", "...\n", "text\n---\n"},
		{"---\r\na: b\r\n", "---\r\n", "text\n---\n"},
		{"---\n", "---\n", "text\n---\n"},
		{"---\n\n", "---\n", "text\n---\n"},
		{"---\n~\n", "---\n", "text\n---\n"},
		{"---\n{a: [b]}\n", "---\n", "text\n---\n"},
		{"---\n{ \"a\" : {}}\n", "---\n", "text\n---\n"},
		{"---\n? a\n: b\n", "---\n", "text\n---\n"},
		{"---\n<<: {a: b}\n", "---\n", "text\n---\n"},
		{"---\n'a b': c\n", "---\n", "text\n---\n"},
		{"---\n\n\n# comment\ntitle:\n  a b\n", "---\n", "text\n---\n"},
		{"---\n\ta: 1\n", "---\n", "text\n---\n"},
		{"---\nexternal help file: a.xml\nModule Name: A\n", "---\n", "text\n---\n"},
		{"---\nTitle: How to stop it\n", "---\n", "text\n---\n"},
		{"---\nStatus: accepted\n", "---\n", "text\n---\n"},
		{"---\nLast updated: 2026-11-26\n", "---\n", "text\n---\n"},
		{"---\nNote: this is more\nthan: a sentence\n", "---\n", "text\n---\n"},
		{"---\nog:title: A b\n", "---\n", "text\n---\n"},
		{"---\nSPDX-License-Identifier: MIT OR Apache-2.0\n", "---\n", "text\n---\n"},
		{"---\n标题: 一 二\n", "---\n", "text\n---\n"},
		{"---\n# title: A\n", "---\n", "text\n---\n"},
		{"---\n# Feel free to add fields.\n# They are YAML.\n", "---\n", "text\n---\n"},
		{"---\n# Do not remove front matter.\n\n", "---\n", "text\n---\n"},
		{"+++\na = 'b'\n", "+++\n", "text\n---\n"},
		{"+++ \n# c\n\n[a]\nb = 1\n", "+++", ""},
		{"+++\na = \"\"\"\n---\n\"\"\"\n", "+++\n", "text\n---\n"},
		{"+++\n", "+++\n", "text\n---\n"},
		{"{\"a\": 1}", "\n", "text\n---\n"},
		{"{\n  \"a\": {\"b\": \"}\"},\n\n  \"c\": []\n}", "  \r\n", "text\n---\n"},
	} {
		for _, mark := range []string{"", "\ufeff"} {
			before := mark + tc.fields + tc.closing
			fields, end, err := markdown.SplitFrontMatter([]byte(before + tc.body))
			if string(fields) != tc.fields || end != len(before) || err != nil {
				t.Errorf("%q: got %q up to %d and error %v, want %q up to %d", before+tc.body, fields, end, err, tc.fields, len(before))
			}
		}
	}
}

func TestTextBetweenRulesIsNoFrontMatter(t *testing.T) {
	for _, content := range []string{
		"---\n\n# Notes\n\nStop it first.\n\n---\n\nSupport: see the forum.\n",
		"---\nStop it first.\n---\n",
		"---\nNote: stop it first.\n---\n",
		"---\r\nNote: stop it first.\r\n---\r\n",
		"\ufeff---\nNote: stop it first.\n...\n",
		"---\nNote: stop it first,\nthen start it.\n---\n",
		"---\nBefore you begin: relax\n---\n",
		"---\nBefore you begin:\n- stop it\n- back up: all\n---\n",
		"---\nSteps:\n\n- stop it\n---\n",
		"---\n**Note**: stop it first.\n---\n",
		"---\n1. stop: yes\n2. start it\n---\n",
		"---\n1) stop: yes\n---\n",
		"---\n+ stop: yes\n+ start it\n---\n",
		"---\n- a: b\n---\n",
		"---\n* a\n---\n",
		"---\n> a: b\n---\n",
		"---\n| a | b: c |\n|---|---|\n---\n",
		"---\n[a]: https://example.com\n---\n",
		"---\n![a](b)\n---\n",
		"---\n`a: b`\n---\n",
		"---\n{{ page.title }}\n---\n",
		"---\n{{< note a: b >}}\n---\n",
		"---\n{% include a: b %}\n---\n",
		"---\n<b>a: b</b>\n---\n",
		"---\n\n# Notes\n\n---\nText.\n",
		"---\nNotes\n=====\n---\n",
		"---\n12:30 is too late\n---\n",
		"---\n",
		"---\n\nText.\n\n# A\n",
		"---\n# A: b\n# B\n\ntext\n",
		"---\nNote: stop it first.\n",
		"----\na: b\n----\n",
		"--\na: b\n--\n",
		" ---\na: b\n---\n",
		"...\na: b\n...\n",
		"# A\n---\na: b\n---\n",
		"Text.\n\n---\na: b\n---\n",
		"<!-- open\n---\na: b\n---\n",
		"<!-- a --> text\n---\na: b\n---\n",
		"\n\n---\na: b\n",
		"\n\n---\nText.\n\n---\n",
		"+++\nText.\n+++\n",
		"+++ Details\na = 1\n+++\n",
		"+++\n\nText.\n",
		"{}\n",
		"{note: 1}\n",
		"{\"a\": 1} is an object.\n",
		"{\"a\"}\n",
		"{{ a }}\n",
		"", "\n", "\ufeff",
	} {
		fields, end, err := markdown.SplitFrontMatter([]byte(content))
		if before := strings.TrimPrefix(content[:end], "\ufeff"); fields != nil || before != "" || err != nil {
			t.Errorf("%q: got %q up to %q and error %v, want only text", content, fields, before, err)
		}
	}
}

// Readers must not see such front matter, although no generator can use it.
func TestFrontMatterThatIsOutOfPlaceIsNoText(t *testing.T) {
	for _, tc := range []struct{ content, text, err string }{
		{"---\ntitle: No end\n\n# Body\n", "\n# Body\n", "the line of three hyphens that ends it is missing"},
		{"---\ntitle: No end\n", "", "the line of three hyphens that ends it is missing"},
		{"+++\ntitle = 'No end'\n\n# Body\n", "\n# Body\n", "the line of three plus signs that ends it is missing"},
		{"\n\n---\ntitle: Late\n---\n# Body\n", "# Body\n", "it must begin in the first line"},
		{"\ufeff \r\n---\r\ntitle: Late\r\n---\r\n# Body\n", "# Body\n", "it must begin in the first line"},
		{"<!-- licence\n\nof it -->\n\n<!-- more -->\n---\ntitle: Late\n---\n# Body\n", "# Body\n", "it must begin in the first line"},
		{"\n+++\ntitle = 'Late'\n+++\n# Body\n", "# Body\n", "it must begin in the first line"},
		{"\n{\"title\": \"Late\"}\n# Body\n", "# Body\n", "it must begin in the first line"},
		{"{\n  \"title\": No,\n\n  \"b\": 1\n}\n# Body\n", "# Body\n", "its JSON is broken"},
		{"{ \"title\": \"a\n\n# Body\n", "\n# Body\n", "its JSON is broken"},
	} {
		fields, end, err := markdown.SplitFrontMatter([]byte(tc.content))
		if text := tc.content[end:]; fields != nil || text != tc.text || err == nil || err.Error() != tc.err {
			t.Errorf("%q: got %q, text %q and error %v, want text %q and error %s", tc.content, fields, text, err, tc.text, tc.err)
		}
	}
}

func TestTheTitleOfFrontMatter(t *testing.T) {
	for frontMatter, want := range map[string]string{
		"---\ntitle: A b\n---\n":                           "A b",
		"---\ntitle: 'A b'\n---\n":                         "A b",
		"\ufeff---\nx: y\ntitle: A\n---\n":                 "A",
		"---\ntitle: >\n  A\n---\n":                        "",
		"+++\ntitle = 'A \\b'\n+++\n":                      `A \b`,
		"\ufeff+++\n\"title\"= \"A \\\"b\\\"\" # c\n+++\n": `A "b"`,
		"+++\n[x]\ntitle = 'A'\n+++\n":                     "",
		"+++\ntitle = 1\n+++\n":                            "",
		"{\"x\": {\"title\": \"B\"}, \"title\": \"A\"}\n":  "A",
		"{\"title\": 1}\n":                                 "",
		"":                                                 "",
	} {
		if got := markdown.TitleIn([]byte(frontMatter)); got != want {
			t.Errorf("%q: got %q, want %q", frontMatter, got, want)
		}
	}
}
