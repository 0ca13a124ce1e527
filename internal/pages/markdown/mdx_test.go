package markdown

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/effort"
)

// A page of MDX contains the words its readers see. The wanted texts fold white space, and "<"
// means code at the beginning of a line with text.
func TestCodeOfMDXIsMasked(t *testing.T) {
	tests := []struct{ name, page, want, labels string }{
		{"text", "a *b* `c {d}` \\{e\\}\n", "a *b* `c {d}` \\{e\\}", ""},
		{"imports", "import A from 'a'\nimport {\n  B,\n\n  C,\n} from \"b\"\n\ntext\n", "text", ""},
		{"exports", "export const meta = {\n  title: 'T',\n\n  a: `\n\n} # b`,\n}\n\n# H\n\nexport default A\n", "# H <", ""},
		{"exports at the end", "export const a = [\n\n]", "", ""},
		{"an export without an end", "export const a = [\n\ntext\n", "text", ""},
		{"words of a sentence", "Now\nimport a\nor\n\n export b, important\n\nimports\n", "Now import a or export b, important imports", ""},
		{"exports without a paragraph before them", "# a\nexport const b = [\n\n# c\n]\n\n<D/>\nimport e\n\n---\nimport f\n", "# a < < < --- <", ""},
		{"a comment", "a {/* b { */} c\n\n{/*\n\n# d\n\n*/}\n\n<!-- e\n\n# f -->\n", "a c < <", ""},
		{"expressions", "a {b.map((c) => ({c: '}'}))} d {`e ${f(`{`)} }`} {/* it's */}{x // }\n} g\n", "a d } g", ""},
		{"an expression with blank lines", "{[\n  1,\n\n  2\n].map((i) => <p>it's {i}</p>)}\n\n# a\n", "# a", ""},
		{"braces that nothing closes", "{a\n\nb {c\n\nd } e\n", "{a b {c d } e", ""},
		{"a string is in one line", "{a && <b>it's</b>} c\n", "< c", ""},
		{"tags", "<A>b</A> c <D.E-f x={{y: '>'}} {...z} w /> g<br/>\n", "<< b c g", ""},
		{"styles and scripts", "# a\n\n<style>{`\n  .b { c: d }\n`}</style>\n\n<script>\ne()\n\n'f'\n</script>\n\ng <style>h</style> i <style />j <style>k\n", "# a < < g i j k", ""},
		{"fragments", "<>\na\n</>\n", "< a <", ""},
		{"a tag in lines", "<A\n  b={[\n    {c: `\n\n`}\n  ]}\n\n  d\n>\n  e\n</A>\n", "< e <", ""},
		{"names of tags", "<Composer.Unstable_X> a </Composer.Unstable_X> <svg:rect /> <$ />\n", "< < a", ""},
		{"no tags", "a < b, <3, <https://example.com>, <a@b.c>, Array<x, y>, <a b, c>\n", "a < b, <3, <https://example.com>, <a@b.c>, Array<x, y>, <a b, c>", ""},
		{"a tag in a paragraph has no blank lines", "a <b\n\nc>\n", "a <b c>", ""},
		{"code", "```mdx\nimport a\n<b/> {c}\n```\n\n   ~~~\n<d>\n~~~\n<e>\n", "```mdx import a <b/> {c} ``` ~~~ <d> ~~~ <", ""},
		{"code in tags", "<A>\n      ```\n      <b>\n      ```\n      c\n</A>\n", "< ``` <b> ``` c <", ""},
		{"code spans in lines", "a `b\n{c` d {e}\n", "a `b {c` d", ""},
		{"in lists and quotations", "- <A>b</A>\n- {c}\n\n> <d/>\n> e\n", "- << b - < > < > e", ""},
		{"labels", "<Card title=\"Install it\" href=\"/a\" icon={<B label='New' />}>x</Card>\n", "< < x", "Install it|New"},
		{
			"labels of objects", "<Table content={[\n  {name: 'max', type: \"int\", 'description':\n    'The most'},\n  {name: `min`, alt: {c: 'd'}},\n]} />\n",
			"<", "max|The most|min",
		},
		{"labels in braces and lines", "a <B title={'x'} text={\n  `y\nz`\n} className='c' filename='d'/> e\n", "a < e", "x|y z"},
		{"text after code begins no block", "{a}# b\n\n<c/>- d\n\ne {\n}# f\n\n- g\n- {h}\n", "< # b < < - d e }# f - g - <", ""},
		{"text after code begins no tag", "<A>b c> d\n\n{\n}b> e\n", "<< b c> d < }b> e", ""},
		{"code in a quotation ends with it", "> ```\n> <a>\n<b>\n", "> ``` > <a> <", ""},
		{"labels of expressions", "{show && <A title=\"b\" />}\n", "<", "b"},
		{"labels of what is no tag", "a <B title=\"x\"\n\nb\n", "a <B title=\"x\" b", ""},
		{"front matter", "---\ntitle: {a}\n---\n{b} c\n", "--- title: {a} --- < c", ""},
		{"other line ends", "import a\r\n\r\n<b\r\n/>\r\nc {d}\r\n", "< c", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body := ParseMDX([]byte(test.page)).Body
			if got := strings.Join(strings.Fields(string(body.Text)), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			var labels []string
			for _, label := range body.Labels {
				labels = append(labels, strings.Join(strings.Fields(string(label.Text)), " "))
			}
			if got := strings.Join(labels, "|"); got != test.labels {
				t.Errorf("got the labels %q, want %q", got, test.labels)
			}
			checkMDX(t, []byte(test.page))
		})
	}
}

