package describe

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/effort"
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
		"def a(\n", "def a():\n", "class a:\n '''", "__all__ = [", "(/[", "/*/", "func A()\n", "// a b\n", "// a b\n\n", "# a b\n", "// a b\nexport class A\n", "type A struct {", "(", "\nfunc (", "@a\n-\n",
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
}

// Together, hostileFiles are read by all readers.
var hostileFiles = []string{
	"README.md", "README.rst", "doc.go", "lib.rs", "__init__.py", "index.ts",
	"package.json", "Cargo.toml", "pyproject.toml", "setup.py", "go.mod", "setup.cfg",
}

// A description allocates memory in proportion to the text, not to its square.
func TestHostileTextsTakeLinearMemory(t *testing.T) {
	const size, slack = 512, 1 << 20 // regexp keeps memory for the next match
	short, long := hostile(size), hostile(8*size)
	for i, name := range slices.Sorted(maps.Keys(long)) {
		if i%effort.Cases(1, 4) != 0 {
			continue
		}
		for _, file := range hostileFiles {
			if strings.Contains(name, ", ") && file != "README.md" || strings.HasPrefix(name, "line of") && !strings.HasPrefix(file, "README") {
				continue // made for Markdown
			}
			for _, prefix := range append([]string{""}, prefixes[file]...) {
				few, many := allocated(t, file, prefix+short[name]), allocated(t, file, prefix+long[name])
				if many > 16*few+slack {
					t.Errorf("%s with %q after %q: %d bytes for %d, and %d for 8 times as many", file, name, prefix, few, size, many)
				}
			}
		}
	}
}

// allocated describes a file and returns how many bytes that allocated.
func allocated(t *testing.T, file, text string) uint64 {
	t.Helper()
	fsys := fstest.MapFS{file: {Data: []byte(text)}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	described(t, fsys, "a", []string{file})
	if _, err := ProjectOf(fsys, []string{file}, nil); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// The parser of Markdown takes quadratic time for some texts, so it gets only the
// beginning of a text.
func TestMarkdownIsParsedAtItsBeginning(t *testing.T) {
	parsed := strings.Repeat("a\n\n", maxMarkdown/3+1)[:maxMarkdown]
	if got, want := passagesOf(parsed+parsed), passagesOf(parsed); !slices.Equal(got, want) {
		t.Errorf("got %d passages, want %d", len(got), len(want))
	}
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
