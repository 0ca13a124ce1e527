package stages_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/stages"
)

func parse(t *testing.T, content string) stages.Tree {
	t.Helper()
	return stages.Parse(stages.Text{Source: sources.Source{ID: "a.md", Path: "a.md"}, Content: []byte(content)})
}

// unfolding is a kilobyte of YAML that its aliases make 8^9 values.
var unfolding = func() string {
	yaml := "---\nx0: &x0 [a]\n"
	for i := range 9 {
		list := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d, ", i), 8), ", ")
		yaml += fmt.Sprintf("x%d: &x%d [%s]\n", i+1, i+1, list)
	}
	return yaml + "---\n"
}()

func TestBrokenFrontMatterIsAWarning(t *testing.T) {
	for _, content := range []string{
		"---\na: [\n---\n", "---\na: 1\n", "---\na: 1\na: 2\n---\n",
		"---\n{a: {b: 1}, a.b: 2}\n---\n", "---\n? [x]\n: 1\n---\n", "---\na: *b\n---\n", "---\na: &a [*a]\n---\n",
		"---\n\ta: 1\n---\n", "---\na: \"\\xZZ\"\n---\n", "\n---\na: 1\n---\n",
		"+++\na = \n+++\n", "+++\na = 1\na = 2\n+++\n", "+++\n'a.b' = 1\na.b = 2\n+++\n", "+++\na = 1\n",
		"+++\na = " + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + "\n+++\n", "+++\na" + strings.Repeat(".a", 101) + " = 1\n+++\n",
		"{\"a\": 1,\n}\n", "{\"a\": 1, \"a\": 2}\n", "{\"a\": {\"b\": 1}, \"a.b\": 2}\n", "{\"a\": \"\\ud800\"}\n",
		unfolding,
	} {
		tree := parse(t, content)
		if tree.Warning == "" || !strings.HasPrefix(tree.Warning, "a.md: front matter is ignored: ") {
			t.Errorf("%q: got warning %q", content, tree.Warning)
		}
		if len(tree.FrontMatter) != 0 {
			t.Errorf("%q: got %d fields, want none", content, len(tree.FrontMatter))
		}
	}
}

