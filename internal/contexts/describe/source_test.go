package describe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// listOf returns a line about each file.
func listOf(files []DescribedFile) (lines []string) {
	for _, f := range files {
		line := f.Name + ": " + f.Purpose
		if f.TestFile != "" {
			line += " [" + f.TestFile + "]"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestFilesSayWhatTheyAreFor(t *testing.T) {
	for _, test := range []struct {
		name    string
		files   []string
		lines   []string
		exports string
	}{
		{
			"Go",
			[]string{
				"client.go", "package a\n\nimport \"fmt\"\n\n// A Client talks to a server. It is safe.\ntype Client[T any] struct{}\n\n// Dial dials.\nfunc Dial() {}\n\nfunc (c *Client[T]) Close() {}\n",
				"client_test.go", "package a\n\nfunc TestClient() {}\n",
				"doc.go", "// Package a mends things.\npackage a\n",
				"extra.go", "package a\n\nfunc (c *Client[T]) Mend() {}\nfunc (c *Client[T]) unmend() {}\n",
				"ignored.go", "//go:build ignore\n\npackage main\n\nfunc Ignored() {}\n",
				"kinds.go", "// Copyright\n\n// This file has the kinds of things.\n\npackage a\n\nconst (\n\tOne, two = 1, 2\n)\n\nvar Three = 3\n",
				"notlinux.go", "//go:build !linux && !ignored\n\npackage a\n\n// Elsewhere mends things elsewhere.\nfunc Elsewhere() {}\n",
				"one.go", "package a\n\n// NewOne returns one.\nfunc NewOne() {}\nfunc helper() {}\n",
				"private.go", "package a\n\nfunc b() {}\nfunc c() {}\nfunc init() {}\nvar _ = 1\n",
			},
			[]string{
				"client.go: A Client talks to a server. [client_test.go]", "doc.go: Package a mends things.", "extra.go: Declares Client.Mend.",
				"kinds.go: This file has the kinds of things.", "notlinux.go: Elsewhere mends things elsewhere.", "one.go: NewOne returns one.", "private.go: Declares b and c.",
			},
			"Client Dial Elsewhere NewOne One Three",
		},
		{"Go command", []string{"main.go", "// Mend mends things.\npackage main\n\nfunc Mend() {}\nfunc main() {}\n"}, []string{"main.go: Mend mends things."}, ""},
		{"Go, broken", []string{"a.go", "package a\n\nfunc B() {}\n\nfunc C( {\n"}, []string{"a.go: Declares B and C."}, "B C"},
		{
			"Python",
			[]string{
				"_private.py", "'''Keeps its own counsel.'''\ndef shown(): pass\n",
				"mend.py", "import a\n\nCODE = '''\ndef not_code(): pass\n'''\n\nclass Mend(\n    Base,\n):\n    \"\"\"Mends things.\n\n    More.\"\"\"\n    def method(self): pass\n\ndef _hidden(): pass\n\nasync def run(a: int) -> str:\n    pass\n",
				"named.py", "\"\"\"Names of things.\"\"\"\n__all__ = (\n    'one', \"TWO\",\n)\n\ndef one(): pass\ndef three(): pass\nTWO = 2\n",
				"setup.py", "\"\"\"Sets the things up.\"\"\"\ndef tool(): pass\n",
				"test_mend.py", "def test_mend(): pass\n",
			},
			[]string{"_private.py: Keeps its own counsel.", "mend.py: Mends things. [test_mend.py]", "named.py: Names of things.", "setup.py: Sets the things up."},
			"Mend TWO one run",
		},
		{
			"Rust",
			[]string{
				"lib.rs", "//! Mends [`things`].\n\npub mod a;\nmod b;\npub use a::{Thing, other as Another, nested::{Deep}};\npub use b::*;\n#[macro_export]\nmacro_rules! mend { () => { \"pub fn text() {}\" } }\n",
				"own.rs", "/// Identity. The same as itself. No more.\npub(super) struct Own;\nfn other() {}\n",
				"thing.rs", "/* pub fn comment() { /* nested */ } */\nconst TEXT: &str = r#\"\npub fn raw() \"{}\n\"#;\n/// A thing that can be mended.\n#[derive(Debug)]\npub struct Thing<'a> { c: &'a char }\nimpl Thing {\n    pub fn method() {}\n}\nconst QUOTE: char = '\"';\npub(crate) fn bounded() {}\npub(in crate::a) struct Inner;\npub async fn mend() {}\n#[cfg(test)]\nmod tests {}\n",
			},
			[]string{"lib.rs: Mends things.", "own.rs: Own: Identity. The same as itself.", "thing.rs: A thing that can be mended."},
			"Another Deep Thing a mend",
		},
		{
			"TypeScript",
			[]string{
				"_.config.ts", "export default {}\nexport const tool = 1\n",
				"index.ts", "export * from './mend'\nexport * as all from './all'\nexport { one, two as Two, type Three, default } from './one'\nexport {\n/** It is at the margin. */\nfour as Five,\n}\n",
				"mend.spec.ts", "export const tested = 1\n",
				"mend.ts", "/**\n * Mends things of every kind.\n * It is fast.\n */\nexport function mend(a: string): void\nexport function mend(a: any) {}\nexport const re = /[`/]/, x = `\nexport const text = 1\n`\nexport default class Mender {}\n// export const comment = 1\nexport abstract class Base {}\nexport type T = 'a'\nlet local = 1\n",
				"only.ts", "import a from 'a'\n\n/** Says {@link what} it says. */\nexport interface Said {}\n",
			},
			[]string{
				"index.ts: Declares all, one, Two, Three and Five.", "mend.ts: Mends things of every kind. [mend.spec.ts]", "only.ts: Said: Says what it says.",
			},
			"Base Five Mender Said T Three Two all mend one re",
		},
		{
			"JavaScript",
			[]string{
				"a.js", "'use strict'\nfunction b() {}\nexports.c = b\nmodule.exports.d = 1\n",
				"e.cjs", "module.exports = {\n  f,\n  g: 1,\n  h: call(i, j),\n}\n",
				"k.js", "class K {}\nmodule.exports = K\n",
			},
			[]string{"a.js: Declares c and d.", "e.cjs: Declares f, g and h.", "k.js: Declares K."},
			"K c d f g h",
		},
		{
			"pages",
			[]string{"CHANGES.md", "# 1.2 (June)\n\nMends more things.\n", "README.md", "# Tool\n\nTool mends things. Fast.\n", "guide.md", "# The Guide\n\nTool mends things.\n", "one.md", "# One\n\nTool is the one. Yes.\n", "zero.md", ""},
			[]string{"README.md: Tool mends things.", "guide.md: The Guide"},
			"",
		},
		{"names that say it all", []string{"a.go", "package a\n\n//nolint\nfunc A() {}\n", "b.json", "{}", ".hidden.js", "/** Hidden from view. */\n"}, []string{"a.go: Declares A."}, "A"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys, names := tree(test.files...)
			got := described(t, fsys, "a", names)
			if lines := listOf(got.Files); !slices.Equal(lines, test.lines) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(test.lines, "\n"))
			}
			if exports := strings.Join(got.Exports, " "); exports != test.exports {
				t.Errorf("got %s, want %s", exports, test.exports)
			}
			if got := described(t, fsys, "a/tests", names); got.Exports != nil {
				t.Errorf("got exports of tests: %q", got.Exports)
			}
		})
	}
}

