package contextfile_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// head is a valid file, which tests add fields to in line 7 and after it.
const head = `version: 1
last_updated: "2026-01-01T00:00:00Z"
fingerprint: "abcd1234"
scope: "."
summary: "S"
maintenance: "M"
`

// problemsOf returns what Parse finds wrong with text.
func problemsOf(t *testing.T, text string) []yaml12.Problem {
	t.Helper()
	_, err := contextfile.Parse([]byte(text))
	invalid, ok := errors.AsType[*contextfile.InvalidError](err)
	if !ok {
		t.Fatalf("got error %v, want an InvalidError", err)
	}
	return invalid.Problems
}

func TestProblemsNameLineFieldAndFix(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{
			"number for text", head + "files:\n  - name: a\n    purpose: 5\n",
			"line 9: files[0].purpose: expected text, got a number (5); put it in quotes",
		},
		{
			"missing member", head + "files:\n  - name: a\n    purpose: p\n  - name: b\n",
			"line 10: files[1].purpose: missing; add it",
		},
		{
			"word", head + "evidence:\n  collected_at: x\n  lint_status: dirty\n",
			"line 9: evidence.lint_status: unknown word dirty; write clean, errors or unknown",
		},
		{
			"too many tests", head + "evidence:\n  collected_at: x\n  test_count: 9007199254740992\n",
			"line 9: evidence.test_count: expected a whole number of at most 2^53-1, got 9007199254740992; correct the number",
		},
		{
			"repeated nested key", head + "project: {name: a, name: b}\n",
			"line 7: name: duplicate key, first in line 7; remove one of the two",
		},
		{
			"repeated key, spelled otherwise", head + "? &k summary\n: x\n",
			"line 7: summary: duplicate key, first in line 5; remove one of the two",
		},
		{
			"repeated number", head + "interfaces: [{1: a, 0x1: b}]\n",
			"line 7: 0x1: duplicate key, first in line 7; remove one of the two",
		},
		{
			"strange key", head + "\"a\\n\\0b\": 1\n",
			`line 7: "a\n\x00b": unknown key; remove it or correct its name`,
		},
		{
			"binary tag", strings.Replace(head, `"S"`, "!!binary aGk=", 1),
			`line 5: the tag "!!binary" does not fit the value; remove the tag`,
		},
		{
			"tag of another kind", head + "constraints: !!map [a]\n",
			`line 7: the tag "!!map" does not fit the value; remove the tag`,
		},
		{
			"unindented quotes", head + "constraints:\n  - \"a\n  b\"\n",
			"line 9: a continued line that is not indented; indent it with spaces",
		},
		{
			"unindented in brackets",
			head + "constraints: [\"\\\"]\", 'it''s ]', &a a, !<tag:x.org,2000:]> c, d # ]\n  , e:f,\nb\n  ]\n",
			"line 9: a continued line that is not indented; indent it with spaces",
		},
		{
			"lone CR in a comment", "# a\n# b\rc\n" + head,
			"line 2: a carriage return without a line feed; end lines with a line feed",
		},
		{
			"deep", head + "todos: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\n",
			"line 7: nesting of more than 100 levels; make it flat",
		},
		{
			"deeper than the library goes", head + "todos: " + strings.Repeat("[", 20000) + "\n",
			"line 7: not YAML: exceeded max depth of 10000; " +
				"correct the indentation or the quotes near this line",
		},
		{
			"large", head + strings.Repeat("#", contextfile.MaxSize),
			"the file is larger than 1 MiB; shorten it",
		},
		{
			"directive without a document", "%FOO\n" + head,
			"line 1: a directive without a document; write a line of three hyphens after it",
		},
		{
			"Markdown", strings.Replace(head, `"S"`, "*note*", 1),
			"line 5: not YAML: did not find expected alphabetic or numeric character; put text that begins with * or & in quotes",
		},
		{"first line", "@\n", "line 1: not YAML: found character that cannot start any token; " +
			"correct the indentation or the quotes near this line"},
		{"UTF-16", "\xFE\xFF\x00v", "line 1: the text is UTF-16; save it as UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			problems := problemsOf(t, test.text)
			if got := problems[0].String(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			err := &contextfile.InvalidError{Problems: problems}
			if err.Error() != test.want {
				t.Errorf("as an error: got %s", err)
			}
		})
	}
}