// Blocks of MDX may be indented by any width, as between tags.
func TestBlocksOfMDX(t *testing.T) {
	tests := []struct{ name, page, want string }{
		{"indented headings", "<Steps>\n    <Step>\n        ## One\n        text\n\n\t\t## Two {/* #zwei */}\n    </Step>\n</Steps>\n", "0 0 2:One#one 0 2:Two#zwei 0 0"},
		{"a heading right after tags", "<Tab>\n# A <B>b</B> c {d} <E f />\n</Tab>\n## {g}\n", "0 1:A b c#a-b-c 0 2:#"},
		{"an underline after a tag", "<A />\n\n---\n", "0 0"},
		{"a tag ends a paragraph and a list", "text\n<A />\nUnder\n===\n- item\n</B>\n    # C\n", "0 0 1:Under#under 0 0 1:C#c"},
		{"a tag with text does not", "text\n<A>b</A> c\n===\n", "1:text b c#textb-c"},
		{"code ends a list", "- a\n\n{b}\n\n  # C\n- d\n\nimport e\n\n  # F\n", "0 0 1:C#c 0 0 1:F#f"},
		{"items that are indented less", "   - a\n - b\n   - in b\n- c\n  # in c\n", "0 0 0"},
		{"a list between tags", "<A>\n      - one\n      - two\n\n        more\n\n        ## in the item\n      - three\n\n      ## Heading\n</A>\n", "0 0 0 0 2:Heading#heading 0"},
		{"code between tags", "      ```sh\n# no heading\n        ```\n      # A\n", "0 1:A#a"},
		{"no heading in code", "{`\n# a\n`}\n\nexport const b = `\n\n# c\n`\n\n# d {#e}\n", "0 1:d#e"},
		{"no indented code", "    # A\n\n\ttext\n", "1:A#a 0"},
		{"an anchor in the text", "# Set up {#setup}\n\n# Set {/* #up */} up\n", "1:Set up#setup 1:Set up#set--up"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, b := range ParseMDX([]byte(test.page)).Blocks {
				name := ""
				if b.Level > 0 {
					name = ":" + b.Title + "#" + b.Anchor
				}
				got = append(got, fmt.Sprint(b.Level)+name)
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			checkMDX(t, []byte(test.page))
		})
	}
}

// checkMDX makes sure that the text of a page is the page with spaces for code, and labels are
// pieces of such code, in order.
func checkMDX(t rapid.TB, content []byte) {
	t.Helper()
	page := ParseMDX(content)
	if len(page.Text) != len(content) {
		t.Fatalf("got %d bytes, want %d", len(page.Text), len(content))
	}
	isMasked := func(at int) bool { return strings.IndexByte(" <}", page.Text[at]) >= 0 }
	for i, b := range content {
		if page.Text[i] != b && (b == '\n' || b == '\r' || !isMasked(i)) {
			t.Fatalf("%q: byte %d became %q", content, i, page.Text[i])
		}
	}
	end := page.Blocks[0].Start
	if !bytes.Equal(page.Text[:end], content[:end]) {
		t.Errorf("%q: the front matter became %q", content, page.Text[:end])
	}
	for _, label := range page.Labels {
		if label.Start < end || !bytes.HasPrefix(content[label.Start:], label.Text) || len(bytes.Trim(page.Text[label.Start:label.Start+len(label.Text)], " \r\n")) > 0 {
			t.Errorf("%q: the label %q is not masked at %d", content, label.Text, label.Start)
		}
		end = label.Start + len(label.Text)
	}
	checkTiles(t, content, page)
	if again := ParseMDX(content); !cmp.Equal(page.Body, again.Body) {
		t.Errorf("%q: the second time it is another page", content)
	}
	for _, b := range page.Blocks {
		for _, f := range page.Frames(b) {
			if end := checkFrame(t, content, f); f.Lead.Start < b.Start || end > b.End {
				t.Errorf("%q: the frame %+v in %+v", content, f, b)
			}
		}
	}
}

