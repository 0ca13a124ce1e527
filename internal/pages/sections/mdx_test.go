package sections_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/internal/pages/sections"
)

func cutMDX(content string) []sections.Section {
	return sections.Cut(markdown.ParseMDX([]byte(content)).Body)
}

func TestCodeOfMDXIsNoText(t *testing.T) {
	tests := []struct{ page, want string }{
		{"# A {b}\n\n<C d=\"e\">f</C> {/* g */} `h {i}`\n", "# A f `h {i}`"},
		{"<Card title=\"Install *it*\" href=\"x\">y</Card>\n", "Install *it* y"},
		{"    text\n\n        [link](x)\n", "text [link]"},
		{"import a\n\nexport const b = 'c'\n\nd < e\n", "d e"},
		{"<A>\n\n    ```\n    <b>\n    ```\n</A>\n", "``` <b> ```"},
		{"[a]: b\n\n<!-- c -->\n", ""},
	}
	for _, test := range tests {
		text := cutMDX(test.page)[0].Text
		if got := strings.Join(strings.Fields(string(text)), " "); got != test.want {
			t.Errorf("%q: got %q, want %q", test.page, got, test.want)
		}
	}
}

// An answer does not begin with imports. Without front matter they belong to the first
// section, which begins with the page.
func TestSectionsOfMDXBeginBehindImports(t *testing.T) {
	long := "<Steps>\n" + strings.Repeat("    ## Step\n\n"+strings.Repeat("        words of a step\n", 30)+"\n", 4) + "</Steps>\n"
	tests := []struct{ name, page, first, slugs string }{
		{"small", "---\ntitle: a\n---\nimport A from 'a'\n\n{/* b */}\n# B\n", "# B", "[b]"},
		{"no front matter", "import A from 'a'\n\n# B\n\n" + long, "import A from 'a'", "[b step-1 step-2 step-3]"},
		{"large", "---\ntitle: a\n---\nimport A from 'a'\n\n# B\n\n" + long, "# B", "[b step-1 step-2 step-3]"},
		{"a tag", "---\ntitle: a\n---\nimport A from 'a'\n\n<A>\n\ntext\n</A>\n", "<A>", "[~1]"},
		{"only tags", "---\ntitle: a\n---\n<A b={'c'}/>\n", "<A b={'c'}/>", "[~1]"},
		{"only expressions", "---\ntitle: a\n---\n{a}\n", "---", "[]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parts := cutMDX(test.page)
			first, _, _ := strings.Cut(test.page[parts[0].Start:], "\n")
			if first != test.first {
				t.Errorf("got a first line %q, want %q", first, test.first)
			}
			var slugs []string
			for _, p := range parts {
				slugs = append(slugs, p.Slug)
			}
			if got := fmt.Sprint(slugs); got != test.slugs {
				t.Errorf("got the slugs %s, want %s", got, test.slugs)
			}
		})
	}
}

// For any page of MDX, the sections follow each other up to its end, begin at the beginnings of
// lines, and their texts are as long as the sections.
func TestSectionsAreAllOfAPageOfMDX(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var page bytes.Buffer
		for _, line := range rapid.SliceOfN(rapid.SampledFrom([]string{
			"---\na: b\n---\n", "import A from 'a'\n", "export const a = {\n\n}\n", "{/* a */}\n", "<A title='b'>\n", "</A>\n", "    ## H\n", "# H {#x}\n",
			"words\n", "\n", "```\n", "{a\n", "<b\n", "<T x={[\n", "]}/>\n", "    - item\n", "| a |\n|---|\n", strings.Repeat("many words in a line\n", 40),
		}), 0, 40).Draw(t, "lines") {
			page.WriteString(line)
		}
		content := page.String()
		parts := cutMDX(content)
		end := parts[0].Start
		for _, p := range parts {
			if p.Start != end || p.Start > 0 && content[p.Start-1] != '\n' || len(p.Text) != p.End-p.Start {
				t.Fatalf("%q: section %+v begins after %d", content, p, end)
			}
			end = p.End
		}
		if end != len(content) {
			t.Errorf("%q: the sections end at %d", content, end)
		}
	})
}