// A comment at the top of a file says what the file is for, unless it is about the code
// that follows, about rights, or for tools.
func TestCommentsAtTheTopSayWhatFilesAreFor(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a.js", "// Pools connections to the database.\n// It is fast.\nimport x from 'x'\n\nexport function b() {}\nexport function c() {}\n", "Pools connections to the database."},
		{"a.ts", "// Pools connections.\n\nexport function b() {}\nexport function c() {}\n", "Pools connections."},
		{"a.cjs", "'use strict'\n// Pools connections.\nconst x = require('x')\nexports.b = 1\n", "Pools connections."},
		{"a.mjs", "#!/usr/bin/env node\n// @ts-check\n// Pools connections.\n// eslint-disable no-console\n\nrun()\n", "Pools connections."},
		{"a.tsx", "/* Copyright Nobody */\n\n// SPDX-License-Identifier: MIT\n\n// eslint-disable-next-line\n/// <reference types=\"x\" />\n\n//-----------------\n// Pools connections.\n//-----------------\nexport * from './x'\n", "Pools connections."},
		{"a.js", "// Pools connections.\n/** Not this. */\nexport function b() {}\nexport function c() {}\n", "Pools connections."},
		{"a.js", "/** Pools connections. */\n\n// Not this one.\n\nexport function b() {}\n", "Pools connections."},
		{"pool.js", "import x from 'x'\n\n// Pools connections.\nexport function pool() {}\nexport function c() {}\n", "Pools connections."},
		{"a.js", "// Returns the first.\nexport function b() {}\nexport function c() {}\n", "Declares b and c."},
		{"a.js", "// It is said too late.\nrun()\n// Pools connections.\n\nexport const b = 1, c = 2\n", "Declares b."},
		{"a.js", "// Copyright 2020 Some people\n//\n// Use of this code is restricted.\n\nexport const b = 1\n", "Declares b."},
		{"a.js", "// const old = require('old')\n// old.run(it);\n\nexport const b = 1\n", "Declares b."},
		{"a.js", "// TODO pool the connections\n// https://example.com/a\n\nexport const b = 1\n", "Declares b."},
		{"a.js", "export const b = 1\n// eslint-disable-next-line no-console\nexport function c() {}\n", "Declares b and c."},
		{"a.py", "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n# Author: Nobody at all\n# Pools connections. #\nimport os\ndef b(): pass\n", "Pools connections."},
		{"a.py", "# Not this one.\n\n\"\"\"Pools connections.\"\"\"\n", "Pools connections."},
		{"a.py", "# Permission is hereby granted to all.\n\ndef b(): pass\n", "Declares b."},
		{"a.py", "# Returns the first.\ndef b(): pass\ndef c(): pass\n", "Declares b and c."},
		{"a.py", "# The most that are pooled.\nMOST = 1\ndef b(): pass\n", "Declares b."},
		{"a.rs", "// Pools connections.\n\nuse x::y;\npub fn b() {}\npub fn c() {}\n", "Pools connections."},
		{"a.rs", "// run-pass\n// Not this one.\npub fn b() {}\npub fn c() {}\n", "Declares b and c."},
	} {
		fsys, names := tree(test.name, test.text)
		if got, want := listOf(described(t, fsys, "x", names).Files), []string{test.name + ": " + test.want}; !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", test.text, got, want)
		}
	}
}

