package describe

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode"
	"unicode/utf8"
)

// hostile are texts of about a size that parsers take long for, or fail on.
func hostile(size int) map[string]string {
	texts := map[string]string{}
	for _, unit := range []string{
		">", "[", "![", "- ", "* a_ ", "`", "<", "<a ", "<!--", "<div ", "<div>", "<a href=\"", "&", "\\", "|", "_", "**a", "~~", "[a](", "[a]:",
		"> - ", "1. ", "#", "=", "\t", "{", "{#", "a\n=\n", "[a]\n", "[[", "{@a ", "a.", "a. ", "..", ":a:", "``", "`a", "\x00", "\xff", "\r", "```\n",
		"/*", "/**", "/** */", "//!\n", "\"\"\"", "'", "# \n", "| ", "<<", "\u0301", "\u200d", "漢", "漢。", "---\n", "title: [", "a::\n\n", "x\n\n", "- [a](b)\n", "[x][a\n",
		"<p>\n\n", "<table>\n", "]]>", "<![CDATA[", "<?", "[]()", "*_", "a*", "a**b", "a_", "[a](<b>", "![a](b)", "{", "{{<", "a\\\n",
		"export class A\n", "*/\nexport class A\n", "export {", "/** */\nexport const a,", "pub fn a\n", "///\n", "/// a\npub fn a\n", "r#", "r#\"", "'\\", "/* ",
		"def a(\n", "def a():\n", "class a:\n '''", "__all__ = [", "(/[", "/*/", "func A()\n", "type A struct {", "(", "\nfunc (", "@a\n-\n",
	} {
		texts[unit] = strings.Repeat(unit, size/len(unit))
		texts["line of "+unit] = "# x\n\n" + strings.Repeat(strings.Repeat(unit, size/16/len(unit)+1)[:size/16-3]+"\n\n", 16)
		texts["title, "+unit] = "---\ntitle: " + strings.Repeat(unit, size/len(unit)) + "\n---\n"
	}
	var nested, definitions strings.Builder
	for i := range 300 {
		nested.WriteString(strings.Repeat(" ", 2*i) + "- a\n")
		definitions.WriteString("[a" + strings.Repeat("b", i) + "]: /x\n")
	}
	texts["nested lists"] = nested.String()
	texts["definitions"] = definitions.String()
	return texts
}

// prefixes are how a file begins so that its reader reads on.
var prefixes = map[string][]string{
	"doc.go":         {"// Package a ", "/* Package a ", "package a\n"},
	"lib.rs":         {"//! ", "/*!"},
	"__init__.py":    {`"""`, `"`},
	"index.ts":       {"/** ", "/** @module "},
	"package.json":   {`{"name": "`, `{"a": `},
	"Cargo.toml":     {"a = ", "[a", `a = "`, "a = '''"},
	"pyproject.toml": {"a = "},
	"pom.xml":        {"<project><name>", "<project a="},
}

// Nothing takes more than linear time, whatever file it stands in.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	size := maxText
	if raceEnabled || testing.Short() {
		size = 1 << 10 // the detector is slow, and has nothing to detect here
	}
	files := []string{
		"README.md", "README.rst", "doc.go", "lib.rs", "__init__.py", "index.ts",
		"package.json", "Cargo.toml", "pyproject.toml", "pom.xml", "setup.py", "go.mod", "setup.cfg",
	}
	for name, text := range hostile(size) {
		for _, file := range files {
			if strings.Contains(name, ", ") && file != "README.md" || strings.HasPrefix(name, "line of") && !strings.HasPrefix(file, "README") {
				continue // made for Markdown
			}
			for _, prefix := range append([]string{""}, prefixes[file]...) {
				if short, long, ok := isLinear(t, file, prefix+text); !ok {
					t.Errorf("%s with %q after %q: took %v, and an eighth of it %v", file, name, prefix, long, short)
				}
			}
		}
	}
}

// isLinear describes a file with a text. It reports false if an eighth of the text
// takes much less than an eighth of the time: linear time is 8 times as long, and
// quadratic time 64 times. How busy the machine is does not count, as it slows both.
func isLinear(t *testing.T, file, text string) (short, long time.Duration, ok bool) {
	t.Helper()
	const tooShortToTell, factor = 200 * time.Millisecond, 24
	if long = fastest(t, file, text, 1); long < tooShortToTell {
		return 0, long, true
	}
	short = fastest(t, file, text[:len(text)/8], 5)
	if long > factor*short {
		long = fastest(t, file, text, 3)
	}
	return short, long, long <= factor*short
}

// fastest is the least time that some attempts take to describe a file: the machine
// may have other things to do.
func fastest(t *testing.T, file, text string, attempts int) (least time.Duration) {
	t.Helper()
	fsys := fstest.MapFS{file: {Data: []byte(text)}}
	for attempt := range attempts {
		start := time.Now()
		described(t, fsys, "a", []string{file})
		if !strings.HasPrefix(file, "README") { // it has been read
			if _, err := ProjectOf(fsys, []string{file}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); attempt == 0 || took < least {
			least = took
		}
	}
	return least
}

func checkLine(t testing.TB, got string, limit int) {
	t.Helper()
	switch {
	case got == "":
		t.Error("got nothing")
	case !utf8.ValidString(got):
		t.Errorf("got %q, want UTF-8", got)
	case strings.ContainsFunc(got, unicode.IsControl):
		t.Errorf("got %q, want no control characters", got)
	case utf8.RuneCountInString(got) > limit:
		t.Errorf("got %d characters, want at most %d: %q", utf8.RuneCountInString(got), limit, got)
	}
}