// checkTiles makes sure that the blocks cover a page after its front matter.
func checkTiles(t rapid.TB, content []byte, page Page) {
	t.Helper()
	at := page.Blocks[0].Start
	for _, b := range page.Blocks {
		if b.Start != at || b.End < b.Start {
			t.Fatalf("%q: the blocks %+v have gaps", content, page.Blocks)
		}
		at = b.End
	}
	if at != len(content) {
		t.Fatalf("%q: the blocks end at %d", content, at)
	}
}

// marks are texts which begin, continue or end code of MDX.
var marks = append([]string{
	"import ", "export ", "{", "}", "{/*", "*/}", "`", "${", "\"", "'", "\\", "<", ">", "/>", "</", "<A ", "<b>", "title=", "name: ", "=", "//", "(", "]", "<!--", "-->",
}, beginnings...)

func TestAnyPageOfMDXIsMasked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom(marks), 1, 30).Draw(t, "texts")
		checkMDX(t, []byte(strings.Join(some, "")))
	})
}

func FuzzMDX(f *testing.F) {
	f.Add([]byte("---\ntitle: a\n---\nimport A from 'a'\n\n<A title=\"b\" c={{d: `${e}`}}>\n    # f {g}\n</A>\n"))
	f.Fuzz(func(t *testing.T, content []byte) { checkMDX(t, content) })
}

// A page of plain Markdown is the same page as MDX.
func TestPlainMarkdownIsTheSameInMDX(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom(plainTexts), 1, 30).Draw(t, "texts")
		content := []byte(strings.Join(some, ""))
		want := Parse(content).Body
		want.IsMDX = true
		if diff := cmp.Diff(want, ParseMDX(content).Body); diff != "" {
			t.Errorf("%q (-Markdown +MDX):\n%s", content, diff)
		}
	})
}

// plainTexts are lines with the same meaning in both.
var plainTexts = []string{
	"# a\n", "## b `{c}` \\<d>\n", "text\n", "===\n", "---\n", "- item\n", "  - more\n", "1. one\n", "> quote\n", "```\n", "| a | b |\n|---|---|\n",
	"[a]: b\n", "[a] *b*\n", "imports\n", "\n", "\n\n", "é `<x>`\n",
}

// Marks without an end don't take longer than a page is allowed to take.
func TestHostileMDXTakesLinearTime(t *testing.T) {
	for _, unit := range []string{
		"{", "<a ", "<a {", "`a", "` ``` ", "{`", "{`${", "{'", "{'\\'", "{\"' ", "import {\n\n", "<a title=\"\" ", "<!-- ", "{/*", "{//", "<style>", "<script></script", "<a b=\"", "# {a}\n",
		"\n\n{", "\n<a\n\n", "\t- ", "        x\n", "{}", ":\"\"", "{:\"\"",
	} {
		page := []byte(strings.Repeat(unit, effort.Cases(1<<20, 1<<17)/len(unit)) + "\n\n# End\n")
		if m := maskMDX(page, 0); m.spare < -len(page) {
			t.Errorf("%q: read %d bytes in vain", unit, sparePerByte*len(page)-m.spare)
		}
		blocks := ParseMDX(page).Blocks
		if last := blocks[len(blocks)-1]; last.Title != "End" {
			t.Errorf("%q: the last block is %.20q", unit, last.Title)
		}
	}
}

// A line of the largest size would take an hour if each piece of code in it looked at the rest of
// the line. The test only has to end.
func TestMaskingEndsOnLongLines(t *testing.T) {
	for _, unit := range []string{"{}", "<a/>", "{a} b ", "`a` {b}"} {
		m := maskMDX([]byte(strings.Repeat(unit, effort.Cases(document.MaxSize, 1<<21)/len(unit))), 0)
		if len(m.code) == 0 || m.spare != sparePerByte*len(m.page) {
			t.Errorf("%q: masked %d pieces of code and read in vain", unit, len(m.code))
		}
	}
}

// The text of a whole page, to be read by people.
func TestAPageOfMDX(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("testdata", "page.mdx"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "page.txt"))
	if err != nil {
		t.Fatal(err)
	}
	page := ParseMDX(content)
	var got bytes.Buffer
	for _, b := range page.Blocks {
		text := strings.Fields(string(page.Text[b.Start:b.End]))
		if len(text) > 0 {
			fmt.Fprintf(&got, "%d %s\n", b.Level, strings.Join(text, " "))
		}
	}
	for _, label := range page.Labels {
		fmt.Fprintf(&got, "label %s\n", label.Text)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