func TestDescriptionsKeepTheirBounds(t *testing.T) {
	fsys := fstest.MapFS{}
	var names []string
	for i := range maxFiles + 1 {
		name := fmt.Sprintf("f%03d.go", i)
		text := fmt.Sprintf("package a\n\nconst A%03d = 1\n\nfunc F%03d() {}\n\nfunc G%03d() {}\n\nfunc %s() {}\n", i, i, i, strings.Repeat("H", maxName+1))
		fsys[name], names = &fstest.MapFile{Data: []byte(text)}, append(names, name)
	}
	got := described(t, fsys, "a", names)
	if len(got.Files) != maxFiles || len(got.Exports) != maxExports {
		t.Errorf("got %d files and %d exports", len(got.Files), len(got.Exports))
	}
	if !strings.HasSuffix(got.Summary, "; declares A000, A001, A002, A003, A004, A005, A006, A007, A008, A009, A010, A011, A012, A013, A014, A015, A016, A017, A018, A019, A020, A021, A022, A023 and 576 more.") {
		t.Errorf("got %q", got.Summary)
	}
	if slices.Contains(got.Exports, "A000") {
		t.Error("a constant takes the place of a function")
	}
}

func TestALargeSourceIsReadAtItsBeginning(t *testing.T) {
	fsys, names := tree("a.ts", "export const a = 1\n"+strings.Repeat("// x\n", maxSource/5)+"export const b = 1\n")
	if got := described(t, fsys, "a", names); len(got.Exports) != 1 || got.Exports[0] != "a" {
		t.Errorf("got %q", got.Exports)
	}
}

// A reader may be given anything.
func FuzzSources(f *testing.F) {
	for _, prefix := range []string{
		"package a\n\n// A is.\nfunc (a *A[T]) B() {}\n", "//! Docs.\npub use a::{b};\n/// A\npub struct A<'a>(r#\"\"#);\n",
		"'''Docs.'''\n__all__ = ['a']\ndef a():\n    'A.'\n", "// Docs of it.\n// @ts-check\n\nimport 'a'\n", "# Docs of it.\n# noqa\nimport a\n", "/** Docs. */\n\nexport { a as b }\nexport class A { x = /[`]/ }\n", "# Title\n\nText of it.\n", "",
	} {
		f.Add(prefix, "")
		f.Add("", prefix+"\x00\xff`\"'/*")
	}
	f.Fuzz(func(t *testing.T, text, more string) {
		fsys := fstest.MapFS{}
		var names []string
		for _, l := range languages {
			l.read("a", text) // panics if there is anything to panic for
			for _, extension := range l.extensions[:1] {
				fsys["a"+extension], fsys["b"+extension] = &fstest.MapFile{Data: []byte(text)}, &fstest.MapFile{Data: []byte(more)}
				names = append(names, "a"+extension, "b"+extension)
			}
		}
		fsys["c.md"], names = &fstest.MapFile{Data: []byte(text)}, append(names, "c.md")
		slices.Sort(names)
		described(t, fsys, "a", names)
	})
}

// The words of a text that stand in neither a comment nor a string.
func TestCodeLeavesOutCommentsAndStrings(t *testing.T) {
	for _, test := range []struct {
		syntax     syntax
		text, want string
	}{
		{python, "a # b\n'''c\n\\''' d''' e 'f' \"g\nh\" i", "a e h"},
		{rust, "a /* b c */ e 'f' 'g \"h\ni\" j r##\"k\"# l\"## m '\\'' n '\\\\' o br\"p\" q // r", "a e 'g j m n o b q"},
		{script, "a /* /* b */ c `d\n${e} \\` f` g = /h[/`]\\/i/ j / k / l 'm\nn' o // p", "a c g = j / k / l n"},
		{script, "a = /b\nc", "a = c"},
		{rust, "r#a r", "r#a r"},
		{python, "'''a", ""},
	} {
		blank := test.syntax.code(test.text)
		if got := strings.Join(strings.Fields(blank), " "); got != test.want || len(blank) != len(test.text) {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}
