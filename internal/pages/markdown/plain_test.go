package markdown

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Blanks are spaces, so the test can compare each line by its words.
func TestMarkupIsNoText(t *testing.T) {
	for _, tc := range []struct{ name, content, want string }{
		{"link", "see [the guide](docs/install.md \"Install\") first", "see [the guide] first"},
		{"parentheses", "[a](b(c)d) e", "[a] e"},
		{"deep parentheses", "[a](((((((()))))))) [b](((((((((c)))))))))", "[a] [b](((((((((c)))))))))"},
		{"deep braces", "<a b={{{{{{{{c}}}}}}}}>d <a b={{{{{{{{{c}}}}}}}}}>", "d <a b={{{{{{{{{c}}}}}}}}}>"},
		{"image", "![logo](img/logo.png) text", "![logo] text"},
		{"badge", "[![build](x.svg)](y.html) z", "[![build] ] z"},
		{"reference", "see [the guide][install] first", "see [the guide] first"},
		{"definition", "[install]: docs/install.md\n[b]: <c> \"title\"\ntext", "text"},
		{"no definition", "[Note]: it is text", "[Note]: it is text"},
		{"footnote", "[^1]: docs/install.md", "[^1]: docs/install.md"},
		{"no link", "an array[i](x", "an array[i](x"},
		{"tags", "a<br/>b <img src=\"x.png\" alt=\"> no\"> <b>bold</b>", "a b bold"},
		{"tag of more lines", "<Tabs\n  groupId=\"os\"\n  values={[{a: '>'}]}>\ntext", "text"},
		{"neighbours", "<td><code>x</code></td>", "x"},
		{"no tag", "if a < b and c > d, 1 <2> <https://example.com>", "if a < b and c > d, 1 <2> <https://example.com>"},
		{"open tag", "<div class=\"x\n\ntext > more", "<div class=\"x text > more"},
		{"comment", "a <!-- no [b](c)\nno --> d <!-- no --> e", "a d e"},
		{"open comment", "a <!-- b", "a <!-- b"},
		{"comment that is a block", "a\n\n   <!-- no\n\n```\nno\n```\n--> b", "a b"},
		{"comment that interrupts a paragraph", "a\n<!-- no\n\nno --> b", "a b"},
		{"comment in a list", "- <!-- no\n\n  no -->\n- a", "- - a"},
		{"comment up to a blank line", "a <!-- b <!-- c\n\nd --> e <!-- no --> f", "a <!-- b <!-- c d --> e f"},
		{"comment up to a code block", "a <!-- b\n```\nc --> d\n```\n<!-- no -->", "a <!-- b ``` c --> d ```"},
		{"comment after a tag", "<b> <!-- a\n\nb --> c", "<!-- a b --> c"},
		{"comment after a number", "2024 <!-- a\n\nb --> c\n\n1. <!-- no\n\n   no --> d", "2024 <!-- a b --> c 1. d"},
		{"indented comment in a paragraph", "a\n    <!-- b\n\nc --> d", "a <!-- b c --> d"},
		{"open comments", "a <!-- b\n\n<!-- c\n\nd <!-- e", "a <!-- b <!-- c d <!-- e"},
		{"tag up to a code block", "<b c\n```\n>\n```", "<b c ``` > ```"},
		{"imports", "import Tabs from '@theme/Tabs';\nimport {\n  a,\n} from 'b'\n\ntext", "text"},
		{"no imports", "import the archive from disk\n\nexport it again", "import the archive from disk export it again"},
		{"exports", "export const meta = {\n  title: 'x',\n}\n\ntext", "text"},
		{"kinds of exports", strings.Join([]string{
			"export const a = 1", "export const {b} = c", "export let d: number = 1", "export var e = 2", "export function f() {", "export async function g() {", "export class H extends I {", "export default function J() {", "export default () => <K/>",
			"export default class extends L {", "export default M;", "export default n(o)", "export default p => q", "export {r} from 's'", "export * from 't'", "text",
		}, "\n\n"), "text"},
		{"no exports", strings.Join([]string{
			"export default sierra", "export const values only", "export let them go", "export var files", "export function keys", "export class diagrams", "export * all", "export default settings (all)", " export const a = 1",
		}, "\n\n"), "export default sierra export const values only export let them go export var files export function keys export class diagrams export * all export default settings (all) export const a = 1"},
		{"escapes", "\\[a](b) \\<div>", "\\[a](b) \\<div>"},
		{"code span", "`vector<int>` ``a ` [b](c)`` <b>", "`vector<int>` ``a ` [b](c)``"},
		{"open code span", "` [b](c)", "` [b]"},
		{"code block", "```html\n<b>[a](b)</b>\n````\n<b>", "```html <b>[a](b)</b> ````"},
		{"code block in a list", "- ~~~\n  <b>\n  ```\n  ~~~\n  <b>c", "- ~~~ <b> ``` ~~~ c"},
		{"code block in a quotation", "> ```\n> <b>\n> ```\n> <b>c", "> ``` > <b> > ``` > c"},
		{"open code block in a quotation", "> ```\n> <b>\n\n<b>c\n\n```\n<b>\n```", "> ``` > <b> c ``` <b> ```"},
		{"open code block in a list", "1. a\n   ```\n   <b>\n2. <b>c\n\n   ```\n   <b>\n   ```\n   <b>", "1. a ``` <b> 2. c ``` <b> ```"},
		{"open code block in front matter", "---\na: |\n  ```\n---\n<b>c", "c"},
		{"code block in HTML", "<div>\n```\n<b>\n\n<b>\n```\n</div>", "``` <b> <b> ```"},
		{"style", "# A\n\n<style>\n.a h1 { b: c; }\n\n.d { e: f }\n</style>\n\ntext", "# A text"},
		{"style on a line", "<STYLE media=\"a\">b { c: d }</Style > text", "text"},
		{"style in a paragraph", "a\n<style>\n\nb\n</style>\nc <style>d</style> e <style>f\n\ng</style>", "a c e f g"},
		{"scripts", "<script type=\"application/ld+json\">\n{\"a\": \"</p>\"}\n</script>\n<script setup>\nimport a from 'b'\n</script>\na", "a"},
		{"script without content", "<script src=\"a\" /> b <script src=\"c\"></script> d", "b d"},
		{"open style", "<style>\na\n\n<style> b </styles> </style c>", "a b"},
		{"other elements", "<styled>a</styled> <scripts>b</scripts> <pre>c</pre> </style> d", "a b c d"},
		{"style in code", "```html\n<style>a</style>\n```\n`<style>` b `</style>`", "```html <style>a</style> ``` `<style>` b `</style>`"},
		{"pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", ""},
		{"no pointer", "version https://git-lfs.github.com/spec/v1\nis a line of it\n", "version https://git-lfs.github.com/spec/v1 is a line of it"},
		{"indented code", "a\n\n    <b>\n\nc", "a <b> c"},
	} {
		page := Parse([]byte(tc.content))
		got, _, _ := page.Plain()
		if got := strings.Join(strings.Fields(string(got[page.Blocks[0].Start:])), " "); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

// Only spaces take the place of markup, and line feeds stay.
func TestTextHasTheOffsetsOfThePage(t *testing.T) {
	marks := []string{"[", "]", "(", ")", "<", ">", "!", "`", "~~~", "a", "b ", "\n", "\r\n", "\\", "{", "}", "\"", "<!--", "-->", "]: ", "import ", "export const ", "- ", "    ", "é"}
	rapid.Check(t, func(t *rapid.T) {
		content := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(marks), 0, 60).Draw(t, "marks"), ""))
		before := bytes.Clone(content)
		text, _, _ := Parse(content).Plain()
		for i, b := range text {
			if was := content[i]; b != was && (b != ' ' || was == '\n' || was == '\r') {
				t.Fatalf("%q became %q", content, text)
			}
		}
		if !bytes.Equal(content, before) {
			t.Fatal("the page has changed")
		}
	})
}
