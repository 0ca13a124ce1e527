package describe

import (
	"strings"
	"testing"
	"testing/fstest"
)

// summaryOf is the summary of a directory with one file.
func summaryOf(t *testing.T, name, text string) string {
	t.Helper()
	return described(t, fstest.MapFS{name: {Data: []byte(text)}}, ".", []string{name}).Summary
}

func TestReadmeSaysWhatItsFirstParagraphSays(t *testing.T) {
	for _, test := range []struct{ name, file, text, want string }{
		{"one paragraph", "README.md", "# Tool\n\nTool mends\nthings.\n\nMore.\n", "Tool mends things."},
		{"badges first", "README.md", "# Tool\n\n[![Build](b.svg)](ci) ![Go](g.svg)\n[![Doc](d.svg)](doc)\n\nTool mends things.\n", "Tool mends things."},
		{"badges by reference", "README.md", "# Tool\n\n[![Build][b]][ci] [![Doc][d]][ci]\n\nTool mends things.\n\n[b]: b.svg\n[d]: d.svg\n[ci]: /ci\n", "Tool mends things."},
		{"a badge in the title", "README.md", "# Mending Tool [![Build](b.svg)](ci)\n", "Mending Tool"},
		{"centered header", "README.md", "<p align=\"center\">\n  <a href=\"/\"><img src=\"logo.png\" alt=\"The logo\"></a>\n</p>\n<h1 align=\"center\">Tool</h1>\n\n<div align=\"center\">\n\n**Tool** mends &amp; binds\n\n</div>\n", "Tool mends & binds"},
		{"tagline in HTML", "README.md", "<h1>Tool</h1>\n<p align=\"center\">\n  <b>Mends things</b> of <i>any</i> kind.<br>\n  Fast.\n</p>\n\nElse.\n", "Mends things of any kind. Fast."},
		{"comments", "README.md", "<!-- the words of\n\na comment -->\n# Tool\n\nTool <!-- never --> mends things.\n", "Tool mends things."},
		{"navigation", "README.md", "# Tool\n\n[Docs](d) | [Chat](c) | English\n\n[Site](s) • [News](n)\n\nTool mends things.\n", "Tool mends things."},
		{"links only", "README.md", "# Tool\n\n[A long text of a link](a), <https://example.com>\n\nhttps://example.com/a www.example.com\n\nTool mends things.\n", "Tool mends things."},
		{"links in a sentence", "README.md", "A [tool](t) that mends [*things*](x), see [here][h].\n\n[h]: /h\n", "A tool that mends things, see here."},
		{"table of contents", "README.md", "# Tool\n\n## Table of Contents\n\nHere is all there is.\n\n- [Use](#use)\n\n## About\n\nTool mends things.\n", "Tool mends things."},
		{"details", "README.md", "# Tool\n\n<details>\n<summary>What is in here</summary>\n\nNot this at all.\n\n</details>\n\nTool mends things.\n", "Tool mends things."},
		{"tables and lists", "README.md", "# Tool\n\n| a thing | b thing |\n|---|---|\n\n- one two three\n\n1. one two three\n\n<table><tr><td>cell of a table</td></tr></table>\n\n```\ncode of it\n```\n\nTool mends things.\n", "Tool mends things."},
		{"a note", "README.md", "# Tool\n\n> [!NOTE]\n> This has moved.\n\n**Warning:** this is old.\n\nTool mends things.\n", "Tool mends things."},
		{"a quoted tagline", "README.md", "# Tool\n\n> Mends things.\n\nIt was written long ago.\n", "Mends things."},
		{"an announcement", "README.md", "# Tool\n\nIt has these features:\n\n- a\n\nTool mends things.\n", "Tool mends things."},
		{"the end of an announcement", "README.md", "# Tool\n\nTool mends things. It has these features:\n\n- a\n", "Tool mends things."},
		{"escapes and entities", "README.md", "1 &lt; 2 \\* &copy; `a &amp; b` <b>c</b> &#x64;\n", "1 < 2 * © a &amp; b c d"},
		{"less-than in HTML", "README.md", "<p>one < two three</p>\n", "one < two three"},
		{"strikethrough", "README.md", "Tool ~~breaks~~ mends.\n", "Tool breaks mends."},
		{"setext headings", "README.md", "Tool\n====\n\nOverview\n---\n\nTool mends things.\n", "Tool mends things."},
		{"only a title", "README.md", "# The *Tool* {#tool}\n", "The Tool"},
		{"only badges and a title", "README.md", "Mending Tool\n====\n\n![a](b)\n", "Mending Tool"},
		{"front matter", "README.md", "---\ntitle: T\n---\n\n# Tool\n\nTool mends things.\n", "Tool mends things."},
		{"only front matter", "README.md", "---\ntitle: 'It''s a'\ndescription: \"Mends: things\"\n---\n", "Mends: things"},
		{"front matter's title", "README.md", "+++\ntitle = \"Mending Tool\"\n+++\n# A Section\n", "Mending Tool"},
		{"no front matter", "README.md", "---\n\nTool mends things.\n\n---\n\nElse it is.\n", "Tool mends things."},
		{"byte order mark", "README.md", "\ufeff# Tool\n\nTool mends things.\n", "Tool mends things."},
		{"CRLF", "README.md", "# Tool\r\n\r\nTool mends\r\nthings.\r\n", "Tool mends things."},
		{"CR", "README.md", "# Tool\r\rTool mends\rthings.\r", "Tool mends things."},
		{"invalid and control", "README.md", "Tool \xff\xfe mends\x07 \u202ethings\u200b.\n", "Tool \ufffd mends things."},
		{"CJK", "README.md", "# 工具\n\n这是一个修理工具。\n", "这是一个修理工具。"},
		{"other case", "ReadMe.MarkDown", "Tool mends things.\n", "Tool mends things."},
		{"no extension", "README", "Tool 1.0\n\nTool mends\nthings.\n", "Tool mends things."},
		{"plain text", "README.txt", "        THE TOOL\n\n* A list of it.\n\nTool mends things:\n - a\n", "text (1 file): README.txt."},
		{"plain text with a list", "README.txt", "Tool mends things.\n- a b c\n", "Tool mends things."},
		{"plain text, headings", "readme.txt", "Tool\n====\nTool mends things.\n", "Tool mends things."},
		{"index of a site", "_index.md", "---\ntitle: T\n---\nTool mends things.\n", "Tool mends things."},
		{
			"RST", "README.rst",
			"====\nTool\n====\n\n.. image:: b.svg\n   :target: x\n\n|build| |docs|\n\n.. note::\n\n   Not this one.\n\n:Author: A. Nobody of Nowhere\n\n" +
				"``Tool`` mends `things <http://x>`_ of **any** *kind*, see :class:`~tool.Tool`, Python_ and `docs`_\\ s. [1]_\n\n.. |build| image:: x\n",
			"Tool mends things of any kind, see tool.Tool, Python and docss.",
		},
		{"RST, only a title", "README.rst", "Mending Tool\n************\n\n.. contents::\n", "Mending Tool"},
		{"RST, announcing code", "README.rst", "Tool\n====\n\nThis is how::\n\n    code of it\n\nTool mends things.\n", "Tool mends things."},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := summaryOf(t, test.file, test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The first paragraph of each of these was once taken for a description of the project.
func TestReadmeSaysNothingThatIsNotAboutTheProject(t *testing.T) {
	for _, test := range []struct{ name, file, text, want string }{
		{
			"celery", "README.rst", ".. image:: https://docs.celeryq.dev/banner.png\n\n|build-status| |coverage|\n\n:Version: 5.4.0\n:Web: https://x\n\n" +
				"Donations\n=========\n\nOpen Collective\n---------------\n\nOpen Collective is our community-powered funding platform that fuels Celery's ongoing development.\n\n" +
				"For enterprise\n--------------\n\nAvailable as part of the Tidelift Subscription.\n", "",
		},
		{"conduct", "README.md", "# Microsoft Open Source Code of Conduct\n\nThis project has adopted the Microsoft Open Source Code of Conduct.\n", ""},
		{"setup", "README.md", "# Setup\n\nInstall the tools and their friends.\n\n# Usage\n\nCall the tool with words.\n", ""},
		{"setup, then about", "README.md", "# Setup\n\nThe tools need a shell.\n\n# About\n\nTool mends things.\n", "Tool mends things."},
		{"a question", "README.md", "# RxJS\n\nCurious what's next for RxJS? Follow along with Issue 6367.\n", ""},
		{"sponsors", "README.md", "# Tool\n\nTool is sponsored by the good people of Example.\n\nTool mends things.\n", "Tool mends things."},
		{"commands", "README.md", "# Tool\n\nRun it with all your might.\n\n## Install\n\nTool needs a compiler.\n", ""},
		{"contributing", "README.md", "# Tool\n\n## Contributing\n\nTool has rules for all.\n", ""},
		{"license", "README.md", "# Tool\n\nTool is licensed under the terms of MIT.\n", ""},
		{"moved", "README.md", "# Tool\n\nThis repository has moved to a new place.\n", ""},
		{"features", "README.md", "# Tool\n\n![badge](x)\n\n## Table of Contents\n\nAll of the parts.\n\n## Roadmap\n\nMore of the same things.\n", ""},
		{"what is", "README.md", "# Tool\n\n## What is Tool?\n\nTool mends things. It is fast.\n", "Tool mends things. It is fast."},
		{"one sentence", "README.md", "# Tool\n\nTool mends all the things that there are. It is fast.\n", "Tool mends all the things that there are."},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := summaryOf(t, test.file, test.text)
			if strings.HasSuffix(got, "(1 file): "+test.file+".") {
				got = ""
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestReadmeThatSaysNothingIsPassedOver(t *testing.T) {
	for _, text := range []string{"", "\n\n", "![a](b)\n", "Tool mends\x00 things.\n", "\xff\xfeT\x00h\x00e\x00 \x00T\x00o\x00", "<!-- a comment of words", "<div", "---\na: b\n---\n"} {
		if got, want := summaryOf(t, "README.md", text), "Markdown (1 file): README.md."; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestBestReadmeSpeaks(t *testing.T) {
	fsys := fstest.MapFS{
		"README":     {Data: []byte("Tool of the plain one.")},
		"README.rst": {Data: []byte("Tool of the second one.")},
		"readme.md":  {Data: []byte("Tool of the first one.")},
		"doc.go":     {Data: []byte("// Package a is its own best witness.\npackage a\n")},
	}
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{"README", "README.rst", "doc.go", "readme.md"}, "Package a is its own best witness."},
		{[]string{"README", "README.rst", "readme.md"}, "Tool of the first one."},
		{[]string{"README", "README.rst"}, "Tool of the second one."},
		{[]string{"README"}, "Tool of the plain one."},
	} {
		if got := described(t, fsys, ".", test.names).Summary; got != test.want {
			t.Errorf("%v: got %q, want %q", test.names, got, test.want)
		}
	}
}

func TestLongReadmeIsReadAtItsBeginning(t *testing.T) {
	comment := "<!--" + strings.Repeat(" word", 20<<10) + " -->\n\n"
	if got, want := summaryOf(t, "README.md", "# Mending Tool\n\n"+comment+"Tool mends things.\n"), "Mending Tool"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzReadme(f *testing.F) {
	f.Add("README.md", "# Tool\n\n<p align=center>[![a](b)](c) it is *so*.</p>\n")
	f.Add("README.rst", "Tool\n====\n\n.. a::\n\n`Tool <x>`_ is |b|.\n")
	f.Add("README", strings.Repeat("漢字 word. ", 50))
	f.Fuzz(func(t *testing.T, name, text string) {
		names := []string{"README.md", "README.rst", "README"}
		file := names[len(name)%len(names)]
		passagesOf(text) // panics if there is anything to panic for
		restructured(text)
		summaryOf(t, file, text)
	})
}
