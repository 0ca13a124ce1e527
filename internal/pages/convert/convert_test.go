package convert_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/pages/convert"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

func TestConvertersAreFoundByExtension(t *testing.T) {
	for name, version := range map[string]string{
		"a/b.html": "html/1", "B.HTM": "html/1", "c.xhtml": "xhtml/1", "d.ipynb": "notebook/1",
		"e.yaml": "openapi/1", "f.yml": "openapi/1", "g.json": "openapi/1", "h.go": "go/1", "i/METADATA": "python/1",
	} {
		if c, ok := convert.ByName(name); !ok || c.Version() != version || !convert.IsCurrent(version) {
			t.Errorf("%s: got %s and %t, want %s", name, c.Version(), ok, version)
		}
	}
	for _, name := range []string{"a.md", "html", "a.html/b", ""} {
		if c, ok := convert.ByName(name); ok {
			t.Errorf("%q: got %s, want none", name, c.Version())
		}
	}
}

func TestDocsListEachConverter(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range convert.Converters {
		name, _, _ := strings.Cut(c.Version(), "/")
		if !bytes.Contains(docs, []byte("`"+name+"`")) {
			t.Errorf("docs/format.md doesn't name the converter %s", name)
		}
	}
}

func TestSkippedPagesSayWhy(t *testing.T) {
	for _, test := range []struct{ name, content, why string }{
		{"a.html", `<meta http-equiv="Refresh" content="0; URL='new.html'"><p>moved`, `the page redirects to "new.html"`},
		{"a.html", `<frameset><frame src="a.html"></frameset>`, "the page consists of frames"},
		{"a.html", `<title>x</title><nav>y</nav>`, "the page contains no text"},
		{"a.html", ``, "the page contains no text"},
		{"a.html", strings.Repeat(`<li><a href=x>y</a>`, 3000), "the page is an index of links"},
		{"a.json", `{"name": "x"}`, "not an OpenAPI description"},
		{"a.yaml", "x: openapi", "not an OpenAPI description"},
		{"a.json", `{"x": {"openapi": "3.0.0"}}`, "not an OpenAPI description"},
		{"a.ipynb", `{"nbformat": 4, "cells": []}`, "the notebook contains no text"},
	} {
		_, err := pageOf(test.name, test.content)
		if want := test.name + ": no page: " + test.why; !errors.Is(err, convert.ErrSkipped) || err.Error() != want {
			t.Errorf("%.50q: got %v, want %s", test.content, err, want)
		}
	}
}

// A page of up to 2,000 links is a page, and so is a longer one with enough other text.
func TestOnlyLongListsOfLinksAreIndexes(t *testing.T) {
	link := "<li><a href=x>1234567890</a>"
	for page, isIndex := range map[string]bool{
		strings.Repeat(link, 2000): false,
		strings.Repeat(link, 2001): true,
		strings.Repeat(link, 2001) + "<p>" + strings.Repeat("tea ", 2001*10/20/3): true,  // 95.2% are links
		strings.Repeat(link, 2001) + "<p>" + strings.Repeat("tea ", 2001*10/18/3): false, // 94.7% are links
	} {
		if _, err := pageOf("a.html", page); errors.Is(err, convert.ErrSkipped) != isIndex {
			t.Errorf("%d links, %d bytes: got %v, want an index: %t", strings.Count(page, "href"), len(page), err, isIndex)
		}
	}
}

// An article in the main part of a page is the page if it holds more than half of the text.
func TestAnArticleIsThePageIfItHoldsMostOfIt(t *testing.T) {
	for _, around := range []int{90, 99, 100, 101, 120, 190} {
		page := "<title>T</title><main><p>" + strings.Repeat("a", around) + "</p><article><p>" + strings.Repeat("b", 100) + "</p></article></main>"
		converted, err := pageOf("a.html", page)
		if isArticle := !strings.Contains(string(converted.Markdown), "aaa"); err != nil || isArticle != (around < 100) {
			t.Errorf("%d bytes around 100: got %q, %v", around, converted.Markdown, err)
		}
	}
}

func TestErrorsNameWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"a.html", "<p>\xff", "the page is not valid UTF-8, and it declares no other character encoding"},
		{"a.html", "\xff\xfe<\x00", "character encoding UTF-16 is not supported; convert the page to UTF-8"},
		{"a.html", `<meta charset="Shift_JIS">` + "\x83", "character encoding shift_jis is not supported; convert the page to UTF-8"},
		{"a.html", strings.Repeat("<p>", 1<<21+1), "more than 2097152 elements and texts"},
		{"a.html", strings.Repeat("*a", 6<<20), "the Markdown is larger than 16 MiB"},
		{"a.html", "<table>" + strings.Repeat("<tr><td colspan=128><td>b", 50_000), "the Markdown is larger than 16 MiB"},
		{"a.html", strings.Repeat(" ", convert.MaxSize+1), "larger than 16 MiB"},
		{"a.ipynb", "{\n\"cells\": [}", "notebook: line 2: invalid character '}' looking for beginning of value"},
		{"a.ipynb", "\xff", "notebook: not valid UTF-8"},
		{"a.ipynb", `{"cells": []}`, "notebook: the key nbformat is missing"},
		{"a.ipynb", `{"nbformat": 2}`, "notebook: nbformat 2 is not supported; expected 3 or 4"},
		{"a.ipynb", `{"nbformat": 4}`, "notebook: the key cells is missing"},
		{"a.ipynb", `{"nbformat": 4, "cells": [{"cell_type": 1}]}`, "notebook: cell 1: cell_type: unexpected number"},
		{"a.ipynb", `{"cells": 1}`, "notebook: cells: unexpected number"},
		{"a.ipynb", `{"cells": [], "metadata": {"kernelspec": 1}}`, "notebook: metadata.kernelspec: unexpected number"},
		{"a.json", `{"openapi": "3.0.0", }`, "OpenAPI: line 1: invalid character '}'"},
		{"a.json", `{"openapi": "3.0.0", "a": 1, "a": 2}`, `OpenAPI: line 1: duplicate key "a"`},
		{"a.json", `{"openapi": "3.0.0", "a": ` + strings.Repeat("[", 300), "OpenAPI: line 1: nested deeper than 200 levels"},
		{"a.yaml", "openapi: 3.0.0\na: *b\n", "OpenAPI: yaml: unknown anchor 'b' referenced"},
		{"a.yaml", "openapi: 3.0.0\na: 1\na: 2\n", `OpenAPI: line 3: duplicate key "a"`},
		{"a.yaml", "openapi: 4.0.0\n", `OpenAPI: version "4.0.0" is not supported; expected 3.0, 3.1 or Swagger 2.0`},
		{"a.yaml", "openapi: 3.0.0\nx: &x [*x]\n", "OpenAPI: line 2: nested deeper than 200 levels"},
		{"a.yaml", "openapi: 3.0.0\na: &a [1, 2]\n" + laughs(), "more than 1048576 values"},
	} {
		_, err := pageOf(test.name, test.content)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.50q: got %v, want %s", test.content, err, test.want)
		}
	}
}

// laughs returns a document whose aliases stand for millions of values.
func laughs() string {
	text := "a0: &a0 [1, 2]\n"
	for i := range 30 {
		text += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return text
}

func pageOf(name, content string) (convert.Converted, error) {
	c, _ := convert.ByName(name)
	return c.Convert(context.Background(), name, []byte(content))
}

func TestAConversionEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, content := range map[string]string{
		"a.html":  "<p>x",
		"a.ipynb": `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x"}]}`,
		"a.yaml":  "openapi: 3.0.0\npaths: {/a: {get: {}}}",
	} {
		c, _ := convert.ByName(name)
		if _, err := c.Convert(ctx, name, []byte(content)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
		}
	}
}

func TestNestingWithoutEndNeedsLittleMemoryAndKeepsItsText(t *testing.T) {
	for _, tag := range []string{"<div>", "<b>", "<ul><li>", "<blockquote>", "<table><tr><td>", "<dl><dd>", "<a>", "<font size=1>", "<section>"} {
		page, err := pageOf("a.html", strings.Repeat(tag, 100_000)+"the text")
		if err != nil || !bytes.Contains(page.Markdown, []byte("the text")) || len(page.Markdown) > 1000 {
			t.Errorf("%s: got %d bytes and %v", tag, len(page.Markdown), err)
		}
	}
}