func TestAllProblemsAreReportedByLine(t *testing.T) {
	text := "todos: [1, x, ~]\nscope: 5\nnonsense: 1\nversion: true\nfiles: x\n"
	var got []string
	for _, p := range problemsOf(t, text) {
		got = append(got, fmt.Sprintf("%d %s", p.Line, p.Field))
	}
	want := []string{
		"1 last_updated", "1 fingerprint", "1 summary", "1 maintenance",
		"1 todos[0]", "1 todos[2]", "2 scope", "3 nonsense", "4 version", "5 files",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A file of a later version is unsupported, even if it breaks the schema, unless it is
// not YAML.
func TestLaterVersionsAreUnsupported(t *testing.T) {
	for text, want := range map[string]string{
		"version: 2":                             "2",
		"version: 1.5\nnonsense: 1":              "1.5",
		"a: 1\nversion: 0x10":                    "16",
		"version: 0o17":                          "15",
		"version: +.INF":                         "Infinity",
		"version: 1e999":                         "Infinity",
		"version: 1e21":                          "1e+21",
		"version: 123456789012345678901":         "123456789012345680000",
		"{version: !!int \"3\"}":                 "3",
		"x: &v 7\nversion: *v":                   "7",
		"version: 0x" + strings.Repeat("f", 500): "Infinity",
	} {
		_, err := contextfile.Parse([]byte(text))
		unsupported, ok := errors.AsType[*contextfile.UnsupportedError](err)
		if !ok || unsupported.Version != want || unsupported.Line == 0 {
			t.Errorf("%q: got %#v, want version %s", text, err, want)
		}
	}
	for _, text := range []string{
		"version: 2\nversion: 2", "version: 2\n---\n", "version: 2\na: [", "version: 2\na: !!float 1",
		"version: -.inf", "version: .nan", "version: 0x0", "version: 2_0", "version: \"2\"", "x: {version: 2}",
	} {
		problemsOf(t, text)
	}
}

// Each text is a plain scalar that YAML 1.1 and 1.2 may see otherwise.
func TestScalarsAreThoseOfTheCoreSchema(t *testing.T) {
	for _, s := range []string{
		"yes", "No", "on", "OFF", "y", "N", "2026-01-01", "2026-01-01T00:00:00Z", "12:34:56", "0b1", "1_0", "0x", "0o8",
		"1e", "e1", ".", "-", "+", "-.nan", "tRUE", "nULL", "0x1.8p1", "1,000", "Infinity", ".iNF", "-0x1", "+0o7", "<<", "=",
	} {
		c, err := contextfile.Parse([]byte(strings.Replace(head, `"S"`, s, 1)))
		if s == "-" {
			continue // an entry of a list, if a list could be there
		}
		if err != nil || c.Summary != s {
			t.Errorf("%s: got %v, %v, want text", s, c, err)
		}
	}
	for _, s := range []string{
		"", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "1", "-1", "+1", "01", "0o7", "0xAf",
		".5", "5.", "1e3", "1.e3", "-.5E-3", ".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".NAN", "1234e567", "!!int 5",
	} {
		if got := problemsOf(t, strings.Replace(head, `"S"`, s, 1)); got[0].Field != "summary" || got[0].Line != 5 {
			t.Errorf("%s: got %v, want it to be no text", s, got)
		}
	}
}

func TestTextComesThrough(t *testing.T) {
	for yaml, want := range map[string]string{
		"!!str 5":                     "5",
		"! x":                         "x",
		"!local 12":                   "12",
		"!<tag:example.com,2000:x> 1": "1",
		"\"a\\/b \\ud83d\\ude00 \\udbff\\udfff\x01 \\ud83d.\"": "a/b \U0001F600 \U0010FFFF\x01 \uFFFD.",
		`'a\/b \ud83d'`:                     `a\/b \ud83d`,
		`a\/b`:                              `a\/b`,
		`"\\/ \\\/"`:                        `\/ \/`,
		"\"\U0010FFFF\x01\x02\\U0010FFFE\"": "\U0010FFFF\x01\x02\U0010FFFE",
		"a\u0085b\u2028c\u2029d\x7f\u0080":  "a\u0085b\u2028c\u2029d\x7f\u0080",
		"a\xE2\x80b\xF0\x9F\x98\xFFc\xC0\x80\xED\xA0": "a\uFFFDb\uFFFD\uFFFDc\uFFFD\uFFFD\uFFFD\uFFFD",
		"\"a\uFEFFb\\0\x00\uFFFE\"":                   "a\uFEFFb\x00\x00\uFFFE",
	} {
		c, err := contextfile.Parse([]byte(strings.Replace(head, `"S"`, yaml, 1)))
		if err != nil || c.Summary != want {
			t.Errorf("%q: got %+v, %v, want %q", yaml, c, err, want)
		}
	}
}

func TestFlowMayEndAtTheIndentationOfItsBlock(t *testing.T) {
	for _, text := range []string{
		head + "constraints: [\n  a,\n\n# comment\n  \"x ] y\", 'it''s', don't, &a \"]\", *a,\n]\n",
		head + "constraints: [!<tag:x.org,2000:[> \"]\", plain 'b\n  text # ]\n  , \"a\\\"]\", a:b]\ntodos: []\n",
		head + "constraints: &c\n  - \"a\n    b\"\n",
		"{\n\"version\": 1,\n\"last_updated\": \"x\", \"fingerprint\": \"a\",\n\"scope\": \".\", \"summary\": \"a\nb\", \"maintenance\": \"\"\n}\n",
		"--- !!map\n" + head + "constraints: !!seq\n- \"a\n  b\"\n",
	} {
		if _, err := contextfile.Parse([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFilterChoosesAndOrders(t *testing.T) {
	c, err := contextfile.Parse([]byte(head + "todos: [t]\nevidence: {collected_at: x, test_count: -0}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const four = `{"version":1,"scope":".","fingerprint":"abcd1234","last_updated":"2026-01-01T00:00:00Z"`
	const all = `{"version":1,"last_updated":"2026-01-01T00:00:00Z","fingerprint":"abcd1234","scope":".","summary":"S",` +
		`"maintenance":"M","todos":["t"],"evidence":{"collected_at":"x","test_count":0}}`
	for _, test := range []struct {
		filter []string
		want   string
	}{
		{[]string{}, all},
		{[]string{"todos", "summary", "todos"}, four + `,"todos":["t"],"summary":"S"}`},
		{[]string{"nonsense", "files", "__proto__", "version", "scope", "last_updated"}, four + "}"},
		{[]string{"evidence", "maintenance"}, four + `,"evidence":{"collected_at":"x","test_count":0},"maintenance":"M"}`},
		{nil, all},
	} {
		var e wire.Encoder
		c.Encode(&e, test.filter)
		if got := string(e.Bytes()); got != test.want {
			t.Errorf("filter %q:\n got %s\nwant %s", test.filter, got, test.want)
		}
	}
}

func TestNumbersPrintAsInJavaScript(t *testing.T) {
	for yaml, want := range map[string]string{
		"87.5": "87.5", "-0": "0", "-0.0": "0", "1e2": "100", "0x10": "16", "0o10": "8", "1e-7": "1e-7",
		"1e-6": "0.000001", "0.1": "0.1", "1.5e-12": "1.5e-12", "100.": "100", "5e-324": "5e-324", "33.333333333333336": "33.333333333333336",
	} {
		c, err := contextfile.Parse([]byte(head + "evidence: {collected_at: x, coverage_percent: " + yaml + "}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := encode(c, []string{"evidence"}); !strings.Contains(got, `"coverage_percent": `+want+"\n") {
			t.Errorf("%s: got %s, want %s", yaml, got, want)
		}
	}
}

// bomb is a list of n aliases, each of a list of width aliases.
func bomb(width, n int) string {
	text := head + "files:\n  - name: &long " + strings.Repeat("x", 1<<16) + "\n    purpose: p\n"
	text += "constraints: &c [" + strings.Repeat("*long, ", width) + "]\n"
	for _, name := range []string{"todos", "events", "config", "exports", "testing"}[:n] {
		text += name + ": *c\n"
	}
	return text
}

func TestAliasBombsAreBounded(t *testing.T) {
	deep := head + "interfaces:\n  - {name: n, description: d, a0: &a0 [x, x]"
	for i := range 60 {
		deep += fmt.Sprintf(", a%d: &a%d [*a%d, *a%d]", i+1, i+1, i, i)
	}
	deep += "}\n"
	var members strings.Builder
	for i := range 40000 {
		fmt.Fprintf(&members, "k%d: 1,", i)
	}
	big := head + "interfaces: [&o {" + members.String() + "}" + strings.Repeat(",*o", 100000) + "]\n"
	cyclic := head + "todos: &t\n  - *t\n"
	for name, test := range map[string]struct {
		text, problem string
	}{
		"wide":               {bomb(10000, 5), "the aliases unfold to more than 4194304 bytes; write the values out"},
		"within bounds":      {bomb(10, 5), ""},
		"in what is dropped": {deep, ""},
		"large objects":      {big, "the aliases unfold to more than 4194304 bytes; write the values out"},
		"cyclic":             {cyclic, "line 7: todos[0]: expected text, got a list; write one text, in quotes if it contains a colon, brackets or braces"},
		"wrong many times":   {head + "interfaces: &i [" + strings.Repeat("1,", 50000) + "]\ndecisions: *i\n", "line 7: interfaces[0]: expected a mapping, got a number (1); write it as names and values: name, description"},
	} {
		t.Run(name, func(t *testing.T) {
			if len(test.text) > contextfile.MaxSize {
				t.Fatal("too large to be of use")
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := contextfile.Parse([]byte(test.text))
			runtime.ReadMemStats(&after)
			if got := fmt.Sprint(err); err != nil && got != test.problem || err == nil && test.problem != "" {
				t.Errorf("got %v, want %q", got, test.problem)
			}
			if spent := after.TotalAlloc - before.TotalAlloc; spent > 1<<30 {
				t.Errorf("allocated %d bytes", spent)
			}
		})
	}
}

func TestProblemsAreNotEndless(t *testing.T) {
	if got := len(problemsOf(t, head+"todos: ["+strings.Repeat("1,", 300000)+"]\n")); got != 1000 {
		t.Errorf("got %d problems, want 1000", got)
	}
}

// The texts are large and each is hard on some part of a reader. In quadratic time, it
// would take minutes, and the tests would run out of time.
func TestLargeTextsAreReadInTime(t *testing.T) {
	fill := func(s string) string { return strings.Repeat(s, contextfile.MaxSize/4/len(s)) }
	for _, text := range []string{
		fill("#\n"), fill("\n"), fill("- "), fill("? "), fill("["), fill("---\n"), fill("%a\n"), fill("&a "), fill("\t"), fill("'"),
		"version: 0o" + fill("7"), "version: 0x" + fill("f"), "version: " + fill("9"), "\"" + fill("\x01"), "\"" + fill(`\/`) + "\"",
		head + "todos:\n" + fill("  - a # x\n"), head + "todos:\n" + fill("- &a\n - b\n"), head + "todos: [" + fill("&a [x],") + "]",
		head + "todos: [" + fill("a: b,") + "]", head + "todos: [\"" + fill("a\n ") + "\"]", head + "todos: |\n" + fill(" a\n"), head + fill("\xff"),
	} {
		contextfile.Parse([]byte(text))
	}
}