func TestFrontMatterBecomesFlatMetadata(t *testing.T) {
	text, number := document.Text, document.Number
	for _, tc := range []struct {
		name, yaml string
		want       document.Metadata
	}{
		{"empty", "", nil},
		{"comment", "# nothing\n", nil},
		{"null", "~\n", nil},
		{"strings", "a: x\nb: 'y z'\nc: \"\\u00e9\"\nd: 日本\n", document.Metadata{
			"a": text("x"), "b": text("y z"), "c": text("é"), "d": text("日本"),
		}},
		{"block scalars", "a: |\n  x\n  y\nb: >\n  x\n  y\n", document.Metadata{"a": text("x\ny\n"), "b": text("x y\n")}},
		{"integers", "a: 1\nb: -2\nc: +3\nd: 0x1F\ne: 0o17\nf: 007\n", document.Metadata{
			"a": number(1), "b": number(-2), "c": number(3), "d": number(31), "e": number(15), "f": number(7),
		}},
		{"integers that are none", "a: 9223372036854775808\nb: 1_000\nc: '1'\nd: !!str 1\ne: 0b11\n", document.Metadata{
			"a": text("9223372036854775808"), "b": text("1_000"), "c": text("1"), "d": text("1"), "e": text("0b11"),
		}},
		{"as written", "a: true\nb: No\nc: 1.50\nd: 2024-01-02\ne: 2024-01-02T03:04:05Z\nf: .inf\ng: 1:30\n", document.Metadata{
			"a": text("true"), "b": text("No"), "c": text("1.50"), "d": text("2024-01-02"),
			"e": text("2024-01-02T03:04:05Z"), "f": text(".inf"), "g": text("1:30"),
		}},
		{"null is dropped", "a:\nb: null\nc: ~\nd: ''\ne: 'null'\nf: [x, null, y]\n", document.Metadata{
			"d": text(""), "e": text("null"), "f": text("x, y"),
		}},
		{"lists", "a: [x, 1, true]\nb:\n- x\n- y z\nc: []\n", document.Metadata{
			"a": text("x, 1, true"), "b": text("x, y z"), "c": text(""),
		}},
		{"nested", "a: {b: 1, c: {d: x}}\ne: {}\n", document.Metadata{"a.b": number(1), "a.c.d": text("x")}},
		{"lists of mappings", "a:\n- name: x\n- name: y\n- z\n", document.Metadata{
			"a.0.name": text("x"), "a.1.name": text("y"), "a.2": text("z"),
		}},
		{"aliases", "a: &a [x, y]\nb: *a\nc: &c {k: 1}\nd: *c\n", document.Metadata{
			"a": text("x, y"), "b": text("x, y"), "c.k": number(1), "d.k": number(1),
		}},
		{"keys of other kinds", "1: a\ntrue: b\n2024-01-02: c\n? d\n: e\n", document.Metadata{
			"1": text("a"), "true": text("b"), "2024-01-02": text("c"), "d": text("e"),
		}},
	} {
		tree := parse(t, "---\n"+tc.yaml+"---\nbody\n")
		if tree.Warning != "" {
			t.Errorf("%s: %s", tc.name, tree.Warning)
		}
		if diff := cmp.Diff(tc.want, tree.FrontMatter, cmp.AllowUnexported(document.Value{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// The three forms follow the same rules, as far as their types go.
func TestFrontMatterInTOMLAndJSONIsMetadata(t *testing.T) {
	text, number := document.Text, document.Number
	for content, want := range map[string]document.Metadata{
		"+++\n+++\n":         {},
		"+++\n# none\n+++\n": {},
		"+++\na = 'x'\nb = \"\"\"\ny\nz\"\"\"\nc = 0x1F\nd = true\ne = 1.50\nf = 2.0\ng = -inf\nh = nan\n+++\n": {
			"a": text("x"), "b": text("y\nz"), "c": number(31), "d": text("true"), "e": text("1.5"), "f": text("2.0"), "g": text("-inf"), "h": text("nan"),
		},
		"+++\na = 2026-01-31\nb = 2026-01-31T12:00:00Z\nc = 2026-01-31 12:00:00.50+02:00\nd = 2026-01-31T12:00:00\ne = 07:32:00\n+++\n": {
			"a": text("2026-01-31"), "b": text("2026-01-31T12:00:00Z"), "c": text("2026-01-31T12:00:00.5+02:00"),
			"d": text("2026-01-31T12:00:00"), "e": text("07:32:00"),
		},
		"+++\r\ntags = ['x', 'y z']\r\nnone = []\r\n[a]\r\nb.c = 1\r\n[[d]]\r\nname = 'n'\r\n[[d]]\r\nname = 'm'\r\n+++\r\n": {
			"tags": text("x, y z"), "none": text(""), "a.b.c": number(1), "d.0.name": text("n"), "d.1.name": text("m"),
		},
		"+++\nm = [[1, 2], ['x']]\n+++\n": {"m.0": text("1, 2"), "m.1": text("x")},
		"{\n\t\"a\": \"1\", \"b\": 1,\n\t\"c\": 1.50, \"d\": true, \"e\": null,\n\t\"f\": [\"x\", 2, null], \"g\": {\"h\": [{\"i\": \"\\u00e9\"}]}, \"j\": 1e3, \"k\": \"\"\n}\n# A\n": {
			"a": text("1"), "b": number(1), "c": text("1.50"), "d": text("true"), "f": text("x, 2"), "g.h.0.i": text("é"), "j": text("1e3"), "k": text(""),
		},
	} {
		tree := parse(t, content)
		if tree.Warning != "" {
			t.Errorf("%q: %s", content, tree.Warning)
		}
		if diff := cmp.Diff(want, tree.FrontMatter, cmp.AllowUnexported(document.Value{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", content, diff)
		}
	}
}

func TestFencesOfFrontMatter(t *testing.T) {
	one := document.Metadata{"a": document.Number(1)}
	for content, want := range map[string]document.Metadata{
		"---\na: 1\n---\n":               one,
		"---\na: 1\n---":                 one,
		"---\na: 1\n...\n":               one,
		"--- \t\na: 1\n---  \n":          one,
		"---\r\na: 1\r\n---\r\n":         one,
		"\ufeff---\na: 1\n---\n":         one,
		"---\na: 1\n---\n---\nb: 2\n---": one,
		"\n---\na: 1\n---\n":             nil,
		" ---\na: 1\n---\n":              nil,
		"----\na: 1\n----\n":             nil,
		"...\na: 1\n...\n":               nil,
		"---\ra: 1\r---\r":               nil,
		"# A\n---\na: 1\n---\n":          nil,
	} {
		if diff := cmp.Diff(want, parse(t, content).FrontMatter, cmp.AllowUnexported(document.Value{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", content, diff)
		}
	}
}

func TestNormalizeExtractsMetadataAndFrontMatterWins(t *testing.T) {
	text, number := document.Text, document.Number
	for content, want := range map[string]document.Metadata{
		"":                                      {"byte_size": number(0), "line_count": number(0)},
		"x":                                     {"byte_size": number(1), "line_count": number(1)},
		"x\n":                                   {"byte_size": number(2), "line_count": number(1)},
		"x\n\n\r\ny":                            {"byte_size": number(6), "line_count": number(4)},
		"x\ry":                                  {"byte_size": number(3), "line_count": number(1)},
		"## A\n# \n# B\n# C\n":                  {"byte_size": number(16), "line_count": number(4), "title": text("B")},
		"---\ntitle: T\nbyte_size: x\n---\n# B": {"byte_size": text("x"), "line_count": number(5), "title": text("T")},
	} {
		got := stages.Normalize(parse(t, content)).Metadata
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(document.Value{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", content, diff)
		}
	}
}

// Every input has a tree, and its metadata is UTF-8.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"# A\n", "\ufeff---\r\na: [1, {b: c}]\r\n---\r\n\r\nA\n=\n", "---\n<<: *x\n---", "> # q\n- # l\n\n# h #\n",
		"---\na: &a {b: *a}\n---\n", "+++\na.b = [1, {c = 2026-01-31}]\n+++\n", "{\"a\": [1, {\"b\": null}]}\n# A\n", "\n<!-- a -->\n---\na: b\n---\n", "[a]: <b>\n# [a]\n", "| a |\n|-|\n# x", "---\n? a\n? b\n---\n\x00# \x00\n",
		"---\n!!int x: !!null y\n---\n", "---\na: !!binary =\n...\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if !utf8.Valid(content) {
			t.Skip("Read lets only UTF-8 through")
		}
		tree := stages.Parse(stages.Text{Source: sources.Source{Path: "a.md"}, Content: content})
		for key, value := range stages.Normalize(tree).Metadata {
			if !utf8.ValidString(key) || !utf8.ValidString(value.String()) {
				t.Errorf("metadata %q: %q is not UTF-8", key, value)
			}
		}
	})
}

func TestFrontMatterOfMoreThanAMebibyteIsNone(t *testing.T) {
	for _, tc := range []struct {
		size    int
		ignored bool
	}{{1 << 19, false}, {1<<20 + 1, true}} {
		tree := parse(t, "---\ntitle: A\n#"+strings.Repeat("x", tc.size)+"\n---\n# B\n")
		if got := tree.Warning != ""; got != tc.ignored || (tree.FrontMatter == nil) != tc.ignored {
			t.Errorf("%d bytes: got %v and warning %q, want it ignored: %v", tc.size, tree.FrontMatter, tree.Warning, tc.ignored)
		}
	}
}

// Caches store warnings, and builds print them.
func TestWarningsDoNotQuoteNamesOfAnyLength(t *testing.T) {
	long := strings.Repeat("k", 900_000)
	for _, yaml := range []string{"a: *" + long, long + ": 1\n" + long + ": 2"} {
		tree := parse(t, "---\n"+yaml+"\n---\n")
		if n := len(tree.Warning); n == 0 || n > 400 {
			t.Errorf("%.20s: got a warning of %d bytes: %.400s", yaml, n, tree.Warning)
		}
	}
}