// A browser repeats all open formats in each paragraph, and a table fills its short rows.
func TestNoPageMakesItselfLarger(t *testing.T) {
	fonts := ""
	for i := range 200 {
		fonts += fmt.Sprintf("<font size=%d>", i)
	}
	for _, content := range []string{
		"<p>" + fonts + strings.Repeat("</p><p>x", 10_000),
		"<table><tr>" + strings.Repeat("<td>x", 10_000) + strings.Repeat("<tr><td>y", 10_000),
		"<table><tr><td>" + strings.Repeat("x", 100_000) + strings.Repeat("<tr><td>y", 10_000),
		"<table><tr><td colspan=1000000000 rowspan=1000000000>x<tr><td>y</table>",
		strings.Repeat("<blockquote>", 200) + strings.Repeat("x<br>", 1000),
	} {
		page, err := pageOf("a.html", content)
		if most := 4096 + 9*len(content); err != nil || len(page.Markdown) > most {
			t.Errorf("%.30q: got %d bytes and %v, want at most %d", content, len(page.Markdown), err, most)
		}
	}
}

// element draws HTML with words, and adds the words to all.
func element(t *rapid.T, depth int, all *[]string) string {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
		word := fmt.Sprintf("word%d", len(*all))
		*all = append(*all, word)
		return word + " "
	}
	tag := rapid.SampledFrom([]string{
		"p", "div", "span", "b", "em", "code", "pre", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tr", "td", "th",
		"caption", "h1", "h2", "h5", "blockquote", "a href=x", "section id=s", "details", "summary", "sup", "q", "figure",
	}).Draw(t, "tag")
	text := "<" + tag + ">"
	for range rapid.IntRange(1, 4).Draw(t, "children") {
		text += element(t, depth-1, all)
	}
	if rapid.IntRange(0, 5).Draw(t, "closed") > 0 {
		name, _, _ := strings.Cut(tag, " ")
		text += "</" + name + ">"
	}
	return text
}

func TestNoTextOfAPageIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []string
		content := element(t, 6, &all)
		page, err := pageOf("a.html", "<title>x</title>"+content)
		if err != nil && errors.Is(err, convert.ErrSkipped) && strings.Contains(content, "<h") {
			return // headings alone
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range all {
			if !slices.Contains(wordsIn(page.Markdown), word) {
				t.Fatalf("%s: %s is lost in:\n%s", content, word, page.Markdown)
			}
		}
	})
}

func wordsIn(text []byte) []string {
	return strings.FieldsFunc(string(text), func(r rune) bool { return !strings.ContainsRune("word0123456789", r) })
}

// render returns Markdown as HTML.
func render(t *rapid.T, text []byte) string {
	var html bytes.Buffer
	if err := goldmark.Convert(text, &html); err != nil {
		t.Fatal(err)
	}
	return html.String()
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;")

// In XHTML, an empty element has no content.
func TestRawTextEndsWhereItDoesInABrowser(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"a.html", "<p>a<script/>b<b></script>c", "ac\n"},
		{"a.xhtml", "<p>a<script/>b <b>c</b></p>", "ab **c**\n"},
		{"a.html", "<p>a<noscript>b<!--</noscript>c", "ac\n"},
		{"a.html", "<p>a<textarea>b<p></textarea><plaintext><b>c", "a\\<b>c\n"},
	} {
		page, err := pageOf(test.name, test.content)
		if got := string(page.Markdown); err != nil || got != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.content, got, err, test.want)
		}
	}
}

func TestTextIsNeverMarkup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"a", "b ", "1", ". ", ") ", "*", "_", "`", "#", "- ", "+ ", "=", ">", "<", "&", "amp;", "[", "](", "]", ":", "!", "|", "\\", "~", "x>", "/b", "\n", "\u00a0", "é", "---", "***", "    ",
		})
		text := "x" + strings.Join(rapid.SliceOfN(piece, 1, 12).Draw(t, "text"), "")
		if rapid.Bool().Draw(t, "first") {
			text = text[1:]
		}
		page, err := pageOf("a.html", "<p>"+escape.Replace(text)+"</p>")
		if errors.Is(err, convert.ErrSkipped) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		html := render(t, page.Markdown)
		plain := strings.TrimSuffix(strings.TrimPrefix(html, "<p>"), "</p>\n")
		plain = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace(plain)
		if want := strings.Join(strings.Fields(text), " "); plain != want {
			t.Fatalf("%q becomes %q, which reads %q, want %q", text, page.Markdown, plain, want)
		}
	})
}

func TestCodeIsNeverChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "`", "```", "~~~", "\n", "\n\n", "    ", "<b>", "&amp;", "*", "_", "#", "- ", "\\", "|", "é"})
		code := "x" + strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "code"), "") + "y"
		around := rapid.SampledFrom([]string{"%s", "<ul><li>%s</ul>", "<blockquote>%s</blockquote>", "<dl><dt>t<dd>%s</dl>"}).Draw(t, "around")
		content := fmt.Sprintf(around, `<div class="highlight-go"><pre><code>`+escape.Replace(code)+"</code></pre></div>")
		page, err := pageOf("a.html", content)
		if err != nil {
			t.Fatal(err)
		}
		html := render(t, page.Markdown)
		_, found, _ := strings.Cut(html, `<pre><code class="language-go">`)
		found, _, ok := strings.Cut(found, "\n</code></pre>")
		found = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace(found)
		if want := trimLines(code); !ok || found != want {
			t.Fatalf("%q becomes\n%s\nwhich reads %q", want, page.Markdown, found)
		}
	})
}

// trimLines returns code without the spaces at the ends of lines.
func trimLines(code string) string {
	lines := strings.Split(code, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

func TestAnchorsAreThoseOfThePage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-zA-Z_][a-zA-Z0-9_.:()\[\],%*+/=$&;@!-]{0,20}[a-zA-Z0-9)]`).Filter(func(id string) bool { return !strings.Contains(id, "--") })
		ids := rapid.SliceOfNDistinct(id, 1, 8, rapid.ID[string]).Draw(t, "ids")
		content := ""
		for i, id := range ids {
			id = strings.ReplaceAll(id, "&", "&amp;")
			form := rapid.SampledFrom([]string{
				`<h2 id="%s">Heading</h2>`, `<section id="%s"><h2>Heading</h2></section>`, `<h2><a name="%s"></a>Heading</h2>`,
				`<dl><dt id="%s">Heading</dt><dd>text</dd></dl>`, `<h2 id="%s">A <code>__init__</code> *</h2>`,
			}).Draw(t, "form")
			content += fmt.Sprintf(form+"<p>text %d</p>", id, i)
		}
		page, err := pageOf("a.html", "<h1>Title</h1>"+content)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, b := range markdown.Parse(page.Markdown).Blocks[1:] {
			if b.Level > 0 {
				found = append(found, b.Anchor)
			}
			if strings.Contains(b.Title, "<!--") {
				t.Fatalf("the title %q contains its anchor", b.Title)
			}
		}
		if !slices.Equal(found, ids) {
			t.Fatalf("got anchors %q, want %q:\n%s", found, ids, page.Markdown)
		}
	})
}

func FuzzHTML(f *testing.F) {
	for _, content := range []string{"<p>a<b>c</p>d", "<table><tr><td>x<td rowspan=3>", "<dl><dt id=a>b<dd>c", "<!--", "<![CDATA[", "<pre>`\n", "<a href='", "&#x110000;", "<h1>x<h2 id=y>z"} {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content string) { checkPage(t, "a.html", content); checkPage(t, "a.xhtml", content) })
}

func FuzzNotebook(f *testing.F) {
	f.Add(`{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["a"]}, {"cell_type": "code", "source": "b", "outputs": [{"text": "c"}]}]}`)
	f.Fuzz(func(t *testing.T, content string) { checkPage(t, "a.ipynb", content) })
}

func FuzzOpenAPI(f *testing.F) {
	f.Add("openapi: 3.0.0\npaths: {/a: {get: {parameters: [{name: x, in: query}], responses: {200: {$ref: '#/x'}}}}}\n")
	f.Add(`{"swagger": "2.0", "definitions": {"A": {"properties": {"a": {"$ref": "#/definitions/A"}}}}}`)
	f.Fuzz(func(t *testing.T, content string) { checkPage(t, "a.yaml", content) })
}

// checkPage converts a page twice and checks what holds for every result.
func checkPage(t *testing.T, name, content string) {
	page, err := pageOf(name, content)
	again, errAgain := pageOf(name, content)
	if fmt.Sprint(err) != fmt.Sprint(errAgain) || !bytes.Equal(page.Markdown, again.Markdown) || page.Title != again.Title {
		t.Fatalf("%q converts in two ways", content)
	}
	if err == nil && (!utf8.Valid(page.Markdown) || !bytes.HasSuffix(page.Markdown, []byte("\n")) || !utf8.ValidString(page.Title)) {
		t.Fatalf("%q becomes %q", content, page.Markdown)
	}
}
